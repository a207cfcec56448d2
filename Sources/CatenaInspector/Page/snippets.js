// Calls of a file as code. Those of a running app bring their own, made by the library itself.

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const swiftText = (text) => JSON.stringify(text).replace(/\\u([0-9a-f]{4})/g, "\\u{$1}").replace(/\\([bf])/g, (_, letter) => (letter === "b" ? "\\u{8}" : "\\u{c}"));
/** Headers that every client writes by itself. */
const own = /^(:.*|host|content-length|connection|accept-encoding)$/i;

export function curl(request) {
    const lines = [`curl -X ${request.method} ${quoted(request.url)}`];
    for (const [name, value] of request.headers) if (!own.test(name)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
    if (request.body?.text) lines.push(`--data-raw ${quoted(request.body.text)}`);
    return lines.join(" \\\n  ");
}

export function swift(summary, { request }) {
    const verb = summary.method.toLowerCase();
    const hasVerb = ["get", "post", "put", "patch", "delete", "head", "options"].includes(verb);
    const lines = [`API.host(${swiftText(summary.host)})`];
    lines.push(hasVerb ? `.${verb}(${swiftText(summary.path)})` : `.path(${swiftText(summary.path)}).method(${swiftText(summary.method)})`);
    for (const [name, value] of request.headers) if (!own.test(name) && !/^content-type$/i.test(name)) lines.push(`.header(${swiftText(name)}, ${swiftText(value)})`);
    if (request.body?.text) lines.push(`.body(Data(${swiftText(request.body.text)}.utf8), contentType: ${swiftText(request.body.type ?? "text/plain")})`);
    lines.push(".execute()");
    return lines.join("\n    ");
}

export function stub(summary, { response }) {
    const body = response?.body;
    const status = response?.status ?? 200;
    const reply = body?.text ? `body: Data(${swiftText(body.text)}.utf8), contentType: ${swiftText(body.type ?? "text/plain")}, status: ${status}` : `status: ${status}`;
    return `stubs.${summary.method.toLowerCase()}(${swiftText(summary.path.split("?")[0])}).reply(${reply})`;
}
