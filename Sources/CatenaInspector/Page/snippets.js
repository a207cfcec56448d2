// Code for calls of a file. For calls of a running app, the library makes the code.
//
// A file may be malicious. Therefore every field is quoted, and a field that is invalid in its place is left out.

import { unseen, unseenAnywhere } from "./unseen.js";

const verbs = ["get", "post", "put", "patch", "delete", "head", "options"];
/** Headers that every client sends itself. */
const own = /^(:.*|host|content-length|connection|accept-encoding)$/i;

/** Whether a text is a token (RFC 9110 §5.6.2), such as a method or the name of a header. */
const isToken = (text) => /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(text);
const isAddress = (text) => /^https?:\/\/[^\s/?#@\\]+/i.test(text) && !unseen.test(text);
const isHeader = ([name, value]) => isToken(name) && !own.test(name) && !unseen.test(value);

/** Quotes a text for a POSIX shell. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a Swift string literal. Replaces unpaired surrogates, which a literal cannot contain. */
function swiftText(text) {
    const escaped = text.replace(/[\ud800-\udfff]/gu, "\ufffd").replace(/["\\]/g, "\\$&");
    return `"${escaped.replace(unseenAnywhere, (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`)}"`;
}

function base64(text) {
    return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

/** Returns the call for a shell, or "" if it does not use HTTP. */
export function curl(request) {
    if (!isToken(request.method) || !isAddress(request.url)) return "";
    const lines = [`curl --globoff --request ${quoted(request.method)}`, `--url ${quoted(request.url)}`];
    // An empty value needs a semicolon, because with a colon curl would remove the header.
    for (const header of request.headers.filter(isHeader)) lines.push(`--header ${quoted(header[1] === "" ? `${header[0]};` : header.join(": "))}`);
    const text = request.body?.text ?? "";
    // Linux limits an argument to 128 KiB. `printf` has no limit, because it is a shell builtin.
    const isPlain = text.length < 30_000 && !unseen.test(text.replaceAll("\n", ""));
    if (text !== "") lines.push(isPlain ? `--data-raw ${quoted(text)}` : "--data-binary @-");
    const input = isPlain || text === "" ? "" : `printf %s '${base64(text)}' | base64 --decode | `;
    return input + lines.join(" \\\n  ");
}

export function swift(summary, { request }) {
    const verb = summary.method.toLowerCase();
    const lines = [`API.host(${swiftText(summary.host)})`];
    lines.push(verbs.includes(verb) ? `.${verb}(${swiftText(summary.path)})` : `.path(${swiftText(summary.path)})\n    .method(${swiftText(summary.method)})`);
    for (const [name, value] of request.headers.filter(isHeader)) {
        if (!/^content-type$/i.test(name)) lines.push(`.header(${swiftText(name)}, ${swiftText(value)})`);
    }
    if (request.body?.text) lines.push(`.body(Data(${swiftText(request.body.text)}.utf8), contentType: ${swiftText(request.body.type ?? "text/plain")})`);
    lines.push(".execute()");
    return lines.join("\n    ");
}

/** Returns a stub that responds to the call, or "" for a method without a verb. */
export function stub(summary, { response }) {
    const verb = summary.method.toLowerCase();
    if (!verbs.includes(verb)) return "";
    const body = response?.body;
    const status = response?.status ?? 200;
    const reply = body?.text ? `body: Data(${swiftText(body.text)}.utf8), contentType: ${swiftText(body.type ?? "text/plain")}, status: ${status}` : `status: ${status}`;
    return `stubs.${verb}(${swiftText(summary.path.split("?")[0])}).reply(${reply})`;
}
