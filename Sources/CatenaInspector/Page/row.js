// A call as a row of the list.

import { bytes, clock, duration } from "./format.js";
import { words } from "./language.js";
import { element, spoken } from "./element.js";
import { visible } from "./unseen.js";

/** The columns in their order. */
export const columns = ["status", "method", "path", "tag", "code", "source", "attempts", "size", "time", "started"];

export function emptyRow() {
    const cells = columns.map((name, index) =>
        element("div", { role: "gridcell", class: `cell ${name}`, "aria-colindex": index + 1 }));
    return element("div", { role: "row", class: "row" }, cells);
}

/** Returns the name of an error's kind for readers. A kind of the app has its own name: `outOfStock` is "out of stock". */
export function kindWords(kind) {
    const found = words(`kind.${kind}`);
    return found === `kind.${kind}` ? apart(kind) : found;
}

function apart(kind) {
    return kind.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

/** Returns the content of the status column. */
export function outcome(call) {
    if (call.status) return String(call.status);
    if (call.state === "failed" && call.kind) return kindWords(call.kind);
    return words(`state.${call.state}`);
}

/** Returns the duration of a call, up to now if it is in progress. */
function elapsed(call, now) {
    return call.state === "running" ? Math.max(call.ms ?? 0, now - call.started) : call.ms;
}

/** Returns the transferred and the total bytes of an upload or download, or null if none is in progress. */
function progress(call) {
    if (call.state !== "running") return null;
    if (call.uploaded > 0) return { sign: "↑ ", done: call.uploaded, all: call.sent };
    if (call.received > 0 || call.expected > 0) return { sign: "", done: call.received ?? 0, all: call.expected };
    return null;
}

function size(call) {
    const way = progress(call);
    if (!way) return bytes(call.received);
    return way.sign + bytes(way.done) + (way.all > 0 ? ` / ${bytes(way.all)}` : "");
}

function write(cell, text) {
    // Skip an unchanged text, because writing it would cost a layout.
    const shown = visible(text);
    if (cell.textContent !== shown) cell.textContent = shown;
}

/** Writes a call into a row. */
export function fillRow(row, call, now) {
    const [status, method, path, tag, code, source, attempts, sizeCell, time, started] = row.children;
    row.dataset.state = call.state;
    row.classList.toggle("not-ok", call.status >= 400);
    const spokenState = call.status ? words(`state.${call.state}`) : "";
    if (status.dataset.shown !== outcome(call) + spokenState) {
        status.dataset.shown = outcome(call) + spokenState;
        status.replaceChildren(element("span", { class: "sign", "aria-hidden": "true" }), element("span", { text: outcome(call) }));
        if (spokenState) status.append(spoken(` ${spokenState}`));
        status.title = words(`state.${call.state}`);
    }
    write(method, call.method);
    const address = call.host + call.path;
    const pathKey = address + (call.effects ?? []).join();
    if (path.dataset.shown !== pathKey) {
        path.dataset.shown = pathKey;
        path.title = address;
        const host = call.host.replace(/^https?:\/\//, "");
        path.replaceChildren(element("span", { class: "where", text: call.path || "/" }), element("span", { class: "host", text: host }));
        for (const effect of new Set(call.effects ?? [])) {
            path.append(element("span", { class: "chip", text: words(`effect.${effect}`), data: { kind: effect } }));
        }
    }
    write(tag, call.tag ?? "");
    write(code, call.code ?? "");
    code.title = call.message ?? "";
    write(source, call.source ? words(`source.${call.source}`) : "");
    source.dataset.source = call.source ?? "";
    write(attempts, call.attempts > 1 ? `${call.attempts}×` : call.attempts === 1 ? "1" : "–");
    attempts.classList.toggle("several", call.attempts > 1);
    write(sizeCell, size(call));
    const way = progress(call);
    const share = way?.all > 0 ? Math.min(1, way.done / way.all) : 0;
    row.classList.toggle("progress", share > 0);
    row.style.setProperty("--share", share);
    write(time, duration(elapsed(call, now)));
    write(started, clock(call.started));
}
