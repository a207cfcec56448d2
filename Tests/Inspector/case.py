"""The common parts of the tests: one browser for all tests, and an app for each."""

import os
import unittest

from browser import Browser
from mock_app import MockApp
from real_app import RealApp


class Case(unittest.TestCase):
    language = "en"
    browsers = {}
    #: Errors that the console may have, besides those of failed requests.
    complaints = ()

    @property
    def program(self):
        return os.environ.get("INSPECTOR_PROGRAM")

    def setUp(self):
        if self.language not in Case.browsers:
            Case.browsers[self.language] = Browser(self.language)
        self.browser = Case.browsers[self.language]
        self.app = RealApp(self.program) if self.program else MockApp()
        self.addCleanup(self.app.stop)
        self.browser.size(1440, 900)
        self.browser.dark(False)
        self.browser.media("prefers-reduced-motion", "no-preference")
        self.browser.open(self.app.address)
        self.browser.js("localStorage.clear()")
        self.browser.errors()
        self.browser.open(self.app.address)
        self.browser.wait_for_text("#connection", {"en": "Live", "zh-CN": "实时"}[self.language])

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [], "the console complains")
        self.assertNotEqual(self.browser.driver.title, "hacked")

    def basics(self):
        self.app.command("basics")
        self.browser.wait_for_text("#count", "11")
        self.browser.wait(lambda: len(self.browser.rows()) == 11, "11 rows")

    def shoot(self, name):
        self.browser.screenshot(os.environ.get("INSPECTOR_SCREENSHOTS"), name)


def close_browsers():
    for browser in Case.browsers.values():
        browser.close()
    Case.browsers.clear()
