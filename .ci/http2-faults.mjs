// A server that responds over HTTP/2 as a request demands, with Node's implementation.
//
//     node http2-faults.mjs CERTIFICATE KEY
//
// Its control and its scripts are those of http2-faults.py. It has fewer steps, the functions of `steps`, because Node sends no invalid frames. It sends
// the SETTINGS of a port at once, and refuses streams beyond their limit by itself.
import fs from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import tls from "node:tls";

const [certificate, key] = process.argv.slice(2).map((path) => fs.readFileSync(path));
const fine = '"fine"';
const names = { 1: "headerTableSize", 3: "maxConcurrentStreams", 4: "initialWindowSize", 5: "maxFrameSize", 6: "maxHeaderListSize" };
const codes = (
    "NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR REFUSED_STREAM " +
    "CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY HTTP_1_1_REQUIRED"
).split(" ");

const number = (word) => (codes.includes(word) ? codes.indexOf(word) : Number(word));
const settings = (text) =>
    Object.fromEntries(text.split(",").filter(Boolean).map((pair) => pair.split("=")).map(([id, value]) => [names[id], Number(value)]));
// Send the written data before the next step discards it.
const turn = () => new Promise((resolve) => setImmediate(resolve));

// The steps of scripts. `call` has the stream, its note, the session, its connection and the port.
const steps = {
    async ok(call) {
        await steps.body(call);
        call.stream.respond({ ":status": 200, "content-type": "application/json", "content-length": fine.length });
        call.stream.end(fine);
    },
    async head(call, status, ...words) {
        const fields = { ":status": Number(status) };
        for (const word of words) {
            const [name, value] = word.split(/[:=](.*)/s);
            if (name === "size") for (let i = 0; i < Number(value); i++) fields[`x-fill-${i}`] = "f".repeat(1014);
            else if (name === "field") fields["x-field"] = "f".repeat(1024 * Number(value));
            else if (value !== undefined) fields[name] = value;
        }
        if (fields[":status"] < 200) call.stream.additionalHeaders(fields);
        else call.stream.respond(fields, { endStream: words.includes("end"), waitForTrailers: words.includes("trailers") });
        await turn();
    },
    async data(call, length, ...words) {
        const bytes = length === "fine" ? fine : "1".repeat(Number(length));
        if (words.includes("end")) call.stream.end(bytes);
        else await new Promise((resolve) => call.stream.write(bytes, resolve));
        await turn();
    },
    // Ends the body and sends trailers, which the head must have announced with `trailers`.
    async trailers(call, ...fields) {
        call.stream.on("wantTrailers", () => call.stream.sendTrailers(Object.fromEntries(fields.map((field) => field.split(":")))));
        call.stream.end();
    },
    async rst(call, code) {
        call.stream.close(number(code));
        await turn();
    },
    async goaway(call, code, last) {
        call.session.goaway(number(code), last === "this" ? call.stream.id : 0x7fffffff, Buffer.from("made up"));
        await turn();
    },
    async settings(call, ...pairs) {
        call.session.settings(settings(pairs.join(",")));
        await turn();
    },
    async ping(call, count) {
        // Node allows ten outstanding pings.
        for (let i = 0; i < Number(count); i++) await new Promise((resolve) => call.session.ping(() => resolve()) || resolve());
    },
    async body(call) {
        while (!call.arrival.isEnded) await new Promise((resolve) => call.stream.once("progress", resolve));
    },
    async got(call, count) {
        while (call.arrival.received < Number(count)) await new Promise((resolve) => call.stream.once("progress", resolve));
    },
    pause: (call, milliseconds) => new Promise((resolve) => setTimeout(resolve, Number(milliseconds))),
    // Ends the connection once its streams are over, or at once with GOAWAY and a code.
    async close(call) {
        call.session.close();
        await steps.pause(call, 20);
        call.port.end();
    },
    async destroy(call, code) {
        call.session.destroy(undefined, number(code));
    },
    // Ends the connection with close_notify and FIN.
    async fin(call) {
        await new Promise((resolve) => call.connection.secure.end(resolve));
        call.port.end();
    },
    async drop(call) {
        call.connection.secure.destroy();
        call.port.end();
    },
};

