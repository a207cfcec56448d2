"""A mock app with an inspector. It uses the real protocol, so that the page can be developed and tested alone."""

import hashlib
import hmac
import json
import secrets
import threading
import time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import mock_calls

PAGE = Path(__file__).resolve().parents[2] / "Sources/CatenaInspector/Page"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


class Refusal(Exception):
    def __init__(self, status, words):
        super().__init__(words)
        self.status = status


def mac(words, secret):
    return hmac.new(secret.encode(), words.encode(), hashlib.sha256).digest()


class MockApp:
    limit = 10_000
    bodiless = 0

    def __init__(self, archive=None):
        self.key = secrets.token_hex(16)
        self.renewal = secrets.token_hex(16)
        self.archive = archive
        self.change = threading.Condition()
        self.server = None
        self.start(0)

    # The commands of the tests, which the program of the real app also takes.

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/#open={self.code}"

    def proofs(self, host, number):
        words = f"{host}\n{number}"
        own = secrets.token_hex(16)
        pad = mac(f"pad\n{words}\n{own}", self.renewal)
        code = {} if self.is_opened else {"code": mac(f"code\n{words}", self.code).hex()}
        return {
            "key": mac(f"key\n{words}", self.key).hex(),
            "renewal": mac(f"renewal\n{words}", self.renewal).hex(),
            "number": own,
            "sealed": bytes(one ^ other for one, other in zip(self.key.encode(), pad)).hex(),
            **code,
        }

    def open(self, code):
        if self.is_opened or code != self.code:
            raise Refusal(401, "The address has been opened before.")
        return {"key": self.key}

    def command(self, line):
        name, *words = line.split()
        getattr(self, "do_" + name)(*words)

    def do_basics(self):
        for summary, detail in mock_calls.basics():
            self.record(summary, detail)

    def do_hostile(self):
        for summary, detail in mock_calls.hostile():
            self.record(summary, detail)

    def do_calls(self, count):
        for number in range(1, int(count) + 1):
            self.record(*mock_calls.call("forum", "GET", f"/v1/item/{number}", body=mock_calls.json_body({"id": number})))
            if number % 50 == 0:
                time.sleep(0.004)

    def do_get(self, tag, path):
        self.send(tag, "GET", path)

    def do_download(self):
        summary, detail = mock_calls.call(
            "forum", "GET", "/v1/download", body={"size": 1_000_000, "type": "application/octet-stream", "hidden": "in a file"}, code=None
        )
        summary.update(state="running", status=200, received=0, expected=1_000_000, ms=0)
        detail["attempts"][0]["outcome"] = "running"
        self.running = self.record(summary, detail)
        for received in range(50_000, 600_001, 50_000):
            time.sleep(0.02)
            self.update(self.running, received=received)

    do_fetch = do_download

    def do_upload(self):
        summary, detail = mock_calls.call("forum", "POST", "/v1/upload")
        summary.update(state="running", status=None, received=None, sent=1_000_000, uploaded=400_000, ms=0)
        detail["attempts"][0].update(outcome="running", response=None)
        self.running = self.record(summary, detail)

    def do_uploaded(self):
        self.update(self.running, uploaded=None, received=2, status=200, state="succeeded", ms=400.0)

    def do_finish(self):
        self.details[self.running]["attempts"][0]["outcome"] = "succeeded"
        self.update(self.running, received=1_000_000, state="succeeded", ms=400.0)

    def do_restart(self, port):
        self.stop()
        self.key = secrets.token_hex(16)
        self.start(int(port))

    def do_rekey(self, port):
        self.stop()
        self.key = secrets.token_hex(16)
        self.renewal = secrets.token_hex(16)
        self.start(int(port))

    # Calls

    def record(self, summary, detail):
        with self.change:
            self.newest += 1
            identifier = self.newest
            summary = {"id": identifier, "started": time.time() * 1000, **summary}
            path = summary["path"].partition("?")[0]
            same = (
                [
                    one["id"]
                    for one in self.summaries.values()
                    if (one["tag"], one["method"], one["path"].partition("?")[0]) == (summary["tag"], summary["method"], path)
                    and one["state"] == "succeeded"
                ]
                if summary["path"].count("item") == 0
                else []
            )
            self.summaries[identifier] = summary
            self.details[identifier] = {**detail, "previous": same[-1] if same else None}
            if len(self.summaries) > self.limit:
                oldest = next(iter(self.summaries))
                del self.summaries[oldest], self.details[oldest]
            self.log.append(identifier)
            self.change.notify_all()
            return identifier

    def update(self, identifier, **changes):
        with self.change:
            self.summaries[identifier] = {**self.summaries[identifier], **changes}
            self.log.append(identifier)
            self.change.notify_all()

    def send(self, tag, method, path):
        """Makes a call and applies the effects."""
        touched, delay = [], 0
        for effect in self.effects:
            if effect.get("tag") not in (None, tag):
                continue
            kind = effect["kind"]
            if kind == "stub" and (effect.get("method") not in (None, method) or effect["path"] != path.partition("?")[0]):
                continue
            effect["hits"] += 1
            touched.append(kind)
            if kind == "slow":
                delay += effect["delay"]
            elif kind == "stub":
                body = mock_calls.text_body(effect["body"], dict(effect["headers"]).get("Content-Type"))
                failed = {"kind": "status", "code": str(effect["status"]), "message": "stubbed"} if effect["status"] >= 400 else {}
                made = mock_calls.call(
                    tag, method, path, effect["status"], body, source="stub", effects=touched, ms=effect["delay"] + 0.3, **failed
                )
                break
            else:
                status = effect.get("status") if kind == "fail" else None
                if kind == "fail" and secrets.randbelow(1000) >= effect["share"] * 1000:
                    touched.pop()
                    continue
                made = mock_calls.call(
                    tag,
                    method,
                    path,
                    status,
                    None,
                    kind="status" if status else "offline",
                    code=str(status or 50),
                    message="made to fail",
                    effects=touched,
                )
                break
        else:
            made = (
                mock_calls.rooms(effects=touched)
                if path.startswith("/v1/rooms")
                else mock_calls.call(tag, method, path, body=mock_calls.json_body({"path": path}), effects=touched)
            )
            made[0]["path"] = path
        made[0]["ms"] += delay
        self.record(*made)
        self.tell_effects()

    def tell_effects(self):
        with self.change:
            self.effects_version += 1
            self.change.notify_all()

    # The server

    def start(self, port):
        self.run = secrets.token_hex(8)
        self.code, self.is_opened = secrets.token_hex(16), False
        self.newest, self.summaries, self.details, self.log = 0, {}, {}, []
        self.effects, self.effects_version, self.next_effect, self.cleared = [], 0, 1, 0
        self.is_stopping = False
        self.cleared_before = 0
        app = self

        class Handler(Protocol):
            inspected = app

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self):
        with self.change:
            self.is_stopping = True
            self.change.notify_all()
        self.server.shutdown()
        self.server.server_close()

    def har(self, identifiers):
        entries = []
        for identifier, summary in self.summaries.items():
            if identifiers and identifier not in identifiers:
                continue
            for attempt in self.details[identifier]["attempts"]:
                entries.append(self.entry(summary, attempt))
        return {"log": {"version": "1.2", "creator": {"name": "Catena", "version": "0.10.0"}, "entries": entries}}

    @staticmethod
    def entry(summary, attempt):
        request, response = attempt["request"], attempt["response"] or {"status": 0, "headers": [], "body": None}
        times = {phase["name"]: phase["ms"] for phase in attempt["phases"]}
        body = response["body"]
        content = {"size": body["size"] if body else 0, "mimeType": (body or {}).get("type") or ""}
        if body and "text" in body:
            content["text"] = body["text"]
        elif body and "base64" in body:
            content.update(text=body["base64"], encoding="base64")
        pairs = lambda list_: [{"name": name, "value": value} for name, value in list_]
        sent = request["body"]
        comment = (
            [f"tag {summary['tag']}"]
            + ([f"attempt {attempt['number']}"] if attempt["number"] > 1 else [])
            + ([attempt["error"]] if attempt["error"] else [])
        )
        return {
            "startedDateTime": datetime.fromtimestamp(summary["started"] / 1000, timezone.utc)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z"),
            "time": attempt["end"] - attempt["start"],
            "comment": ", ".join(comment),
            "cache": {},
            "request": {
                "method": request["method"],
                "url": request["url"],
                "httpVersion": "HTTP/1.1",
                "cookies": [],
                "headers": pairs(request["headers"]),
                "queryString": pairs(request["params"]),
                "headersSize": -1,
                "bodySize": sent["size"] if sent else 0,
                **({"postData": {"mimeType": sent["type"], "params": [], "text": sent["text"]}} if sent else {}),
            },
            "response": {
                "status": response["status"],
                "statusText": "",
                "httpVersion": "HTTP/1.1",
                "cookies": [],
                "headers": pairs(response["headers"]),
                "content": content,
                "redirectURL": "",
                "headersSize": -1,
                "bodySize": -1,
            },
            "timings": {
                "blocked": times.get("queue", -1),
                "dns": times.get("dns", -1),
                "connect": times.get("connect", 0) + times.get("tls", 0) or -1,
                "ssl": times.get("tls", -1),
                "send": 0,
                "wait": times.get("firstByte", 0),
                "receive": times.get("transfer", 0),
            },
        }


