"""The calls of the scenarios, in the format of a real app's inspector."""

import base64
import json
import struct
import zlib

HOST = "https://forum.example.com"
WALLET = "https://wallet.example.com"
JSON_TYPE = "application/json; charset=utf-8"
ROOMS = {
    "errcode": 0,
    "errmsg": "",
    "data": [{"id": 1, "name": "Lobby", "open": True}, {"id": 2, "name": "Café 咖啡", "open": False, "topic": None}],
}


def text_body(text, kind=JSON_TYPE, **more):
    return {"size": len(text.encode()), "type": kind, "text": text, **more}


def json_body(value):
    return text_body(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def picture(width=64, height=48):
    """Returns a PNG of several colours."""
    rows = b"".join(b"\0" + bytes(part for x in range(width) for part in (x * 4 % 256, y * 5 % 256, 160)) for y in range(height))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def call(
    tag,
    method,
    path,
    status=200,
    body=None,
    *,
    sent=None,
    source="network",
    host=None,
    kind=None,
    code="0",
    message="",
    ms=None,
    attempts=None,
    redirects=(),
    envelope=(),
    decisions=(),
    effects=(),
    headers=(),
    delay=0.0,
):
    """Returns the arguments of `MockApp.record`: a summary and a detail without ids and times."""
    host = host or (WALLET if tag == "wallet" else HOST)
    failed = kind is not None
    phases = [("queue", 0.2), ("dns", 1.4), ("connect", 3.1), ("tls", 6.4), ("firstByte", 18.2), ("transfer", 1.1)]
    if source in ("cache", "stub"):
        phases = []
    response = None
    if status is not None:
        kind_of_body = body["type"] if body else None
        response = {
            "status": status,
            "headers": [["Content-Type", kind_of_body]] * (kind_of_body is not None) + [list(one) for one in headers],
            "body": body,
        }
    url = host + path
    params = [pair.split("=", 1) for pair in path.partition("?")[2].split("&") if pair]
    request_headers = [["Accept", "application/json"], ["Authorization", "Bearer •••"], ["User-Agent", "Catena/0.10.0"]]
    if sent:
        request_headers.append(["Content-Type", "application/json"])
    request = {"method": method, "url": url, "headers": request_headers, "params": params, "body": sent}
    if attempts is None:
        outcome = "failed" if failed else "succeeded"
        attempts = [] if source == "cache" else [(outcome, phases, response, message if failed else None)]
    made, at = [], 1.0 + delay
    for number, (outcome, its_phases, its_response, its_error) in enumerate(attempts, 1):
        length = sum(ms for _, ms in its_phases)
        made.append(
            {
                "number": number,
                "start": at,
                "end": at + length,
                "outcome": outcome,
                "error": its_error,
                "phases": [{"name": name, "ms": ms} for name, ms in its_phases],
                "request": request,
                "response": its_response,
                "redirects": (
                    [{"status": one, "from": start, "to": end} for one, start, end in redirects] if number == len(attempts) else []
                ),
            }
        )
        at += length + (200 if number < len(attempts) else 0)
    total = ms if ms is not None else at + 0.8
    lanes = [
        {"name": "cache", "start": 0.0, "end": 0.1},
        {"name": "limits", "start": 0.1, "end": 0.3},
        {"name": "signing", "start": 0.4, "end": 0.9},
    ]
    if len(made) > 1:
        lanes.append({"name": "wait", "start": made[0]["end"], "end": made[1]["start"]})
    if made and not failed:
        lanes.append({"name": "decoding", "start": at, "end": at + 0.7})
    error = None
    if failed:
        error = {
            "kind": kind,
            "code": code,
            "message": message,
            "description": f"{method} {url}: {kind}, code {code}, {message}",
            "underlying": None,
        }
    path_only = path.partition("?")[0]
    verb = method.lower()
    summary = {
        "tag": tag,
        "method": method,
        "host": host,
        "path": path,
        "state": "failed" if failed else "succeeded",
        "status": status,
        "code": code,
        "kind": kind,
        "message": message,
        "ms": total,
        "sent": sent["size"] if sent else None,
        "received": body["size"] if body else None,
        "expected": body["size"] if body else None,
        "attempts": len(made),
        "source": source,
        "effects": list(effects),
    }
    detail = {
        "redacted": True,
        "attempts": made,
        "lanes": lanes,
        "envelope": list(envelope),
        "decisions": list(decisions),
        "error": error,
        "curl": f"curl -X {method} '{url}'",
        "swift": f'API.tag(.{tag}).{verb}("{path_only}").execute()',
        "stub": f'stubs.{verb}("{path_only}").reply(status: {status or 200})',
    }
    return summary, detail


def rooms(source="network", **more):
    lines = [
        "response: status 200, application/json; charset=utf-8, 125 bytes",
        'code: "errcode" is 0, which says success',
        'message: "errmsg" is ""',
        'payload: "data", an array of 2 elements',
        "verdict: success, status 200 and code 0",
        "decoded: bytes 33..<124 of the body",
    ]
    decisions = (
        ["cache: fresh for another 58 s, nothing was sent"]
        if source == "cache"
        else ["cache: stored for 60 s, since Cache-Control: max-age=60"]
    )
    body = json_body(ROOMS)
    made = call(
        "forum",
        "GET",
        "/v1/rooms?page=1&size=20",
        body=body,
        source=source,
        envelope=lines,
        decisions=decisions,
        headers=[("Cache-Control", "max-age=60"), ("Set-Cookie", "session=•••")],
        **more,
    )
    if source == "cache":
        made[1]["attempts"] = []
    return made


def basics():
    unavailable = {"status": 503, "headers": [["Retry-After", "0"]], "body": text_body("busy", "text/plain")}
    users = {"status": 200, "headers": [["Content-Type", JSON_TYPE]], "body": json_body({"errcode": 0, "data": [{"id": 7, "name": "Ann"}]})}
    phases = [("queue", 0.1), ("dns", 0.9), ("connect", 2.2), ("tls", 4.4), ("firstByte", 31.0), ("transfer", 0.6)]
    again = [("queue", 0.1), ("firstByte", 22.0), ("transfer", 0.9)]
    yield rooms()
    yield rooms(source="cache", ms=0.4)
    yield call(
        "forum", "POST", "/v1/rooms", 201, json_body({"errcode": 0, "data": {"id": 3}}), sent=json_body({"name": "New", "private": False})
    )
    yield call(
        "forum",
        "GET",
        "/v1/rooms/99",
        404,
        json_body({"errcode": 404, "errmsg": "No such room"}),
        kind="status",
        code="404",
        message="No such room",
        envelope=[
            'code: "errcode" is 404, which says failure',
            'message: "errmsg" is "No such room"',
            'verdict: failure, status "404": No such room',
        ],
    )
    yield call(
        "wallet",
        "GET",
        "/v1/balance",
        200,
        json_body({"result": {"code": 10086, "text": "Locked"}}),
        kind="business",
        code="10086",
        message="Locked",
        envelope=['code: "result.code" is 10086, which says failure', 'message: "result.text" is "Locked"'],
    )
    yield call(
        "forum",
        "GET",
        "/v1/users",
        200,
        users["body"],
        attempts=[("failed", phases, unavailable, "status 503"), ("succeeded", again, users, None)],
        decisions=["retry: after 200 ms, since status 503", "retry: attempt 2 of 3"],
    )
    yield call("forum", "GET", "/v1/moved", 200, json_body(ROOMS), redirects=[(302, HOST + "/v1/moved", HOST + "/v1/rooms")])
    image = picture()
    yield call(
        "forum", "GET", "/v1/logo", 200, {"size": len(image), "type": "image/png", "base64": base64.b64encode(image).decode()}, code=None
    )
    yield call("forum", "GET", "/v1/profile", 200, json_body({"name": "Ann", "level": 1}), code=None)
    yield call("forum", "GET", "/v1/profile", 200, json_body({"name": "Ann", "level": 2, "badge": "gold"}), code=None)
    yield call(
        "wallet",
        "GET",
        "/v1/slow",
        None,
        kind="timeout",
        code="110",
        message="The request timed out.",
        ms=10_000.0,
        attempts=[("failed", [("queue", 0.1), ("dns", 1.0), ("connect", 2.0), ("tls", 5.0), ("firstByte", 9990.0)], None, "timed out")],
    )


SCRIPT = "<script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"


def hostile(kept=10_000_000):
    yield call("forum", "GET", "/v1/script", 200, text_body(SCRIPT, "text/html"), code=None, message=SCRIPT, headers=[("X-Html", SCRIPT)])
    text = json.dumps([{"id": index, "name": f"Item {index}", "text": "lorem ipsum " * 5} for index in range(105_000)])[:10_000_000]
    yield call(
        "forum",
        "GET",
        "/v1/large",
        200,
        {"size": 10_000_000, "type": "application/json", "text": text[:kept], "cut": kept < 10_000_000},
        code=None,
    )
    broken = bytes([0x61, 0xFF, 0xFE, 0x62, 0xC3, 0x28])
    yield call(
        "forum",
        "GET",
        "/v1/broken",
        200,
        {"size": 6, "type": "text/plain; charset=utf-8", "base64": base64.b64encode(broken).decode()},
        code=None,
    )
    vector = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>document.title='hacked'</script><circle r='9'/></svg>"
    yield call("forum", "GET", "/v1/vector", 200, text_body(vector, "image/svg+xml"), code=None)
