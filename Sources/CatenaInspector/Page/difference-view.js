// A call beside the last successful one of its kind: what is different in the request and in the response.

import { decoded } from "./body.js";
import { difference, folded } from "./difference.js";
import { element, spoken } from "./element.js";
import { bytes, clock } from "./format.js";
import { parse, pretty } from "./json-document.js";
import { words } from "./language.js";

const largest = 512 * 1024;

/** The text of a body as it is compared: JSON over several lines, so that a changed member is a changed line. */
function comparable(body) {
    if (!body || body.size === 0) return "";
    const text = body.text ?? (body.base64 === undefined || !/^text\//.test(body.type ?? "") ? null : decoded(body));
    if (text === null || text.length > largest) return text;
    try {
        return pretty(parse(text));
    } catch {
        return text;
    }
}

function pairLines(pairs) {
    return (pairs ?? []).map(([name, value]) => `${name}: ${value}`).join("\n");
}

function lineView(line) {
    if (line.kind === "skipped") return element("div", { class: "skipped", text: words("difference.skipped", { count: line.count }) });
    if (line.kind === "same") return element("div", { class: "same", text: line.text || " " });
    const name = line.kind === "removed" ? "del" : "ins";
    return element(name, { class: line.kind }, spoken(`${words(`difference.${line.kind}`)}: `), line.text || " ");
}

function compare(title, before, after, { large = null } = {}) {
    if (!before && !after) return null;
    const lines = before === null || after === null || before.length + after.length > 2 * largest ? null : difference(before, after);
    const heading = element("h3", { text: title });
    const part = element("section", { class: "part" }, heading);
    if (!lines) {
        part.append(element("p", { class: "nothing", text: large ?? words("difference.large") }));
        return part;
    }
    const removed = lines.filter((line) => line.kind === "removed").length;
    const added = lines.filter((line) => line.kind === "added").length;
    if (removed + added === 0) {
        heading.append(element("span", { class: "shape", text: words("difference.same") }));
        return part;
    }
    heading.append(element("span", { class: "shape", text: words("difference.shape", { removed, added }) }));
    part.append(element("div", { class: "difference", tabindex: "0", role: "group", "aria-label": title }, folded(lines).map(lineView)));
    return part;
}

function compareBodies(title, before, after) {
    const [old, now] = [comparable(before), comparable(after)];
    const large = old === null || now === null ? words("difference.binary", { before: bytes(before?.size ?? 0), after: bytes(after?.size ?? 0) }) : null;
    if (large && before?.base64 !== undefined && before.base64 === after?.base64) return compare(title, "=", "=");
    return compare(title, old, now, { large });
}

async function fill(view, { detail, calls }) {
    const earlier = await calls.detail(detail.previous);
    const [before, after] = [earlier.attempts.at(-1), detail.attempts.at(-1)];
    const name = (part, of) => `${words(`tab.${part}`)}: ${words(`section.${of}`)}`;
    view.replaceChildren(
        element("p", { class: "nothing", text: words("difference.with", { id: `#${detail.previous}`, time: clock(earlier.summary.started) }) }),
        ...[
            compare(words("general.status"), `${earlier.summary.status ?? ""}`, `${detail.summary.status ?? ""}`),
            compare(words("general.address"), before?.request.url ?? "", after?.request.url ?? ""),
            compare(name("request", "headers"), pairLines(before?.request.headers), pairLines(after?.request.headers)),
            compareBodies(name("request", "body"), before?.request.body, after?.request.body),
            compare(name("response", "headers"), pairLines(before?.response?.headers), pairLines(after?.response?.headers)),
            compareBodies(name("response", "body"), before?.response?.body, after?.response?.body),
        ].filter(Boolean));
}

export function differenceView(context) {
    if (context.detail.previous === null || context.detail.previous === undefined) {
        return [element("p", { class: "nothing", text: words("nothing.previous") })];
    }
    const view = element("div", {}, element("p", { class: "nothing", text: words("details.loading") }));
    fill(view, context).catch((error) => {
        view.replaceChildren(element("p", { class: "notice", role: "alert", text: error.message }));
    });
    return [view];
}