class Server(ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, *_):
        # A connection that the browser closes is no error.
        pass


class Protocol(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    inspected: MockApp

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer("GET")

    def do_POST(self):
        self.answer("POST")

    def do_DELETE(self):
        self.answer("DELETE")

    def answer(self, method):
        address = urlsplit(self.path)
        try:
            if self.headers["Host"] != f"127.0.0.1:{self.inspected.port}":
                raise Refusal(403, "This address is not that of the inspector.")
            if not address.path.startswith("/api/"):
                return self.page(address.path)
            if address.path == "/api/proof":
                return self.json(200, self.inspected.proofs(self.headers["Host"], self.headers["X-Inspector-Number"]))
            if address.path == "/api/open":
                return self.json(200, self.inspected.open(self.headers["X-Inspector-Code"]))
            if self.headers["X-Inspector-Key"] != self.inspected.key:
                raise Refusal(401, "The key is not the one of this app.")
            self.inspected.is_opened = True
            if address.path == "/api/events":
                return self.events()
            length = int(self.headers["Content-Length"] or 0)
            content = json.loads(self.rfile.read(length)) if length else {}
            query = {name: values[0] for name, values in parse_qs(address.query).items()}
            self.json(200, self.api(method, address.path[5:].split("/"), query, content))
        except Refusal as refusal:
            self.json(refusal.status, {"error": str(refusal)})

    def begin(self, status, kind, length=None):
        self.send_response(status)
        self.send_header("Content-Type", kind + "; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        if length is None:
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def json(self, status, content):
        data = json.dumps(content, ensure_ascii=False).encode()
        self.begin(status, "application/json", len(data))
        self.wfile.write(data)

    def page(self, path):
        file = PAGE / (path[1:] or "index.html")
        if file.parent != PAGE or not file.is_file():
            raise Refusal(404, "There is no such page.")
        data = file.read_bytes()
        self.begin(200, TYPES[file.suffix], len(data))
        self.wfile.write(data)

    def events(self):
        app = self.inspected
        run = app.run
        self.begin(200, "text/event-stream")

        def send(name, data):
            self.wfile.write(f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode())
            self.wfile.flush()

        def calls(identifiers):
            # Like the real inspector, sends only the newest calls, in the order in which they began.
            return {
                "calls": [app.summaries[one] for one in sorted(identifiers)[-200:] if one in app.summaries],
                "total": app.newest,
                "kept": len(app.summaries),
                "oldest": next(iter(app.summaries), app.newest + 1),
                "bodiless": app.bodiless,
                "dropped": app.newest - app.cleared_before - len(app.summaries),
            }

        try:
            with app.change:
                position, version, cleared = len(app.log), -1, app.cleared
                first = calls(list(app.summaries)[-200:])
            send("calls", first)
            while not app.is_stopping and app.run == run:
                with app.change:
                    if len(app.log) == position and version == app.effects_version and cleared == app.cleared:
                        app.change.wait(0.5)
                    messages = []
                    if cleared != app.cleared:
                        cleared = app.cleared
                        messages.append(("cleared", {}))
                    if len(app.log) > position:
                        messages.append(("calls", calls(dict.fromkeys(app.log[position:]))))
                        position = len(app.log)
                    if version != app.effects_version:
                        version = app.effects_version
                        messages.append(("effects", {"effects": app.effects}))
                for name, data in messages:
                    send(name, data)
                time.sleep(0.1)
        except OSError:
            pass

    def api(self, method, path, query, content):
        app = self.inspected
        match (method, path):
            case ("GET", ["hello"]):
                return {
                    "app": "calls.har" if app.archive else "MockApp",
                    "version": "0.10.0",
                    "showsSecrets": False,
                    "limit": app.limit,
                    "now": time.time() * 1000,
                    "tags": ["forum", "wallet"],
                    "har": app.archive is not None,
                    "renewal": app.renewal,
                    "run": app.run,
                }
            case ("GET", ["archive"]) if app.archive:
                return app.archive
            case ("GET", ["calls"]):
                before = int(query.get("before", app.newest + 1))
                older = [one for identifier, one in app.summaries.items() if identifier < before]
                limit = min(int(query.get("limit", 200)), 200)
                return {"calls": older[: -limit - 1 : -1], "more": len(older) > limit}
            case ("GET", ["calls", identifier]):
                if int(identifier) not in app.details:
                    raise Refusal(404, "The app no longer has this call.")
                return {"summary": app.summaries[int(identifier)], **app.details[int(identifier)]}
            case ("POST", ["calls", identifier, "again"]):
                again = app.summaries[int(identifier)]
                app.send(again["tag"], again["method"], again["path"])
                return {}
            case ("POST", ["clear"]):
                with app.change:
                    app.cleared_before = app.newest
                    app.summaries.clear()
                    app.details.clear()
                    app.cleared += 1
                    app.change.notify_all()
                return {}
            case ("POST", ["effects"]):
                return self.add(content)
            case ("DELETE", ["effects", *rest]):
                app.effects = [one for one in app.effects if rest and one["id"] != int(rest[0])]
                app.tell_effects()
                return {}
            case ("GET", ["har"]):
                return app.har({int(one) for one in query["ids"].split(",")} if "ids" in query else None)
        raise Refusal(404, "There is nothing here.")

    def add(self, effect):
        app = self.inspected
        if effect.get("tag") not in (None, "forum", "wallet"):
            raise Refusal(400, f"There is no tag {effect['tag']}.")
        if effect["kind"] == "stub" and "json" in dict(effect["headers"]).get("Content-Type", ""):
            try:
                json.loads(effect["body"])
            except ValueError as error:
                raise Refusal(400, f"The body is not JSON: {error}") from None
        if effect["kind"] == "fail" and not 0 <= effect["share"] <= 1:
            raise Refusal(400, "The share is between 0 and 1.")
        effect = {**effect, "id": app.next_effect, "hits": 0}
        app.next_effect += 1
        app.effects = [*app.effects, effect]
        app.tell_effects()
        return effect


if __name__ == "__main__":
    # For viewing the page by hand: prints its address and takes the commands of the tests.
    mock = MockApp()
    print(mock.address, flush=True)
    while True:
        try:
            line = input()
            mock.command(line)
            if line.startswith("re"):
                print(mock.address)
            print("ok", flush=True)
        except EOFError:
            break
