"""A server that responds over HTTP/2 with the frames that a request demands.

    http2-faults.py CERTIFICATE KEY

It prints the address of its control over plain HTTP/1.1. All of its ports are free ones of 127.0.0.1:

    /listen?settings=3=10,4=0&late=30   opens a port for https and returns it. A connection there begins with these SETTINGS, delayed by
                                        `late` milliseconds, and refuses the streams beyond SETTINGS_MAX_CONCURRENT_STREAMS.
    /listen?slow=500                    delays the handshake of TLS by 500 milliseconds, as a distant server does.
    /listen?plain=1                     opens a port for HTTP/2 without TLS (RFC 9113 §3.3).
    /arrivals?port=PORT                 returns the requests that have arrived there, or fails if a script or the client made a mistake.
    /ended?port=PORT                    waits until a script has ended a connection there.

The query `script` of a request to such a port describes the response: steps separated by `;`, whole scripts separated by `|`. The first request of a path
runs the first script, the second request the second one, and so on. Later requests run the last script. The default script is `ok`. The functions of `Script`
are the steps.

A connection ends after a minute, a port after ten. Over HTTP/1.1 each request gets the response of `ok`.
"""
import json
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import hpack
from hyperframe.frame import Frame

CODES = (
    "NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR REFUSED_STREAM "
    "CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY HTTP_1_1_REQUIRED"
).split()
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS = 1, 1, 4
MAX_CONCURRENT_STREAMS = 3
FINE = b'"fine"'


def frame_bytes(kind, flags, stream, payload=b""):
    return struct.pack(">LBL", len(payload) << 8 | kind, flags, stream) + payload


class Port:
    """A listening socket with its own SETTINGS, and its requests."""

    ports = {}

    def __init__(self, context, settings, late, slow):
        self.context, self.settings, self.late, self.slow = context, settings, late, slow
        self.lock = threading.Lock()
        self.arrivals, self.connections, self.mistakes = [], 0, []
        # Set when a script has ended a connection.
        self.hasEnded = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.listener.settimeout(600)
        self.number = self.listener.getsockname()[1]
        Port.ports[self.number] = self
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                accepted = self.listener.accept()[0]
                threading.Thread(target=self.serve, args=(accepted,), daemon=True).start()
        except OSError:
            self.listener.close()

    def serve(self, accepted):
        with self.lock:
            self.connections += 1
            number = self.connections
        try:
            accepted.settimeout(10)
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if not self.context:
                return Connection(self, accepted, number).run()
            time.sleep(self.slow / 1000)
            with self.context.wrap_socket(accepted, server_side=True) as secure:
                if secure.selected_alpn_protocol() == "h2":
                    Connection(self, secure, number).run()
                else:
                    serve_http1(self, secure, number)
        except OSError:
            # The client has ended the connection.
            pass
        except Exception as error:
            # A mistake of a script or of the client. Recorded, because it would otherwise look like the fault that a test demands.
            with self.lock:
                self.mistakes.append(repr(error))
        finally:
            accepted.close()

    def arrive(self, method, target, protocol, connection, isRefused=False):
        """Records a request. Returns the record and the number of earlier requests with its path."""
        address = urllib.parse.urlsplit(target)
        arrival = {
            "method": method, "path": address.path, "protocol": protocol, "connection": connection, "received": 0,
            "isEnded": False, "isRefused": isRefused, "nonce": dict(urllib.parse.parse_qsl(address.query)).get("nonce"),
        }  # fmt: skip
        with self.lock:
            before = sum(other["path"] == address.path and not other["isRefused"] for other in self.arrivals)
            self.arrivals.append(arrival)
        return arrival, before


class Stream:
    def __init__(self, number, arrival):
        self.number, self.arrival = number, arrival
        self.steps = iter(())
        self.isOver = False
        # Whether to send WINDOW_UPDATE for received data.
        self.window = self.connection_window = True


