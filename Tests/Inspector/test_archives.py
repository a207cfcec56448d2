"""HAR files: saving, dropping, and invalid files."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from case import Case
from mock_app import MockApp
from real_app import RealApp


class ArchiveTests(Case):
    def save(self, which):
        self.browser.click("#archive")
        self.browser.click(f"#archive-{which}")
        return self.browser.downloaded()

    def test_round_trip(self):
        self.basics()
        saved = self.save("all")
        entries = saved["log"]["entries"]
        # Two attempts are two entries. Cached responses were not sent.
        self.assertGreaterEqual(len(entries), 10)
        self.browser.drop(json.dumps(saved), "calls.har")
        self.browser.wait_for_text("#banner", "calls.har")
        self.browser.wait_for_text("#count", f"{len(entries)} calls")
        self.assertFalse(self.browser.one("#pause").is_displayed())
        self.browser.select_path("/v1/rooms/99")
        self.browser.tab("response")
        self.browser.wait_for_text("#panel .json", "No such room")
        self.browser.tab("timing")
        self.browser.wait_for_text(".figures", "First byte")
        self.shoot("archive")
        again = self.save("all")
        self.assertEqual(again, saved)
        self.browser.click("#back-to-app")
        self.browser.wait_for_text("#count", "11 calls")
        self.assertTrue(self.browser.one("#pause").is_displayed())

    def test_only_the_selected_calls(self):
        self.basics()
        self.browser.select_path("/v1/logo")
        saved = self.save("selected")
        self.assertEqual([entry["request"]["url"].rpartition("/")[2] for entry in saved["log"]["entries"]], ["logo"])

    def test_files_that_are_none_are_refused_in_words(self):
        for text, said in (
            ("hello", "it is not JSON"),
            ('{"a": 1}', "no list of entries"),
            ('{"log": {"entries": []}}', "without entries"),
            ('{"log": {"entries": [{}, 3, null]}}', "none of its entries has a request"),
            ("", "it is not JSON"),
        ):
            self.browser.drop(text, "<b>odd</b>.har")
            self.browser.wait_for_text("#banner", said)
            self.assertIn("<b>odd</b>.har", self.browser.text("#banner"))
        self.shoot("archive-refused")

    def test_strange_entries_are_shown_as_far_as_they_go(self):
        entries = [
            {"request": {"url": "https://example.com/a"}},
            {"request": {"url": "no address", "headers": "x", "method": 7}, "response": {"status": "x"}},
            {
                "request": {"url": "https://example.com/b", "postData": {"text": "a"}},
                "response": {"status": 200, "content": {"text": "<b>", "size": -1}},
                "time": "x",
                "timings": None,
            },
            {},
        ]
        self.browser.drop(json.dumps({"log": {"entries": entries}}), "strange.har")
        self.browser.wait_for_text("#count", "3 calls")
        self.browser.wait_for_text("#note", "1 entry was left out")
        for path in ("/a", "no address", "/b"):
            self.browser.select_path(path)
            for tab in ("overview", "request", "response", "timing", "difference"):
                self.browser.tab(tab)

    def test_a_file_is_looked_at_without_an_app(self):
        self.basics()
        saved = self.save("all")
        if self.program:
            file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "calls.har"
            file.write_text(json.dumps(saved))
            viewer = RealApp(self.demo(), ["--har", str(file)])
            # The viewer does not end with its input, so it must be killed.
            self.addCleanup(viewer.kill)
        else:
            viewer = MockApp(archive=saved)
            self.addCleanup(viewer.stop)
        self.browser.open(viewer.address)
        self.browser.wait_for_text("#count", f"{len(saved['log']['entries'])} calls")
        self.browser.wait_for_text("#banner", "calls.har")
        self.assertEqual(self.browser.all("#back-to-app"), [])
        self.browser.select_path("/v1/rooms/99")
        self.browser.tab("response")
        self.browser.wait_for_text("#panel .json", "No such room")

    def test_a_file_that_is_none_is_refused_by_the_demo_in_words(self):
        demo = self.demo()
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "odd.har").write_text("<html>")
        for name, said in (("odd.har", "no HAR file"), ("missing.har", "could not be read")):
            ended = subprocess.run([demo, "--har", folder / name], capture_output=True, text=True, timeout=60)
            self.assertEqual(ended.returncode, 1)
            self.assertIn(said, ended.stdout)

    def demo(self):
        demo = os.environ.get("INSPECTOR_DEMO")
        if not self.program or not demo:
            self.skipTest("the stand-in has no demo")
        return demo
