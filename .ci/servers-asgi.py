"""The application of .ci/servers for a server of ASGI: the same paths as those of .ci/servers-node.mjs, which describes them."""
import asyncio
import gzip
import hashlib
import json
import re
from urllib.parse import parse_qs

BLOCK = bytes(range(251))
FINE = b'{"fine":true}'
JSON_TYPE = (b"content-type", b"application/json")
carried_out = {}


def bytes_of(count):
    return (BLOCK * (count // 251 + 1))[:count]


class Exchange:
    """A request and its response."""

    def __init__(self, scope, receive, send):
        self.scope, self.receive, self.send = scope, receive, send
        self.headers = {}
        for name, value in scope["headers"]:
            text = value.decode("latin-1")
            self.headers[name.decode()] = f"{self.headers[name.decode()]}, {text}" if name.decode() in self.headers else text
        self.query = {name: values[0] for name, values in parse_qs(scope["query_string"].decode(), keep_blank_values=True).items()}

    def number(self, name, default=0):
        return int(self.query.get(name, default))

    async def body(self):
        pieces = []
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            pieces.append(message.get("body", b""))
            if not message.get("more_body"):
                return b"".join(pieces)

    async def start(self, status, headers=(), trailers=False):
        await self.send({"type": "http.response.start", "status": status, "headers": list(headers), "trailers": trailers})

    async def write(self, body, more=False):
        await self.send({"type": "http.response.body", "body": body, "more_body": more})

    async def respond(self, status, headers=(), body=b""):
        length = [] if status in (204, 304) else [(b"content-length", str(len(body)).encode())]
        await self.start(status, length + list(headers))
        await self.write(body)

    async def respond_json(self, value):
        await self.respond(200, [JSON_TYPE], json.dumps(value).encode())


async def respond_bytes(exchange):
    body, headers = bytes_of(exchange.number("n")), [(b"content-type", b"application/octet-stream")]
    if "gzip" in exchange.query:
        body = gzip.compress(body)
        headers.append((b"content-encoding", b"gzip"))
    if "chunked" not in exchange.query:
        headers.append((b"content-length", str(len(body)).encode()))
    await exchange.start(200, headers)
    length = max(-(-len(body) // exchange.number("pieces", 1)), 1)
    for start in range(0, len(body), length):
        if start:
            await asyncio.sleep(exchange.number("pause") / 1000)
        await exchange.write(body[start : start + length], more=True)
    await exchange.write(b"")


async def respond_head(exchange):
    fill = [(f"x-fill-{number}".encode(), b"f" * 985) for number in range(exchange.number("kb"))]
    await exchange.respond(200, [JSON_TYPE] + fill, FINE)


async def echo(exchange):
    body = await exchange.body()
    target = exchange.scope["raw_path"].decode()
    if exchange.scope["query_string"]:
        target = target.split("?")[0] + "?" + exchange.scope["query_string"].decode()
    await exchange.respond_json(
        {
            "method": exchange.scope["method"], "target": target, "twice": exchange.headers.get("x-twice", ""),
            "large": len(exchange.headers.get("x-large", "")), "cookie": exchange.headers.get("cookie", ""), "length": len(body),
            "holds": bytes_of(exchange.number("n")) in body,
        }
    )  # fmt: skip


async def status(exchange):
    await exchange.respond(exchange.number("code"))


async def redirect(exchange):
    await exchange.body()
    await exchange.respond(exchange.number("code"), [(b"location", exchange.query["to"].encode())])


async def twice(exchange):
    await exchange.respond(200, [JSON_TYPE, (b"x-twice", b"a"), (b"x-twice", b"b")], FINE)


async def cookies(exchange):
    await exchange.respond(200, [JSON_TYPE, (b"set-cookie", b"one=1; Path=/"), (b"set-cookie", b"two=2; Path=/")], FINE)


async def early(exchange):
    await exchange.respond(413, [], bytes_of(exchange.number("n")))
    if "close" not in exchange.query:
        await exchange.body()


async def hints(exchange):
    """ASGI has no interim responses."""
    await exchange.respond(200, [JSON_TYPE], FINE)


async def events(exchange):
    await exchange.start(200, [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")])
    for number in range(1, exchange.number("n") + 1):
        await exchange.write(f"id: {number}\ndata: {number}\n\n".encode(), more=True)
        await asyncio.sleep(0.05)
    await exchange.write(b"")


async def hang(exchange):
    await asyncio.sleep(60)


async def trailers(exchange):
    has_trailers = "http.response.trailers" in exchange.scope.get("extensions", {})
    await exchange.start(200, [JSON_TYPE], trailers=has_trailers)
    await exchange.write(FINE)
    if has_trailers:
        await exchange.send({"type": "http.response.trailers", "headers": [(b"x-checked", b"yes")]})


def digest_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


async def digest(exchange):
    await exchange.body()
    fields = dict(re.findall(r'(\w+)="?([^",]*)"?', exchange.headers.get("authorization", "")))
    call = digest_of(f"{exchange.scope['method']}:{fields.get('uri')}")
    middle = ":".join(fields.get(name, "") for name in ("nonce", "nc", "cnonce", "qop"))
    if fields.get("response") == digest_of(f"{digest_of('ann:made-up:made-up')}:{middle}:{call}"):
        return await exchange.respond(200, [JSON_TYPE], FINE)
    challenge = b'Digest realm="made-up", qop="auth", algorithm=SHA-256, nonce="bm9uY2U"'
    await exchange.respond(401, [(b"www-authenticate", challenge)])


async def file(exchange):
    body = bytes_of(1000000)
    headers = [(b"etag", b'"v1"'), (b"last-modified", b"Mon, 01 Jan 2024 00:00:00 GMT"), (b"accept-ranges", b"bytes")]
    if exchange.headers.get("if-none-match") == '"v1"':
        return await exchange.respond(304, headers)
    asked = re.fullmatch(r"bytes=(\d+)-(\d*)", exchange.headers.get("range", ""))
    if not asked or exchange.headers.get("if-range", '"v1"') != '"v1"':
        await exchange.start(200, [(b"content-length", str(len(body)).encode())] + headers)
        await exchange.write(body[:500000], more=True)
        await asyncio.sleep(exchange.number("pause") / 1000)
        return await exchange.write(body[500000:])
    first = int(asked[1])
    last = min(int(asked[2]), len(body) - 1) if asked[2] else len(body) - 1
    headers.append((b"content-range", f"bytes {first}-{last}/{len(body)}".encode()))
    await exchange.respond(206, headers, body[first : last + 1])


async def cut(exchange):
    body = bytes_of(exchange.number("n", 20000))
    await exchange.start(200, [(b"content-length", str(len(body)).encode())])
    await exchange.write(body[: len(body) // 2], more=True)
    await asyncio.sleep(0.05)
    raise ConnectionError("cut on request")


async def work(exchange):
    await exchange.body()
    await asyncio.sleep(exchange.number("pause") / 1000)
    if identifier := exchange.query.get("id"):
        carried_out[identifier] = carried_out.get(identifier, 0) + 1
    await exchange.respond(200, [JSON_TYPE], FINE)


async def tally(exchange):
    counts = [count for identifier, count in carried_out.items() if identifier.startswith(exchange.query["prefix"])]
    await exchange.respond_json({"once": counts.count(1), "more": sum(count > 1 for count in counts)})


ROUTES = {
    "/bytes": respond_bytes, "/head": respond_head, "/echo": echo, "/status": status, "/redirect": redirect, "/twice": twice,
    "/cookies": cookies, "/early": early, "/hints": hints, "/events": events, "/hang": hang, "/trailers": trailers, "/digest": digest, "/file": file,
    "/cut": cut, "/work": work, "/tally": tally,
}  # fmt: skip


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    exchange = Exchange(scope, receive, send)
    path = scope["path"]
    route = ROUTES.get("/echo" if path.startswith("/echo") else path)
    if route:
        await route(exchange)
    else:
        await exchange.respond(404)
