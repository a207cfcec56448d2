"""Copies from a foreign file. Whatever the file contains, a shell and a compiler see one call and nothing else."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from case import Case

VALUES = json.loads((Path(__file__).parent.parent / "HostileValues.json").read_text())
for each in VALUES:
    if each["value"] == "LONG":
        each["value"] = "long\u0007" * 50_000
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def entry(field, value):
    """Returns an entry with a value in one of its fields."""
    request = {"method": "POST", "url": "https://example.com/a", "headers": [{"name": "X-A", "value": "1"}]}
    content = {"mimeType": "text/plain", "text": "b"}
    postData = {"mimeType": "text/plain", "text": "b"}
    if field == "method":
        request["method"] = value
    elif field == "url":
        request["url"] = value
    elif field == "path":
        request["url"] += f"/{value}?{value}"
    elif field == "header name":
        request["headers"].append({"name": value, "value": ""})
    elif field == "header value":
        request["headers"].append({"name": "X-B", "value": value})
    elif field == "body":
        postData["text"] = content["text"] = value
    elif field == "type":
        postData["mimeType"] = content["mimeType"] = value
    request["postData"] = postData
    status = value if field == "status" else 200
    return {"request": request, "response": {"status": status, "content": content}, "comment": value if field == "comment" else None}


FIELDS = ["method", "url", "path", "header name", "header value", "body", "type", "status", "comment"]


class CopyTests(Case):
    complaints = ()

    def copies(self, entries):
        """Returns the texts that the buttons copy for each entry."""
        script = """
            const done = arguments[arguments.length - 1];
            import("/archive.js").then(async ({ readArchive }) => {
                const archive = readArchive(JSON.stringify({ log: { entries: arguments[0] } }), "a.har");
                done(await Promise.all(archive.summaries.map(async ({ id }) => {
                    const { curl, swift, stub } = await archive.detail(id);
                    return { curl, swift, stub };
                })));
            }).catch((error) => done(String(error)));
        """
        found = self.browser.driver.execute_async_script(script, entries)
        self.assertIsInstance(found, list, found)
        return found

    def run_in_shell(self, command):
        """Returns the arguments that curl receives when the text is pasted, and the files that exist afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            tools = Path(folder, "tools")
            tools.mkdir()
            place = Path(folder, "place")
            place.mkdir()
            curl = tools / "curl"
            curl.write_text('#!/bin/sh\nfor word; do printf "%s\\0" "$word"; done >>"$CALLS"\nprintf "\\n\\0" >>"$CALLS"\ncat >>"$INPUT"\n')
            curl.chmod(0o755)
            calls, given = Path(folder, "calls"), Path(folder, "input")
            environment = {"PATH": f"{tools}:/usr/bin:/bin", "CALLS": str(calls), "INPUT": str(given)}
            script = Path(folder, "script")
            script.write_text(command)
            subprocess.run(["sh", script], cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
            words = calls.read_bytes().decode().split("\0")[:-1] if calls.exists() else []
            return words, list(place.iterdir()), given.read_bytes() if given.exists() else b""

    def test_nothing_in_a_file_is_run(self):
        cases = [(field, value) for field in FIELDS for value in VALUES]
        plain = self.copies([entry("method", "POST")])[0]
        rest = {
            "swift": [LITERAL.sub("…", plain["swift"]).replace("\n    .header(…, …)", "")],
            # Without a status there was no response.
            "stub": ["stubs.post(…).reply(body: Data(….utf8), contentType: …)", "stubs.post(…).reply()"],
        }
        for (field, value), copied in zip(cases, self.copies([entry(field, value["value"]) for field, value in cases])):
            with self.subTest(field=field, value=value["name"]):
                for text in copied.values():
                    # Text that is pasted into a terminal must not control it.
                    self.assertNotRegex(text or "", "[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]")
                if copied["curl"]:
                    words, files, given = self.run_in_shell(copied["curl"])
                    self.assertEqual(files, [])
                    self.assertEqual(words.count("\n"), 1, copied["curl"])
                    # Other options would come from the file.
                    options = words[:-1]
                    while options:
                        option = options.pop(0)
                        self.assertIn(option, ["--globoff", "--request", "--url", "--header", "--data-raw", "--data-binary"])
                        if option != "--globoff":
                            argument = options.pop(0)
                            if option == "--header":
                                self.assertFalse(argument.startswith("@"), argument)
                            if option == "--url":
                                self.assertRegex(argument, "^https?://")
                    if field == "body":
                        self.assertTrue(value["value"] in words or value["value"].encode() == given, copied["curl"])
                for kind in ("swift", "stub"):
                    if copied[kind]:
                        shown = LITERAL.sub("…", copied[kind])
                        shown = shown.replace(".path(…)\n    .method(…)", ".post(…)").replace("\n    .header(…, …)", "")
                        self.assertIn(re.sub(r", status: 200|status: 200", "", shown), rest[kind])

    def test_what_is_no_text_is_left_out(self):
        strange = {"toString": 1, "valueOf": 2, "length": 3}
        entries = [entry(field, strange) for field in FIELDS if field not in ("url", "path")]
        entries += [
            {"request": {"url": "https://example.com/b", "method": strange, "headers": [strange, {"name": strange, "value": strange}], "bodySize": strange,
                         "postData": {"mimeType": strange, "text": strange, "encoding": strange, "comment": strange}, "queryString": [{"name": strange}]},
             "response": {"status": strange, "headers": strange, "redirectURL": strange, "content": {"size": strange, "text": strange}},
             "time": strange, "timings": {"wait": strange, "connect": strange}, "startedDateTime": strange, "comment": strange},
        ]
        self.assertEqual(len(self.copies(entries)), len(entries))
        self.browser.drop(json.dumps({"log": {"entries": entries}}), "strange.har")
        self.browser.wait_for_text("#count", f"{len(entries)} calls")
        for index in range(len(entries)):
            self.browser.wait(lambda: len(self.browser.rows()) > index, "the row")
            self.browser.js("document.querySelectorAll('.rows .row')[arguments[0]].click()", index)
            for tab in ("overview", "request", "response", "timing"):
                self.browser.tab(tab)
