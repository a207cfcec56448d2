"""Refused keys, restarted apps, and malicious responses."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from case import Case


class Impostor:
    """A server that listens on the port of an app that is not running, and answers everything."""

    def __init__(self, port):
        self.received = received = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                received.append(self.requestline + str(self.headers))
                data = json.dumps({"key": "0" * 64, "renewal": "0" * 64, "number": "0", "sealed": "0" * 64}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_GET

            def log_message(self, *words):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class KeyTests(Case):
    def test_a_refused_key_is_said_and_can_be_mended(self):
        self.basics()
        self.browser.js("sessionStorage.setItem('key', 'another-key')")
        self.browser.driver.refresh()
        self.browser.wait_for_text("#banner", "The app refused the key of this page")
        self.assertEqual(self.browser.rows(), [])
        self.shoot("key-refused")
        self.browser.fill("#banner-key", self.app.key)
        self.browser.click("#banner button")
        self.browser.wait_for_text("#count", "11 calls")

    def test_the_key_does_not_stay_in_the_address(self):
        self.assertNotIn("open=", self.browser.driver.current_url)
        self.assertNotIn(self.app.key, self.app.address)
        self.browser.driver.refresh()
        self.browser.wait_for_text("#connection", "Live")

    def test_without_a_key(self):
        self.browser.js("sessionStorage.clear()")
        self.browser.open(self.app.address.partition("#")[0])
        self.browser.wait_for_text("#banner", "needs the key")

    def test_an_address_opens_one_page(self):
        self.browser.js("sessionStorage.clear()")
        self.browser.open(self.app.address)
        self.browser.wait_for_text("#banner", "needs the key")

    def test_another_server_on_the_port_gets_no_key(self):
        if self.program:
            self.skipTest("the stand-in can be replaced by another server")
        port = self.app.port
        self.app.stop()
        other = Impostor(port)
        self.addCleanup(other.stop)
        self.browser.wait_for_text("#banner", "has not proved that it knows the key")
        self.assertGreater(len(other.received), 0)
        self.assertEqual([head for head in other.received if self.app.key in head or "X-Inspector-Key" in head], [])


class RestartTests(Case):
    def test_the_page_reconnects_when_the_app_restarts(self):
        self.basics()
        self.app.command(f"restart {self.app.port}")
        self.browser.wait_for_text("#count", "0 calls")
        self.browser.wait_for_text("#connection", "Live")
        self.app.command("get forum /v1/reborn")
        self.browser.wait(lambda: self.browser.paths() == ["/v1/reborn"], "the new call alone")

    def test_another_key_after_a_restart_is_said(self):
        self.basics()
        self.app.command(f"rekey {self.app.port}")
        self.browser.wait_for_text("#banner", "The app refused the key of this page")

    def test_an_app_that_is_gone_is_said(self):
        self.app.stop()
        self.browser.wait_for_text("#banner", "The app does not respond")
        self.browser.wait_for_text("#connection", "Not connected")


class HostileTests(Case):
    def setUp(self):
        super().setUp()
        self.app.command("hostile")
        self.browser.wait_for_text("#count", "4 calls")

    def response(self, path):
        self.browser.select_path(path)
        self.browser.tab("response")
        self.browser.wait_for_text("#panel .line .address", path)

    def test_markup_is_text(self):
        self.response("/v1/script")
        self.browser.wait_for_text("#panel pre", "<script>document.title")
        for tab in ("overview", "request", "timing", "difference"):
            self.browser.tab(tab)
        self.assertEqual(self.browser.all("#panel script, #panel img"), [])
        self.assertNotIn("hacked", self.browser.driver.title)

    def test_svg_is_text(self):
        self.response("/v1/vector")
        self.browser.wait_for_text("#panel pre", "<svg xmlns")
        self.assertEqual(self.browser.all("#panel .body svg, #panel .body img"), [])

    def test_ten_megabytes_are_cut(self):
        self.response("/v1/large")
        self.browser.wait_for_text("#panel .body-facts", "10 MB")
        self.browser.wait_for_text("#panel .body", '"Item 0"')
        size = "return document.querySelector('#panel .body').innerText.length"
        first = self.browser.js(size)
        self.assertLess(first, 200_000)
        if self.browser.all("#panel pre ~ .more"):
            self.browser.click("#panel pre ~ .more")
            self.browser.wait(lambda: self.browser.js(size) > first + 30_000, "more of it")
        self.shoot("hostile-large")

    def test_broken_text_is_shown(self):
        self.response("/v1/broken")
        self.browser.wait_for_text("#panel .body", "b")
        self.assertIn("\ufffd", self.browser.text("#panel .body"))
