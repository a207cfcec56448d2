// Calls of a file as code. Those of a running app bring their own, made by the library itself.
//
// A file may be made to harm its reader. So every field is quoted, and a field that its place does not allow is left out.

const verbs = ["get", "post", "put", "patch", "delete", "head", "options"];
/** Headers that every client writes by itself. */
const own = /^(:.*|host|content-length|connection|accept-encoding)$/i;
/** What steers a terminal, or shows text in another order than that of its letters. */
const steering = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const steeringAnywhere = new RegExp(steering, "gu");

/** A token (RFC 9110 §5.6.2), as methods and names of headers are. */
const isToken = (text) => /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(text);
const isAddress = (text) => /^https?:\/\/[^\s/?#@\\]+/i.test(text) && !steering.test(text);
const isHeader = ([name, value]) => isToken(name) && !own.test(name) && !steering.test(value);

/** A word that a POSIX shell hands on as it is. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** A string literal of Swift; half of a pair of UTF-16 is nothing that one could hold. */
function swiftText(text) {
    const escaped = text.replace(/[\ud800-\udfff]/gu, "\ufffd").replace(/["\\]/g, "\\$&");
    return `"${escaped.replace(steeringAnywhere, (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`)}"`;
}

function base64(text) {
    return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

/** The call for a shell, or "" for one that is none over HTTP. */
export function curl(request) {
    if (!isToken(request.method) || !isAddress(request.url)) return "";
    const lines = [`curl --globoff --request ${quoted(request.method)}`, `--url ${quoted(request.url)}`];
    // An empty value is written with a semicolon: with a colon curl would take the header out.
    for (const header of request.headers.filter(isHeader)) lines.push(`--header ${quoted(header[1] === "" ? `${header[0]};` : header.join(": "))}`);
    const text = request.body?.text ?? "";
    // Linux takes no argument of 128 KiB; `printf` is no program of its own and has no such limit.
    const isPlain = text.length < 30_000 && !steering.test(text.replaceAll("\n", ""));
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

/** A stub that responds to the call, or "" for a method that stubs have no verb for. */
export function stub(summary, { response }) {
    const verb = summary.method.toLowerCase();
    if (!verbs.includes(verb)) return "";
    const body = response?.body;
    const status = response?.status ?? 200;
    const reply = body?.text ? `body: Data(${swiftText(body.text)}.utf8), contentType: ${swiftText(body.type ?? "text/plain")}, status: ${status}` : `status: ${status}`;
    return `stubs.${verb}(${swiftText(summary.path.split("?")[0])}).reply(${reply})`;
}
