"""The list: columns, filter, pause, clear, progress, and thousands of calls."""

import os

from browser import Keys
from case import Case


class ListTests(Case):
    def test_calls_appear_newest_first_with_all_their_facts(self):
        self.shoot("list-empty")
        self.basics()
        self.browser.wait(lambda: "running" not in [row["status"] for row in self.browser.rows()], "the end of all")
        rows = {}
        for row in reversed(self.browser.rows()):
            rows.setdefault((row["method"], row["path"].split(" ")[0].split("?")[0], row["source"]), row)
        row = rows["GET", "/v1/rooms", "network"]
        self.assertEqual((row["status"], row["tag"], row["code"], row["attempts"]), ("200 succeeded", "forum", "0", "1"))
        self.assertIn("B", row["size"])
        self.assertIn("ms", row["time"])
        self.assertIn(("GET", "/v1/rooms", "cache"), rows)
        self.assertEqual(rows["POST", "/v1/rooms", "network"]["status"], "201 succeeded")
        self.assertEqual(rows["GET", "/v1/rooms/99", "network"]["status"], "404 failed")
        self.assertEqual(rows["GET", "/v1/balance", "network"]["code"], "10086")
        self.assertEqual(rows["GET", "/v1/users", "network"]["attempts"], "2×")
        self.assertIn("timed out", next(row for key, row in rows.items() if key[1] == "/v1/slow")["status"])
        self.assertEqual(self.browser.paths()[0].split("?")[0], "/v1/slow")
        self.shoot("list")

    def test_filter_by_text_tag_status_and_failures(self):
        self.basics()

        def shows(*paths):
            self.browser.wait(
                lambda: sorted({path.split("?")[0] for path in self.browser.paths()}) == sorted(paths),
                f"{paths} alone, not {self.browser.paths()}",
            )

        self.browser.fill("#filter-text", "rooms post")
        shows("/v1/rooms")
        self.browser.wait_for_text("#count", "1 of 11 calls")
        self.browser.press(Keys.ESCAPE)
        self.browser.choose("#filter-tag", "wallet")
        shows("/v1/balance", "/v1/slow")
        self.browser.choose("#filter-tag", "")
        self.browser.choose("#filter-status", "4")
        shows("/v1/rooms/99")
        self.browser.choose("#filter-status", "none")
        shows("/v1/slow")
        self.browser.choose("#filter-status", "")
        self.browser.click("#filter-failures")
        shows("/v1/rooms/99", "/v1/balance", "/v1/slow")
        self.browser.fill("#filter-text", "nothing has this")
        self.browser.wait_for_text("#empty", "No call passes the filter")

    def test_pause_holds_the_list_and_resume_shows_what_came(self):
        self.basics()
        self.browser.click("#pause")
        self.browser.wait_for_text("#connection", "Paused")
        self.app.command("get forum /v1/later")
        self.browser.wait_for_text("#connection", "1 waiting")
        self.assertNotIn("/v1/later", self.browser.paths())
        self.browser.click("#pause")
        self.browser.wait(lambda: "/v1/later" in self.browser.paths(), "the call that waited")

    def test_clear_empties_the_list(self):
        self.basics()
        self.browser.click("#clear")
        self.browser.wait_for_text("#empty", "No calls yet")
        self.app.command("get forum /v1/after")
        self.browser.wait(lambda: self.browser.paths() == ["/v1/after"], "the call after it")

    def test_progress_is_shown_while_a_call_runs(self):
        self.show_progress("download")

    def test_progress_is_shown_of_a_call_that_nobody_follows(self):
        self.show_progress("fetch")

    def show_progress(self, command):
        self.app.command(command)
        self.browser.wait(lambda: any(" / 1.0 MB" in row["size"] for row in self.browser.rows()), "progress")
        self.shoot("progress")
        self.app.command("finish")
        self.browser.wait(lambda: self.browser.rows()[0]["size"] == "1.0 MB" and "succeeded" in self.browser.rows()[0]["status"], "the end")

    def test_progress_of_an_upload_is_shown(self):
        self.app.command("upload")
        self.browser.wait(lambda: any("↑ " in row["size"] and " / 1.0 MB" in row["size"] for row in self.browser.rows()), "progress")
        self.shoot("upload")
        self.app.command("uploaded")
        self.browser.wait(lambda: "succeeded" in self.browser.rows()[0]["status"] and "↑" not in self.browser.rows()[0]["size"], "the end")


