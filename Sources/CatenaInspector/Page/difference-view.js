// Compares the request and the response of a call with those of the last successful call like it.

import { decoded } from "./body.js";
import { difference, folded } from "./difference.js";
import { element, spoken } from "./element.js";
import { bytes, clock } from "./format.js";
import { parse, pretty } from "./json-document.js";
import { currentLanguage, words } from "./language.js";

const largest = 512 * 1024;

/** Returns the text of a body for comparison. JSON has one member per line, so that a changed member is a changed line. */
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

/** Returns a section of differences, `null` if there are none, or nothing if neither call has content. */
function compare(name, before, after, large) {
    if (!before && !after && !large) return { name, isMissing: true };
    if (before === after) return { name, section: null };
    const lines = large || before.length + after.length > 2 * largest ? null : difference(before, after);
    const heading = element("h3", { text: words(name) });
    const section = element("section", { class: "part" }, heading);
    if (!lines) {
        section.append(element("p", { class: "nothing", text: large ?? words("difference.large") }));
        return { name, section };
    }
    const count = (kind) => lines.filter((line) => line.kind === kind).length;
    heading.append(element("span", { class: "shape", text: words("difference.shape", { removed: count("removed"), added: count("added") }) }));
    section.append(element("div", { class: "difference", tabindex: "0", role: "group", "aria-label": words(name) }, folded(lines).map(lineView)));
    return { name, section };
}

function compareBodies(name, before, after) {
    const [old, now] = [comparable(before), comparable(after)];
    if (old !== null && now !== null) return compare(name, old, now);
    if (before?.base64 !== undefined && before.base64 === after?.base64) return { name, section: null };
    return compare(name, "", "", words("difference.binary", { before: bytes(before?.size ?? 0), after: bytes(after?.size ?? 0) }));
}

async function fill(view, { detail, calls }) {
    const earlier = await calls.detail(detail.previous);
    const [before, after] = [earlier.attempts.at(-1), detail.attempts.at(-1)];
    const parts = [
        compare("general.status", String(earlier.summary.status ?? ""), String(detail.summary.status ?? "")),
        compare("general.address", before?.request.url ?? "", after?.request.url ?? ""),
        compare("difference.requestHeaders", pairLines(before?.request.headers), pairLines(after?.request.headers)),
        compareBodies("difference.requestBody", before?.request.body, after?.request.body),
        compare("difference.responseHeaders", pairLines(before?.response?.headers), pairLines(after?.response?.headers)),
        compareBodies("difference.responseBody", before?.response?.body, after?.response?.body),
    ].filter((part) => !part.isMissing);
    const same = parts.filter((part) => part.section === null).map((part) => words(part.name));
    view.replaceChildren(
        element("p", { class: "intro", text: words("difference.with", { id: `#${detail.previous}`, time: clock(earlier.summary.started) }) }),
        ...parts.map((part) => part.section).filter(Boolean),
        same.length === parts.length ? element("p", { text: words("difference.everything") })
            : element("p", { class: "nothing", text: same.length > 0 ? words("difference.same", { parts: same.join(currentLanguage() === "en" ? ", " : "、") }) : "" }));
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