const ports = new Map();

class Port {
    arrivals = [];
    mistakes = [];
    connections = 0;
    // Whether a script has ended a connection, and the callbacks that wait for that.
    hasEnded = false;
    waiting = [];

    constructor(values) {
        this.http2 = http2.createServer({ settings: values, maxSendHeaderBlockLength: 1 << 20 });
        this.http2.on("session", (session) => {
            session.connection = session.socket.connection;
            session.on("error", () => {});
        });
        this.http2.on("stream", (stream, head) => this.take(stream, head));
        this.http1 = http.createServer((request, response) => this.takeHTTP1(request, response));
        const options = { cert: certificate, key, ALPNProtocols: ["h2", "http/1.1"] };
        this.server = tls.createServer(options, (secure) => {
            // Kept here because the socket of a session cannot be ended.
            secure.connection = { secure, number: ++this.connections };
            secure.on("error", () => {});
            (secure.alpnProtocol === "h2" ? this.http2 : this.http1).emit("connection", secure);
        });
        this.server.on("tlsClientError", () => {});
    }

    open() {
        return new Promise((resolve) => this.server.listen(0, "127.0.0.1", 256, () => resolve(this.server.address().port)));
    }

    end() {
        this.hasEnded = true;
        for (const wake of this.waiting.splice(0)) wake();
    }

    arrive(method, target, protocol, connection) {
        const address = new URL(target, "https://made.up");
        const arrival = {
            method, path: address.pathname, protocol, connection, received: 0, isEnded: false, isRefused: false,
            nonce: address.searchParams.get("nonce"),
        };
        const before = this.arrivals.filter((other) => other.path === arrival.path).length;
        this.arrivals.push(arrival);
        return [arrival, before, address];
    }

    async take(stream, head) {
        const { session } = stream;
        const { connection } = session;
        const [arrival, before, address] = this.arrive(head[":method"], head[":path"], "HTTP/2", connection.number);
        stream.on("error", () => {});
        stream.on("data", (bytes) => {
            arrival.received += bytes.length;
            stream.emit("progress");
        });
        stream.on("end", () => {
            arrival.isEnded = true;
            stream.emit("progress");
        });
        const scripts = (address.searchParams.get("script") ?? "ok").split("|");
        try {
            for (const step of scripts[Math.min(before, scripts.length - 1)].split(";")) {
                const [name, ...words] = step.split(" ");
                if (stream.destroyed && !["goaway", "pause", "close", "destroy", "fin", "drop"].includes(name)) return;
                await steps[name]({ stream, arrival, session, connection, port: this }, ...words);
            }
        } catch (error) {
            // The client may have ended the stream meanwhile. Anything else is a mistake of a script.
            if (!stream.destroyed) this.mistakes.push(`${error}`);
        }
    }

    takeHTTP1(request, response) {
        const [arrival] = this.arrive(request.method, request.url, "HTTP/1.1", request.socket.connection.number);
        request.on("data", (bytes) => (arrival.received += bytes.length));
        request.on("end", () => {
            arrival.isEnded = true;
            response.setHeader("Content-Type", "application/json");
            response.end(fine);
        });
    }
}

async function answer(address) {
    const port = ports.get(Number(address.searchParams.get("port")));
    switch (address.pathname) {
        case "/listen": {
            const opened = new Port(settings(address.searchParams.get("settings") ?? ""));
            const number = await opened.open();
            ports.set(number, opened);
            return [200, number];
        }
        case "/arrivals":
            return port.mistakes.length ? [500, port.mistakes] : [200, port.arrivals];
        case "/ended":
            if (!port.hasEnded) await Promise.race([new Promise((resolve) => port.waiting.push(resolve)), steps.pause({}, 5_000)]);
            return [200, port.hasEnded];
        default:
            return [200, "fine"];
    }
}

const control = http.createServer(async (request, response) => {
    const [status, value] = await answer(new URL(request.url, "http://made.up"));
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(value));
});
control.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${control.address().port}`));
