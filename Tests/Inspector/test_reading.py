"""Accessibility: keyboard, Chinese, narrow and dark screens, and the accessibility tree."""

import importlib.util
from pathlib import Path

from browser import Keys
from case import Case


class KeyboardTests(Case):
    def test_everything_by_keyboard(self):
        self.basics()
        self.browser.press("/")
        self.assertEqual(self.browser.js("return document.activeElement.id"), "filter-text")
        self.browser.press("v1/rooms")
        self.browser.wait(lambda: len(self.browser.rows()) == 4, "the filter")
        self.browser.press(Keys.ARROW_DOWN)
        self.assertEqual(self.browser.js("return document.activeElement.id"), "grid")
        self.browser.press(Keys.ARROW_DOWN)
        self.browser.press(Keys.ARROW_DOWN)
        self.browser.wait(
            lambda: self.browser.js(
                "return document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.getAttribute('aria-rowindex')"
            )
            == "3",
            "the second row",
        )
        self.browser.press(Keys.ENTER)
        self.browser.wait(lambda: self.browser.js("return document.activeElement.id") == "tab-overview", "the details")
        self.browser.press(Keys.ARROW_RIGHT)
        self.browser.wait(lambda: self.browser.js("return document.activeElement.id") == "tab-request", "the next tab")
        self.browser.press(Keys.ESCAPE)
        self.browser.wait(lambda: self.browser.js("return document.activeElement.id") == "grid", "the list again")
        self.assertFalse(self.browser.one("#details").is_displayed())
        self.browser.press(Keys.SHIFT + Keys.ARROW_DOWN)
        self.browser.wait(lambda: len(self.browser.all(".row[aria-selected=true]")) == 2, "two selected")
        self.browser.press("?")
        self.browser.wait_for_text("#keyboard-dialog", "Go to the filter")
        self.shoot("keyboard")
        self.browser.press(Keys.ESCAPE)
        self.browser.wait(lambda: not self.browser.all("dialog[open]"), "the dialog to close")

    def test_single_keys_can_be_switched_off(self):
        self.browser.click("#keyboard")
        self.browser.click("#single-keys")
        self.browser.press(Keys.ESCAPE)
        self.browser.wait(lambda: not self.browser.all("dialog[open]"), "the dialog to close")
        self.browser.click("#grid")
        self.browser.press("/")
        self.assertNotEqual(self.browser.js("return document.activeElement.id"), "filter-text")

    def test_focus_is_always_visible(self):
        self.basics()
        self.browser.select_path("/v1/users")
        self.browser.js("document.activeElement.blur()")
        seen = set()
        for _ in range(40):
            self.browser.press(Keys.TAB)
            name, visible = self.browser.js("""
                const active = document.activeElement, inside = document.getElementById(active.getAttribute('aria-activedescendant'));
                const it = inside ?? active, style = getComputedStyle(it), box = it.getBoundingClientRect();
                const marks = style.outlineStyle !== 'none' || style.boxShadow !== 'none' || it.id === 'splitter';
                return [active.id || active.className || active.tagName, active === document.body || (marks && box.width > 0)]""")
            self.assertTrue(visible, f"no mark of the focus on {name}")
            seen.add(name)
        self.assertTrue({"filter-text", "grid", "splitter", "again", "tab-overview", "panel"} <= seen, seen)


class ChineseTests(Case):
    language = "zh-CN"

    def test_all_of_it_is_chinese(self):
        self.basics()
        self.assertEqual(self.browser.js("return document.documentElement.lang"), "zh-Hans")
        self.browser.select_path("/v1/users")
        self.browser.wait_for_text("#panel", "各次尝试")
        self.shoot("chinese")
        self.browser.tab("timing")
        self.browser.wait_for_text(".figures", "首字节")
        self.shoot("chinese-timing")
        self.browser.click("#effects")
        self.browser.wait_for_text("#effects-dialog", "减慢请求")
        self.browser.press(Keys.ESCAPE)
        self.browser.choose("#language", "en")
        self.browser.wait_for_text("#panel", "First byte")
        self.assertEqual(self.browser.js("return document.documentElement.lang"), "en")

    def test_each_word_is_there_in_both_languages(self):
        keys = self.browser.driver.execute_async_script(
            """
            const done = arguments[0];
            Promise.all([import('/strings-english.js'), import('/strings-chinese.js')]).then(([one, other]) => done([Object.keys(one.english), Object.keys(other.chinese)]))"""
        )
        self.assertEqual(*keys)


