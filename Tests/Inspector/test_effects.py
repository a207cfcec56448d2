"""Effects on calls: stubs, delays, failures, no network, and removing them."""

import json

from case import Case


class EffectsTests(Case):
    def add(self, kind, **fields):
        self.browser.click("#effects")
        self.browser.click(f"#effects-dialog [data-kind={kind}]")
        for name, value in fields.items():
            selector = f"#form-{name}"
            if self.browser.js("return document.querySelector(arguments[0]).tagName", selector) == "SELECT":
                self.browser.choose(selector, value)
            else:
                self.browser.fill(selector, value)
        self.browser.click("#effects-dialog .main")

    def get(self, path, tag="forum"):
        """Makes a call and returns its row."""
        count = len(self.browser.rows())
        self.app.command(f"get {tag} {path}")
        self.browser.wait(lambda: len(self.browser.rows()) == count + 1, "the call")
        self.browser.wait(
            lambda: self.browser.js("return document.querySelector('.rows .row').dataset.state") != "running", "the end of the call"
        )
        row = self.browser.rows()[0]
        self.assertTrue(row["path"].startswith(path), row)
        return row

    def test_a_stub_is_made_from_a_recorded_response(self):
        self.basics()
        self.browser.select_path("/v1/rooms", 2)
        self.browser.click("#make-stub")
        body = self.browser.wait(lambda: self.browser.js("return document.querySelector('#form-body')?.value"), "the recorded body")
        self.assertEqual(json.loads(body)["data"][0]["name"], "Lobby")
        self.assertEqual(self.browser.js("return document.querySelector('#form-path').value"), "/v1/rooms")
        self.browser.fill("#form-body", '{"errcode": 0, "data": []')
        self.shoot("stub")
        self.browser.click("#effects-dialog .main")
        self.browser.wait(lambda: "JSON" in self.browser.text("#form-problem"), "a word about the JSON")
        self.shoot("stub-refused")
        self.browser.fill("#form-body", '{"errcode": 0, "data": ["stubbed"]}')
        self.browser.fill("#form-status", "203")
        self.browser.click("#effects-dialog .main")
        self.browser.wait_for_text("#badges", "GET /v1/rooms → 203")
        row = self.get("/v1/rooms")
        self.assertEqual(row["source"], "stub")
        self.assertTrue(row["status"].startswith("203"), row)
        self.browser.wait_for_text("#badges", "1 hit")
        self.shoot("effects")
        self.browser.click("#badges .badge button")
        self.browser.wait(lambda: not self.browser.one("#badges").is_displayed(), "no badge")
        self.assertTrue(self.get("/v1/rooms")["status"].startswith("200"))

    def test_slow(self):
        self.add("slow", tag="forum", delay="300")
        self.browser.wait_for_text("#badges", "forum, +300 ms")
        row = self.get("/v1/rooms")
        self.assertGreaterEqual(float(row["time"].split(" ")[0]), 300)
        self.assertIn("Slow", row["path"])

    def test_fail_offline_and_undo_all(self):
        self.add("fail", share="100", failStatus="503")
        self.browser.wait_for_text("#badges", "100 % → 503")
        self.assertTrue(self.get("/v1/anything")["status"].startswith("503"))
        self.add("offline", tag="wallet")
        self.browser.wait_for_text("#badges", "Offline")
        self.browser.click("#undo-all")
        self.browser.wait(lambda: not self.browser.one("#badges").is_displayed(), "no badge")
        self.add("offline")
        self.browser.wait_for_text("#badges", "all calls")
        self.assertIn(
            "failed", self.get("/v1/anything")["status"] + self.browser.js("return document.querySelector('.rows .row').dataset.state")
        )

    def test_run_again(self):
        self.basics()
        self.browser.select_path("/v1/profile", 0)
        self.browser.click("#again")
        self.browser.wait(lambda: len(self.browser.rows()) == 12, "another call")
        self.assertTrue(self.browser.paths()[0].startswith("/v1/profile"))
