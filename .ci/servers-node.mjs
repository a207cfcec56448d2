// The application of .ci/servers, on a server of Node: the backend of the proxies, and itself one of the servers.
//
//   node servers-node.mjs PORT TLSPORT CERTIFICATE KEY FOLDER
//
// PORT speaks HTTP/1.1, TLSPORT HTTP/1.1 and HTTP/2. `routes` has the paths. .ci/servers-asgi.py is the same application.
import crypto from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import zlib from "node:zlib";

const [port, tlsPort, certificate, key, folder] = process.argv.slice(2);
const fine = '{"fine":true}';
// The bytes of bodies: 0 to 250, again and again.
const block = Buffer.from(Array.from({ length: 251 }, (_, index) => index));
const bytes = (count) => Buffer.alloc(count, block);
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
// The number of times that a request with an id was carried out.
const carriedOut = new Map();

const send = (response, status, headers, body = "") => {
    response.writeHead(status, { ...(status === 204 || status === 304 ? {} : { "content-length": Buffer.byteLength(body) }), ...headers });
    response.end(body);
};
const sendJSON = (response, value) => send(response, 200, { "content-type": "application/json" }, JSON.stringify(value));

async function received(request) {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    return Buffer.concat(pieces);
}

function reset(request, response) {
    if (response.stream) response.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    else request.socket.resetAndDestroy();
}

function count(query) {
    if (query.has("id")) carriedOut.set(query.get("id"), (carriedOut.get(query.get("id")) ?? 0) + 1);
}

function sendDigestChallenge(response) {
    send(response, 401, { "www-authenticate": 'Digest realm="made-up", qop="auth", algorithm=SHA-256, nonce="bm9uY2U"' });
}

