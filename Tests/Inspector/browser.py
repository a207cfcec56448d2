"""Opens the page in headless Chromium, and offers the actions of the tests."""

import json
import shutil
import tempfile
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

PATIENCE = 20


class Browser:
    def __init__(self, language="en"):
        options = Options()
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--force-color-profile=srgb",
            f"--lang={language}",
            "--window-size=1440,900",
            "--hide-scrollbars",
        ):
            options.add_argument(argument)
        self.media_features = {}
        self.downloads = Path(tempfile.mkdtemp())
        options.add_experimental_option("prefs", {"intl.accept_languages": language, "download.default_directory": str(self.downloads)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        options.binary_location = binary
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.downloads)})

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.downloads, ignore_errors=True)

    def open(self, address):
        self.driver.get("about:blank")
        self.driver.get(address)
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})

    def size(self, width, height):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        )

    def dark(self, is_dark):
        self.media("prefers-color-scheme", "dark" if is_dark else "light")

    def media(self, name, value):
        self.media_features[name] = value
        features = [{"name": name, "value": value} for name, value in self.media_features.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    # Looking

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.wait(lambda: next(iter(self.all(selector)), None), selector)

    def text(self, selector):
        """Returns the text of the first matching element without waiting, or "" if there is none."""
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def wait(self, condition, what="a condition"):
        end = time.monotonic() + PATIENCE
        while True:
            found = condition()
            if found:
                return found
            if time.monotonic() > end:
                raise AssertionError(f"waited {PATIENCE} s for {what}; the page says: {self.text('body')[:600]!r}")
            time.sleep(0.05)

    def wait_for_text(self, selector, text):
        self.wait(lambda: text in self.text(selector), f"{text!r} in {selector}; it has {self.text(selector)[:300]!r}")

    def rows(self):
        """Returns the rows in the document, newest first, as dictionaries of the texts of their cells."""
        return self.js("""
            return [...document.querySelectorAll('.rows .row')].map((row) => Object.fromEntries([...row.children].map((cell) =>
                [cell.className.split(' ')[1], cell.innerText.replace(/\\s+/g, ' ').trim()])))""")

    def paths(self):
        return [row["path"].split(" ")[0] for row in self.rows()]

    # Doing

    def click(self, selector):
        self.one(selector)
        self.wait(
            lambda: self.js("const found = document.querySelector(arguments[0]); return !!found && !found.disabled", selector),
            f"{selector} to be enabled",
        )
        element = self.one(selector)
        self.js("arguments[0].scrollIntoView({block: 'nearest'})", element)
        element.click()

    def click_text(self, selector, text):
        def found():
            return next((one for one in self.all(selector) if one.is_displayed() and text in one.text), None)

        self.wait(found, f"{text!r} in {selector}").click()

    def select_path(self, path, place=0):
        """Clicks a row with a path, by default the newest."""

        def row():
            return self.js(
                """
                const rows = [...document.querySelectorAll('.rows .row')];
                return rows.filter((row) => row.querySelector('.where').textContent.split('?')[0] === arguments[0])[arguments[1]]""",
                path,
                place,
            )

        self.wait(row, f"a row of {path}")
        self.js("arguments[0].click()", row())
        self.wait_for_text(".details h2", path)

    def tab(self, name):
        self.click(f"#tab-{name}")
        self.wait(
            lambda: self.js("return document.querySelector('#panel').getAttribute('aria-labelledby')") == f"tab-{name}", f"the tab {name}"
        )

    def fill(self, selector, text):
        field = self.one(selector)
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys(text or Keys.BACKSPACE)

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def choose(self, selector, value):
        self.js(
            "const field = document.querySelector(arguments[0]); field.value = arguments[1]; field.dispatchEvent(new Event('change', {bubbles: true}))",
            selector,
            value,
        )

    def downloaded(self):
        """Returns the saved file as JSON."""
        file = self.wait(lambda: next((one for one in self.downloads.glob("*.har")), None), "a saved file")
        content = json.loads(file.read_text())
        file.unlink()
        return content

    def drop(self, text, name):
        """Drops a file with this text on the page."""
        self.js(
            """
            const files = new DataTransfer();
            files.items.add(new File([arguments[0]], arguments[1]));
            for (const kind of ['dragenter', 'dragover', 'drop']) {
                document.querySelector('#main').dispatchEvent(new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: files}));
            }""",
            text,
            name,
        )

    def errors(self):
        """Returns the errors of the console, except those of failed requests, which the page shows."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]
        ]

    def screenshot(self, folder, name):
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(str(Path(folder) / f"{name}.png"))