class Connection:
    """An HTTP/2 connection. Its thread reads a frame, and then runs each script as far as possible."""

    def __init__(self, port, secure, number):
        self.port, self.secure, self.number = port, secure, number
        self.encoder, self.decoder = hpack.Encoder(), hpack.Decoder(max_header_list_size=1 << 20)
        self.buffer = bytearray()
        self.streams = {}
        self.head = None
        self.isMute = self.isEnded = False

    def run(self):
        deadline = time.monotonic() + 60
        while len(self.buffer) < 24:
            data = self.secure.recv(65536)
            if not data:
                return
            self.buffer += data
        del self.buffer[:24]
        time.sleep(self.port.late / 1000)
        self.settings(self.port.settings)
        while not self.isEnded and time.monotonic() < deadline:
            self.take_frames()
            for stream in list(self.streams.values()):
                if next(stream.steps, None) is None:
                    del self.streams[stream.number]
            if not self.isEnded:
                self.receive()

    def receive(self):
        self.secure.settimeout(0.005 if self.streams else 0.5)
        try:
            data = self.secure.recv(65536)
        except (TimeoutError, ssl.SSLWantReadError):
            return
        if not data:
            self.isEnded = True
        elif not self.isMute:
            self.buffer += data

    def take_frames(self):
        while len(self.buffer) >= 9:
            length = int.from_bytes(self.buffer[:3], "big")
            if len(self.buffer) < 9 + length:
                return
            kind, flags = self.buffer[3], self.buffer[4]
            frame, _ = Frame.parse_frame_header(memoryview(bytes(self.buffer[:9])))
            payload = bytes(self.buffer[9 : 9 + length])
            del self.buffer[: 9 + length]
            frame.parse_body(memoryview(payload))
            self.take(kind, flags, frame, payload)

    def take(self, kind, flags, frame, payload):
        if kind == SETTINGS and not flags & ACK:
            self.write(SETTINGS, ACK, 0)
        elif kind == PING and not flags & ACK:
            self.write(PING, ACK, 0, payload)
        elif kind in (HEADERS, CONTINUATION):
            if kind == HEADERS:
                self.head = [frame.stream_id, b"", bool(flags & END_STREAM)]
            self.head[1] += frame.data
            if flags & END_HEADERS:
                self.begin(*self.head)
        elif kind == DATA:
            self.take_data(frame, len(payload), flags)
        elif kind == RST_STREAM:
            self.streams.pop(frame.stream_id, None)
        elif kind == GOAWAY:
            self.isEnded = True

    def take_data(self, frame, length, flags):
        stream = self.streams.get(frame.stream_id)
        if stream:
            stream.arrival["received"] += len(frame.data)
            stream.arrival["isEnded"] |= bool(flags & END_STREAM)
        if length and (not stream or stream.connection_window):
            self.write(WINDOW_UPDATE, 0, 0, struct.pack(">L", length))
        if length and stream and stream.window and not stream.isOver and not flags & END_STREAM:
            self.write(WINDOW_UPDATE, 0, stream.number, struct.pack(">L", length))

    def begin(self, number, block, isEnded):
        fields = dict(self.decoder.decode(block))
        limit = self.port.settings.get(MAX_CONCURRENT_STREAMS)
        isRefused = limit is not None and sum(not stream.isOver for stream in self.streams.values()) >= limit
        arrival, before = self.port.arrive(fields[":method"], fields[":path"], "HTTP/2", self.number, isRefused)
        if isRefused:
            return self.write(RST_STREAM, 0, number, struct.pack(">L", CODES.index("REFUSED_STREAM")))
        arrival["isEnded"] = isEnded
        stream = self.streams[number] = Stream(number, arrival)
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(fields[":path"]).query))
        scripts = query.get("script", "ok").split("|")
        stream.steps = Script(self, stream).run(scripts[min(before, len(scripts) - 1)])
        # The first steps run before the next frame is read.
        next(stream.steps, None)

    def write(self, kind, flags, stream, payload=b""):
        if not self.isMute:
            self.send(frame_bytes(kind, flags, stream, payload))

    def send(self, data):
        self.secure.settimeout(5)
        self.secure.sendall(data)

    def settings(self, values):
        self.write(SETTINGS, 0, 0, b"".join(struct.pack(">HL", *pair) for pair in values.items()))


