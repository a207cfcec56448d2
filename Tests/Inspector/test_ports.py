"""Several inspectors on one machine."""

from urllib.parse import urlsplit

from case import Case
from real_app import RealApp


class PortTests(Case):
    def test_a_second_inspector_takes_the_next_free_port_and_says_so(self):
        if not self.program:
            self.skipTest("the stand-in takes any port")
        self.app.command("get forum /v1/first")
        self.browser.wait(lambda: self.browser.paths() == ["/v1/first"], "the call of the first app")
        second = RealApp(self.program)
        self.addCleanup(second.stop)
        self.assertGreater(second.port, self.app.port)
        self.assertIn("(port 8642 is taken)", second.announced)
        second.command("get forum /v1/second")
        self.browser.open(second.address)
        self.browser.wait_for_text("#connection", "Live")
        self.browser.wait(lambda: self.browser.paths() == ["/v1/second"], "the call of the second app alone")
        # Each inspector has its own key.
        self.browser.js("sessionStorage.clear()")
        self.browser.open(self.app.address.replace(str(self.app.port), str(second.port)))
        self.browser.wait(lambda: "Live" not in self.browser.text("#connection") and self.browser.text("#connection"), "a refusal")
        self.assertEqual(urlsplit(self.browser.driver.current_url).port, second.port)
        self.assertEqual(self.browser.rows(), [])