class AppearanceTests(Case):
    def test_narrow_and_dark(self):
        self.basics()
        self.browser.dark(True)
        self.browser.select_path("/v1/users")
        self.browser.tab("timing")
        self.shoot("dark-timing")
        self.browser.select_path("/v1/rooms", 2)
        self.browser.tab("response")
        self.shoot("dark-response")
        for width in (1024, 768, 480, 360):
            self.browser.size(width, 740)
            self.browser.dark(width in (1024, 480))
            self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth"), width)
            self.shoot(f"width-{width}-details")
            self.browser.press(Keys.ESCAPE)
            self.browser.wait(lambda: not self.browser.one("#details").is_displayed(), "the list")
            self.browser.wait(lambda: len(self.browser.rows()) == 11, "the rows")
            self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth"), width)
            self.assertLessEqual(self.browser.js("return document.querySelector('#grid').scrollWidth"), width)
            self.shoot(f"width-{width}-list")
            self.browser.click("#effects")
            self.assertLessEqual(self.browser.js("return document.querySelector('dialog[open]').getBoundingClientRect().right"), width)
            self.shoot(f"width-{width}-effects")
            self.browser.press(Keys.ESCAPE)
            self.browser.select_path("/v1/rooms", 2)

    def test_nothing_moves_where_motion_is_not_wanted(self):
        self.browser.media("prefers-reduced-motion", "reduce")
        self.app.command("download")
        self.browser.wait(lambda: self.browser.rows(), "the call")
        self.assertEqual(self.browser.js("return document.getAnimations().length"), 0)
        self.app.command("finish")


def axe():
    """Returns the rules of axe-core, if a package with them is installed."""
    for package in ("axe_playwright_python", "axe_core_python", "axe_selenium_python"):
        found = importlib.util.find_spec(package)
        for folder in (found.submodule_search_locations or []) if found else []:
            script = next(Path(folder).rglob("axe.min.js"), None)
            if script:
                return script.read_text()
    return None


class AccessibilityTests(Case):
    def audit(self, name):
        # With the driver, so that the page's content security policy stays unchanged.
        if not self.browser.js("return !!window.axe"):
            self.browser.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": self.script})
        found = self.browser.driver.execute_async_script(
            """
            const done = arguments[0];
            axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}).then((result) => done(result.violations.map((one) =>
                `${one.id} (${one.impact}): ${one.help}: ` + one.nodes.slice(0, 4).map((node) => `${node.target} ${node.any.concat(node.all).map((check) => check.message).join('; ')}`).join(' | '))))"""
        )
        self.assertEqual(found, [], f"{name}: {found}")

    def test_audit(self):
        self.script = axe()
        # Without animations, because the contrast of a fading note is arbitrary.
        self.browser.media("prefers-reduced-motion", "reduce")
        if self.script is None:
            self.skipTest("axe-core is not installed (pip install --no-deps axe-playwright-python)")
        self.audit("empty")
        self.basics()
        self.app.command("download")
        for is_dark in (False, True):
            self.browser.dark(is_dark)
            name = "dark" if is_dark else "light"
            self.audit(f"{name} list")
            for path in ("/v1/users", "/v1/rooms/99", "/v1/rooms", "/v1/logo", "/v1/profile"):
                self.browser.select_path(path)
                for tab in ("overview", "request", "response", "timing", "difference"):
                    self.browser.tab(tab)
                    self.audit(f"{name} {path} {tab}")
            self.browser.select_path("/v1/rooms", 2)
            self.browser.tab("response")
            self.browser.fill("#body-search", "o")
            self.browser.wait_for_text(".matches", "1 of")
            self.audit(f"{name} matches")
            self.browser.click("#effects")
            for kind in ("stub", "slow", "fail", "offline"):
                self.browser.click(f"#effects-dialog [data-kind={kind}]")
                self.audit(f"{name} {kind}")
            self.browser.click("#effects-dialog .main")
            self.browser.wait_for_text("#badges", "Offline")
            self.audit(f"{name} badges")
            self.browser.click("#undo-all")
            self.browser.click("#keyboard")
            self.audit(f"{name} keyboard")
            self.browser.press(Keys.ESCAPE)
        self.browser.drop("none", "none.har")
        self.browser.wait_for_text("#banner", "not JSON")
        self.audit("refused file")
        self.browser.size(360, 740)
        self.audit("narrow details")
        self.app.command("finish")
