// Reads an HTTP archive (HAR 1.2) as calls, which the page shows like those of a running app.

import { curl, stub, swift } from "./snippets.js";
import { words } from "./language.js";

/** The error if a file is no HAR file, with words for the reader. */
export class NotArchive extends Error {}

/** Parses the text of a file. Throws NotArchive. */
export function readArchive(text, name) {
    let archive;
    try {
        archive = JSON.parse(text.replace(/^\uFEFF/, ""));
    } catch {
        throw new NotArchive(words("file.notJSON", { name }));
    }
    const entries = archive?.log?.entries;
    if (!Array.isArray(entries)) throw new NotArchive(words("file.notHAR", { name }));
    if (entries.length === 0) throw new NotArchive(words("file.empty", { name }));
    const calls = entries.filter((entry) => typeof entry?.request?.url === "string");
    if (calls.length === 0) throw new NotArchive(words("file.broken", { name }));
    return new ArchivedCalls(archive, calls, entries.length - calls.length);
}

// Accepts only texts and numbers, because a file may have other values there, such as an object with a member `toString`.

function text(value, otherwise = "") {
    return typeof value === "string" ? value : Number.isFinite(value) ? String(value) : otherwise;
}

function figure(value) {
    const found = typeof value === "string" ? Number(value) : value;
    return Number.isFinite(found) && found > 0 ? found : 0;
}

function pairs(list) {
    return (Array.isArray(list) ? list : []).map((pair) => [text(pair?.name), text(pair?.value)]);
}

/** Parses the comment that Catena writes: "tag forum, attempt 2, and the error". */
function remarks(comment) {
    const found = /^(?:tag ([^,]+?))?(?:(?:^|, )attempt (\d+))?(?:(?:^|, )([^]+))?$/.exec(text(comment)) ?? [];
    return { tag: found[1] ?? null, attempt: Number(found[2] ?? 1), error: found[3] ?? null };
}

function bodyOf(content, size) {
    if (!content || (content.text === undefined && figure(size) === 0)) return null;
    const type = text(content.mimeType) || null;
    const shown = text(content.text);
    const length = figure(size) || shown.length;
    const comment = text(content.comment);
    if (content.text === undefined) return { size: length, type, hidden: comment || "–" };
    const cut = comment.startsWith("the start of");
    if ((content.encoding ?? content._encoding) === "base64") return { size: length, type, base64: shown, cut };
    return { size: length, type, text: shown, cut };
}

function phases(timings) {
    const known = (name) => figure(timings?.[name]);
    // In this format, `connect` includes the TLS handshake.
    return [
        ["queue", known("blocked")], ["dns", known("dns")], ["connect", Math.max(known("connect") - known("ssl"), 0)],
        ["tls", known("ssl")], ["firstByte", known("send") + known("wait")], ["transfer", known("receive")],
    ].filter(([, ms]) => ms > 0).map(([name, ms]) => ({ name, ms }));
}

function split(url) {
    const found = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^#]*)/i.exec(url);
    return found ? { host: found[1], path: found[2] || "/" } : { host: "", path: url };
}

function summaryOf(entry, id) {
    const { request, response } = entry;
    const { tag, attempt, error } = remarks(entry.comment);
    const status = Number.isInteger(response?.status) && response.status > 0 ? response.status : null;
    const failed = error !== null || status === null || status >= 400;
    return {
        id, tag, method: text(request.method, "GET"), ...split(request.url), state: failed ? "failed" : "succeeded", status, code: null, kind: null,
        message: error ?? "", started: Date.parse(text(entry.startedDateTime)) || 0, ms: figure(entry.time),
        sent: figure(request.bodySize) || null, received: response?.content ? figure(response.content.size) : null, expected: null, attempts: attempt, source: null, effects: [],
    };
}

export class ArchivedCalls {
    constructor(archive, entries, skipped) {
        this.log = archive.log;
        this.entries = entries;
        this.skipped = skipped;
        this.summaries = entries.map((entry, index) => summaryOf(entry, index + 1));
    }

    async detail(id) {
        const entry = this.entries[id - 1];
        const summary = this.summaries[id - 1];
        const { request, response } = entry;
        const location = text(response?.redirectURL);
        const attempt = {
            number: summary.attempts, start: 0, end: summary.ms, outcome: summary.state, error: summary.message || null, phases: phases(entry.timings),
            request: {
                method: summary.method, url: request.url, headers: pairs(request.headers), params: pairs(request.queryString),
                body: bodyOf(request.postData, request.bodySize),
            },
            response: summary.status ? { status: summary.status, headers: pairs(response.headers), body: bodyOf(response.content, response.content?.size) } : null,
            redirects: location ? [{ status: summary.status, from: request.url, to: location }] : [],
        };
        const error = summary.message ? { kind: "failed", code: null, message: summary.message, description: null, underlying: null } : null;
        return {
            summary, redacted: false, attempts: [attempt], lanes: [], envelope: [], decisions: [], error, curl: curl(attempt.request),
            swift: swift(summary, attempt), stub: stub(summary, attempt), previous: this.#previous(summary),
        };
    }

    /** Returns the last successful call before this one with its method and path. */
    #previous(summary) {
        const path = summary.path.split("?")[0];
        for (let index = summary.id - 2; index >= 0; index -= 1) {
            const other = this.summaries[index];
            if (other.state === "succeeded" && other.method === summary.method && other.host === summary.host && other.path.split("?")[0] === path) return other.id;
        }
        return null;
    }

    /** Returns the original file, or a file with only some of its calls. */
    async archive(ids) {
        const entries = ids ? ids.map((id) => this.entries[id - 1]) : this.log.entries;
        return JSON.stringify({ log: { ...this.log, entries } });
    }
}