class ManyCallsTests(Case):
    def test_five_thousand_calls(self):
        # Other work of the machine may lengthen tasks once, but a slow page is slow each time.
        for _ in range(3):
            long = self.show_five_thousand_calls()
            if len(long) <= 1:
                break
            self.app.command(f"restart {self.app.port}")
            self.browser.open(self.app.address)
            self.browser.wait_for_text("#connection", "Live")
        self.assertLessEqual(len(long), 1, f"tasks over 100 ms: {long}")
        self.shoot("thousands")

    def show_five_thousand_calls(self):
        """Returns the durations of the page's tasks that took more than 100 ms."""
        self.browser.js(
            """
            window.tasks = [];
            new PerformanceObserver((list) => list.getEntries().forEach((entry) => tasks.push(entry.duration))).observe({type: 'longtask'});
            window.mostRows = 0;
            new MutationObserver(() => mostRows = Math.max(mostRows, document.querySelectorAll('[role=row]').length)).observe(document.querySelector('.rows'), {childList: true});"""
        )
        self.app.command("calls 5000")
        self.browser.wait_for_text("#count", "5,000 calls")
        grid = self.browser.one("#grid")
        for share in (0.2, 0.5, 0.9, 1, 0):
            self.browser.js("arguments[0].scrollTop = arguments[0].scrollHeight * arguments[1]", grid, share)
            self.browser.wait(
                lambda: self.browser.js(
                    """
                const grid = arguments[0].getBoundingClientRect();
                const seen = document.elementFromPoint(grid.left + 300, grid.top + grid.height / 2);
                return seen.closest('.row') !== null""",
                    grid,
                ),
                "rows in the middle",
            )
        self.browser.fill("#filter-text", "item/49")
        self.browser.wait_for_text("#count", "111 of 5,000 calls")
        self.browser.fill("#filter-text", "")
        self.browser.press(Keys.ARROW_DOWN)
        self.browser.press(Keys.END)
        self.browser.wait(
            lambda: self.browser.js("return document.querySelector('.row.active')?.getAttribute('aria-rowindex')") == "5001", "the oldest"
        )
        most = self.browser.js("return mostRows")
        self.assertGreater(most, 20)
        self.assertLessEqual(most, 200)
        # The limit grows with the machine's load. With eight busy processes on two processors, tasks take four times as long.
        busy = max(1, os.getloadavg()[0] / (os.cpu_count() or 1))
        return [task for task in self.browser.js("return tasks") if task > 100 * busy]

    def test_a_page_that_opens_late_has_all_calls(self):
        self.app.command("calls 3000")
        self.browser.open(self.app.address)
        self.browser.wait_for_text("#count", "3,000 calls")

    def test_rows_stay_where_they_are_read(self):
        self.app.command("calls 300")
        self.browser.wait_for_text("#count", "300 calls")
        self.browser.wait(
            lambda: self.browser.js("const grid = document.querySelector('#grid'); grid.scrollTop = 2800; return grid.scrollTop") == 2800,
            "300 rows",
        )
        row = "const grid = document.querySelector('#grid').getBoundingClientRect(), row = document.elementFromPoint(grid.left + 300, grid.top + 60).closest('.row');"
        self.browser.wait(lambda: self.browser.js(row + "return 100 < Number(row?.getAttribute('aria-rowindex'))"), "rows")
        top = row + "return row?.querySelector('.where').textContent"
        before = self.browser.js(top)
        self.app.command("get forum /v1/new")
        self.browser.wait_for_text("#count", "301 calls")
        self.browser.wait(lambda: self.browser.js("return document.querySelector('#grid').scrollTop") != 2800, "the anchor")
        self.assertEqual(self.browser.js(top), before)

    def test_the_oldest_go_and_are_counted(self):
        if self.program:
            self.skipTest("a real app keeps more")
        self.app.limit = 1000
        self.app.bodiless = 3
        self.browser.open(self.app.address)
        self.browser.wait_for_text("#connection", "Live")
        self.app.command("calls 1200")
        self.browser.wait_for_text("#count", "1,000 calls · 200 older ones gone · bodies of 3 calls gone")
