"""One call: overview, request, response, timing, difference."""

from case import Case


class DetailsTests(Case):
    def test_overview_of_a_failure(self):
        self.basics()
        self.browser.select_path("/v1/rooms/99")
        self.browser.wait_for_text(".part.error", "No such room")
        panel = self.browser.text("#panel")
        self.assertIn("404", panel)
        self.assertIn("errcode", panel)
        self.assertIn("verdict", panel)
        self.shoot("overview-failure")

    def test_attempts_and_decisions(self):
        self.basics()
        self.browser.select_path("/v1/users")
        self.browser.wait_for_text("#panel .attempts", "503")
        self.assertIn("retry", self.browser.text("#panel"))
        self.browser.tab("response")
        self.browser.wait_for_text("#panel .json", "Ann")
        self.browser.click("#attempt-1")
        self.browser.wait_for_text("#panel .line .status", "503")

    def test_request_with_its_body(self):
        self.basics()
        self.browser.select_path("/v1/rooms", 0)
        self.browser.wait_for_text(".details h2", "POST")
        self.browser.tab("request")
        self.browser.wait_for_text("#panel .json", '"New"')
        self.assertIn("Content-Type", self.browser.text(".pairs"))
        self.shoot("request")

    def test_json_folds_and_is_searched(self):
        self.basics()
        self.browser.select_path("/v1/rooms", 2)
        self.browser.tab("response")
        self.browser.wait_for_text("#panel .json", '"Lobby"')
        self.browser.click(".json .fold")
        self.browser.wait(lambda: "Lobby" not in self.browser.text(".json"), "the fold")
        self.browser.fill("#body-search", "lobby")
        self.browser.wait_for_text(".matches", "1 of 1")
        self.browser.wait_for_text(".json mark.current", "Lobby")
        self.shoot("response-json")
        self.browser.fill("#body-search", "not there")
        self.browser.wait_for_text(".matches", "No match")
        self.browser.click_text("#panel .segments button", "Text")
        self.browser.wait_for_text("#panel pre", '"errcode":')

    def test_image(self):
        self.basics()
        self.browser.select_path("/v1/logo")
        self.browser.tab("response")
        self.browser.wait(
            lambda: self.browser.js(
                "return document.querySelector('#panel img')?.naturalWidth > 0 && document.querySelector('#panel img').src.startsWith('blob:')"
            ),
            "the image",
        )
        self.browser.wait_for_text("figcaption", "×")
        self.shoot("response-image")

    def test_redirects(self):
        self.basics()
        self.browser.select_path("/v1/moved")
        self.browser.wait_for_text(".redirects", "302")
        self.assertIn("/v1/rooms", self.browser.text(".redirects"))

    def test_timing_has_figures_for_hover_and_focus(self):
        self.basics()
        self.browser.select_path("/v1/users")
        self.browser.tab("timing")
        self.browser.wait_for_text(".chart", "Attempt 2")
        self.assertIn("First byte", self.browser.text(".figures"))
        self.browser.js("document.querySelector('.span').focus()")
        self.browser.wait(lambda: "ms" in self.browser.text(".tip"), "the words beside the segment")
        self.assertIn("ms", self.browser.js("return document.querySelector('.span').getAttribute('aria-label')"))
        self.shoot("timing")

    def test_difference_to_the_last_success(self):
        self.basics()
        self.browser.select_path("/v1/profile", 0)
        self.browser.tab("difference")
        self.browser.wait(
            lambda: '"level": 2'
            in self.browser.js("return [...document.querySelectorAll('.difference .added')].map((one) => one.textContent).join()"),
            "what was added",
        )
        self.assertIn(
            '"level": 1',
            self.browser.js("return [...document.querySelectorAll('.difference .removed')].map((one) => one.textContent).join()"),
        )
        self.shoot("difference")
        self.browser.select_path("/v1/profile", 1)
        self.browser.wait_for_text("#panel", "no earlier successful call")

    def test_copy_as_curl_swift_and_stub(self):
        self.basics()
        self.browser.select_path("/v1/rooms/99")
        for kind, start in (("curl", "curl"), ("swift", "API."), ("stub", "stubs.")):
            self.browser.click(f"#copy-{kind}")
            self.browser.wait(
                lambda: start
                in (
                    self.browser.driver.execute_async_script(
                        "navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](String(error)))"
                    )
                    or ""
                ),
                f"{kind} in the clipboard",
            )
        self.browser.wait_for_text("#note", "Copied")

    def test_details_follow_a_call_that_runs(self):
        self.app.command("download")
        self.browser.select_path("/v1/download")
        self.browser.wait_for_text("#panel", "running")
        self.app.command("finish")
        self.browser.wait_for_text("#panel", "succeeded")