class Script:
    """The steps that respond to a request. A waiting step yields until its condition is met."""

    def __init__(self, connection, stream):
        self.connection, self.stream = connection, stream

    def run(self, script):
        for step in script.split(";"):
            words = step.split()
            yield from getattr(self, words[0])(*words[1:]) or ()
        # Keep the stream, because the request may continue.
        while True:
            yield True

    def write(self, kind, flags, payload=b"", stream=None):
        self.connection.write(kind, flags, self.stream.number if stream is None else stream, payload)
        if kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM):
            self.stream.isOver = True

    def number(self, word):
        return {"this": self.stream.number, "none": 0, "all": 0x7FFFFFFF}.get(word) if word.isalpha() else int(word, 0)

    def ok(self):
        """Reads the request, then responds with 200."""
        yield from self.body()
        self.head("200", "content-type:application/json", "content-length:%d" % len(FINE))
        self.write(DATA, END_STREAM, FINE)

    # Frames

    def head(self, status, *words):
        """Sends a head. `status` is `-` for none. Each further word is a field as `name:value`, or one of:

        size=KB (KB fields of a kilobyte), field=KB (one field of KB kilobytes), end (END_STREAM), part (no END_HEADERS).
        """
        fields = [] if status == "-" else [(":status", status)]
        for word in words:
            name, _, value = word.partition("=")
            if name == "size":
                fields += [("x-fill-%03d" % i, "f" * (1024 - 10)) for i in range(int(value))]
            elif name == "field":
                fields.append(("x-field", "f" * (1024 * int(value))))
            elif ":" in word[1:]:
                colon = word.index(":", 1)
                fields.append((word[:colon], word[colon + 1 :].replace("%00", "\0").replace("%20", " ")))
        flags = END_STREAM if "end" in words else 0
        block = self.connection.encoder.encode(fields, huffman=False)
        pieces = [block[i : i + 16384] for i in range(0, len(block), 16384)] or [b""]
        for i, piece in enumerate(pieces):
            isLast = i == len(pieces) - 1 and "part" not in words
            self.write(CONTINUATION if i else HEADERS, (0 if i else flags) | (END_HEADERS if isLast else 0), piece)

    def data(self, length, *words):
        """Sends `length` digits, or the body of `ok` if `length` is `fine`."""
        self.write(DATA, END_STREAM if "end" in words else 0, FINE if length == "fine" else b"1" * int(length))

    def trailers(self, *fields):
        self.head("-", "end", *(fields or ["x-trailer:1"]))

    def rst(self, code):
        self.write(RST_STREAM, 0, struct.pack(">L", self.code(code)))

    def goaway(self, code, last):
        self.write(GOAWAY, 0, struct.pack(">LL", self.number(last), self.code(code)) + b"made up", 0)

    def settings(self, *pairs):
        self.connection.settings(parse_settings(",".join(pairs)))

    def ping(self, count):
        self.connection.send(b"".join(frame_bytes(PING, 0, 0, struct.pack(">Q", i)) for i in range(int(count))))

    def flood(self, count):
        """Sends a head of `count` CONTINUATION frames, without END_HEADERS."""
        self.head("200", "part")
        # At once, because so many small writes take seconds on a busy machine.
        self.connection.send(frame_bytes(CONTINUATION, 0, self.stream.number) * int(count))

    def raw(self, kind, flags, stream, payload=""):
        """Sends any frame: `raw 6 0 this 00*8`."""
        digits, _, times = payload.partition("*")
        self.write(int(kind), int(flags), bytes.fromhex(digits) * int(times or 1), self.number(stream))

    def code(self, name):
        return CODES.index(name) if name in CODES else int(name, 0)

    # Waiting

    def body(self):
        """Waits for the end of the request."""
        while not self.stream.arrival["isEnded"]:
            yield True

    def got(self, count):
        """Waits for `count` bytes of the request's body."""
        while self.stream.arrival["received"] < int(count):
            yield True

    def pause(self, milliseconds):
        end = time.monotonic() + int(milliseconds) / 1000
        while time.monotonic() < end:
            yield True

    # The connection

    def starve(self, which="both"):
        """Sends no WINDOW_UPDATE for this request, or none for only its `stream`."""
        self.stream.window = False
        self.stream.connection_window = which == "stream"

    def mute(self):
        """Leaves the connection open and silent."""
        self.connection.isMute = True

    def fin(self):
        """Ends the connection with close_notify and FIN."""
        self.connection.secure.settimeout(0)
        try:
            self.connection.secure.unwrap()
        except OSError:
            pass
        self.drop()

    def drop(self):
        """Ends the connection with FIN alone."""
        secure = self.connection.secure
        self.connection.isEnded = True
        try:
            secure.shutdown(socket.SHUT_WR)
            self.end()
            # Unread data would turn the end into a reset. The data from here on are bytes of TLS.
            secure.settimeout(5)
            while secure.recv(65536):
                pass
        except OSError:
            pass

    def cut(self):
        """Resets the connection."""
        self.connection.secure.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.secure.close()
        self.end()

    def end(self):
        self.connection.isEnded = True
        self.connection.port.hasEnded.set()


def serve_http1(port, secure, number):
    stream = secure.makefile("rb")
    while line := stream.readline():
        method, target, _ = line.decode().split()
        fields = {}
        while (line := stream.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            fields[name.lower()] = value.strip()
        arrival, _ = port.arrive(method, target, "HTTP/1.1", number)
        if fields.get("expect"):
            secure.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "transfer-encoding" in fields:
            while length := int(stream.readline() or "0", 16):
                arrival["received"] += len(stream.read(length))
                stream.readline()
            stream.readline()
        else:
            arrival["received"] = len(stream.read(int(fields.get("content-length", 0))))
        arrival["isEnded"] = True
        secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(FINE), FINE))


def parse_settings(text):
    return {int(key, 0): int(value, 0) for key, value in (pair.split("=") for pair in text.split(",") if pair)}


class Control(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(address.query))
        status = 200
        if address.path == "/listen":
            context = None if "plain" in query else self.server.context
            delays = [int(query.get(name, 0)) for name in ("late", "slow")]
            answer = Port(context, parse_settings(query.get("settings", "")), *delays).number
        elif address.path == "/arrivals":
            port = Port.ports[int(query["port"])]
            with port.lock:
                answer = port.mistakes or list(port.arrivals)
                status = 500 if port.mistakes else 200
        elif address.path == "/ended":
            answer = Port.ports[int(query["port"])].hasEnded.wait(5)
        else:
            answer = "fine"
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    control = ThreadingHTTPServer(("127.0.0.1", 0), Control)
    control.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    control.context.load_cert_chain(sys.argv[1], sys.argv[2])
    control.context.set_alpn_protocols(["h2", "http/1.1"])
    print("http://127.0.0.1:%d" % control.server_address[1], flush=True)
    control.serve_forever()