function isRightDigest(request) {
    const fields = Object.fromEntries([...(request.headers.authorization ?? "").matchAll(/(\w+)="?([^",]*)"?/g)].map((match) => match.slice(1)));
    const hash = (text) => crypto.createHash("sha256").update(text).digest("hex");
    const user = hash("ann:made-up:made-up");
    const call = hash(`${request.method}:${fields.uri}`);
    return fields.response === hash(`${user}:${fields.nonce}:${fields.nc}:${fields.cnonce}:${fields.qop}:${call}`);
}

async function sendFile(request, response, query) {
    const body = bytes(1000000);
    const headers = { etag: '"v1"', "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT", "accept-ranges": "bytes" };
    if (request.headers["if-none-match"] === '"v1"') return send(response, 304, headers);
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    if (!range || (request.headers["if-range"] ?? '"v1"') !== '"v1"') {
        response.writeHead(200, { ...headers, "content-length": body.length });
        response.write(body.subarray(0, 500000));
        await wait(Number(query.get("pause") ?? 0));
        return response.end(body.subarray(500000));
    }
    const first = Number(range[1]);
    const last = range[2] ? Math.min(Number(range[2]), body.length - 1) : body.length - 1;
    send(response, 206, { ...headers, "content-range": `bytes ${first}-${last}/${body.length}` }, body.subarray(first, last + 1));
}

const routes = {
    // Responds with n bytes: in chunks, compressed, or in pieces with pauses of `pause` milliseconds.
    "/bytes": async (request, response, query) => {
        let body = bytes(Number(query.get("n")));
        const headers = { "content-type": "application/octet-stream" };
        if (query.has("gzip")) {
            body = zlib.gzipSync(body);
            headers["content-encoding"] = "gzip";
        }
        if (!query.has("chunked")) headers["content-length"] = body.length;
        response.writeHead(200, headers);
        const pieces = Number(query.get("pieces") ?? 1);
        const length = Math.ceil(body.length / pieces);
        for (let start = 0; start < body.length; start += length) {
            if (start > 0) await wait(Number(query.get("pause") ?? 0));
            response.write(body.subarray(start, start + length));
        }
        response.end();
    },
    // Responds with a head of so many kilobytes.
    "/head": (request, response, query) => {
        const headers = {};
        for (let number = 0; number < Number(query.get("kb")); number++) headers[`x-fill-${number}`] = "f".repeat(985);
        send(response, 200, { "content-type": "application/json", ...headers }, fine);
    },
    // Describes the request. `holds` says whether the body contains the n expected bytes.
    "/echo": async (request, response, query) => {
        const body = await received(request);
        sendJSON(response, {
            method: request.method,
            target: request.url,
            twice: request.headers["x-twice"] ?? "",
            large: (request.headers["x-large"] ?? "").length,
            cookie: request.headers.cookie ?? "",
            length: body.length,
            holds: body.includes(bytes(Number(query.get("n") ?? 0))),
        });
    },
    "/status": (request, response, query) => send(response, Number(query.get("code")), {}),
    "/redirect": async (request, response, query) => {
        await received(request);
        send(response, Number(query.get("code")), { location: query.get("to") });
    },
    "/twice": (request, response) => send(response, 200, { "content-type": "application/json", "x-twice": ["a", "b"] }, fine),
    "/cookies": (request, response) =>
        send(response, 200, { "content-type": "application/json", "set-cookie": ["one=1; Path=/", "two=2; Path=/"] }, fine),
    // Responds with 413 before it has read the body. Then reads on, or closes.
    "/early": async (request, response, query) => {
        const closes = query.has("close");
        send(response, 413, closes && !response.stream ? { connection: "close" } : {}, bytes(Number(query.get("n"))));
        if (!closes) request.resume();
    },
    // Responds with an interim response first.
    "/hints": async (request, response) => {
        response.writeEarlyHints({ link: "</style.css>; rel=preload" });
        await wait(20);
        send(response, 200, { "content-type": "application/json" }, fine);
    },
    "/events": async (request, response, query) => {
        response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
        for (let number = 1; number <= Number(query.get("n")); number++) {
            response.write(`id: ${number}\ndata: ${number}\n\n`);
            await wait(50);
        }
        response.end();
    },
    "/hang": () => {},
    "/trailers": (request, response) => {
        response.writeHead(200, { "content-type": "application/json", trailer: "x-checked" });
        response.write(fine);
        response.addTrailers({ "x-checked": "yes" });
        response.end();
    },
    "/digest": async (request, response) => {
        await received(request);
        if (isRightDigest(request)) send(response, 200, { "content-type": "application/json" }, fine);
        else sendDigestChallenge(response);
    },
    // Responds with a million bytes or a range of them. Pauses after the first half of the whole.
    "/file": sendFile,
    // Responds with half of the body, then resets.
    "/cut": async (request, response, query) => {
        const body = bytes(Number(query.get("n")));
        response.writeHead(200, { "content-length": body.length });
        response.write(body.subarray(0, body.length / 2));
        await wait(50);
        reset(request, response);
    },
    // Carries a request with an id out. Then responds, or resets before the head or within the body, the first time.
    "/work": async (request, response, query) => {
        await received(request);
        await wait(Number(query.get("pause") ?? 0));
        count(query);
        const isFirst = carriedOut.get(query.get("id")) === 1;
        if (isFirst && query.get("reset") === "head") return reset(request, response);
        if (isFirst && query.get("reset") === "body") return routes["/cut"](request, response, new URLSearchParams("n=20000"));
        send(response, 200, { "content-type": "application/json" }, fine);
    },
    // The numbers of requests that were carried out once, and more often, of those whose id has a prefix.
    "/tally": (request, response, query) => {
        const counts = [...carriedOut].filter(([id]) => id.startsWith(query.get("prefix"))).map(([, number]) => number);
        sendJSON(response, { once: counts.filter((number) => number === 1).length, more: counts.filter((number) => number > 1).length });
    },
    "/carried-out": (request, response, query) => sendJSON(response, { count: carriedOut.get(query.get("id")) ?? 0 }),
};

async function serve(request, response) {
    request.on("error", () => {});
    response.on("error", () => {});
    const address = new URL(request.url, "http://127.0.0.1");
    const route = address.pathname.startsWith("/echo") ? routes["/echo"] : routes[address.pathname];
    try {
        if (route) await route(request, response, address.searchParams);
        else send(response, 404, {});
    } catch {
        // The client has ended the request.
        response.destroy();
    }
}

const plain = http.createServer({ maxHeaderSize: 262144 }, serve);
const options = { key: fs.readFileSync(key), cert: fs.readFileSync(certificate), allowHTTP1: true, maxHeaderSize: 262144 };
const secure = http2.createSecureServer(options, serve);
plain.keepAliveTimeout = 30000;
plain.listen(Number(port), "127.0.0.1", () => secure.listen(Number(tlsPort), "127.0.0.1", () => fs.writeFileSync(`${folder}/node.ready`, "")));
