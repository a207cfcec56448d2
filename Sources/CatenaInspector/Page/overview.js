// The outcome of a call: its facts, its error, the reading of its envelope and its decisions.

import { bytes, dateAndClock, duration } from "./format.js";
import { element } from "./element.js";
import { kindWords } from "./row.js";
import { words } from "./language.js";

/** Makes a section with a heading. */
export function section(name, ...content) {
    return element("section", { class: "part" }, element("h3", { text: words(name) }), ...content);
}

/** Makes a list of names and values. Leaves out names without a value. */
export function facts(pairs) {
    const list = element("dl", { class: "facts" });
    for (const [name, value, properties = {}] of pairs) {
        if (value === null || value === undefined || value === "") continue;
        list.append(element("div", {}, element("dt", { text: name }), element("dd", { text: String(value), ...properties })));
    }
    return list;
}

/** Formats "retry: after 200 ms" with the part before the colon emphasized. */
function statement(line) {
    const colon = line.indexOf(": ");
    if (colon < 1 || colon > 24) return element("li", { text: line });
    return element("li", {}, element("span", { class: "subject", text: line.slice(0, colon) }), element("span", { text: line.slice(colon + 2) }));
}

function statements(lines) {
    return element("ul", { class: "statements" }, lines.map(statement));
}

function errorBox(error) {
    return element("section", { class: "part error" }, element("h3", { text: words("section.error") }),
        error.message ? element("p", { class: "message", text: error.message }) : null,
        facts([
            [words("error.kind"), kindWords(error.kind)], [words("general.code"), error.code],
            [words("error.description"), error.description], [words("error.underlying"), error.underlying],
        ]));
}

function redirectChain(redirects) {
    const steps = redirects.map((redirect) =>
        element("li", {}, element("span", { class: "status", text: String(redirect.status) }),
            element("span", { class: "address", text: redirect.from }), element("span", { class: "arrow", text: "→", "aria-hidden": "true" }),
            element("span", { class: "address", text: redirect.to })));
    return section("section.redirects", element("ol", { class: "redirects" }, steps));
}

function attemptList(attempts) {
    const rows = attempts.map((attempt) =>
        element("li", { data: { outcome: attempt.outcome } },
            element("span", { class: "subject", text: words("attempt", { number: attempt.number }) }),
            element("span", {
                class: "status", text: attempt.response ? String(attempt.response.status) : words(`state.${attempt.outcome}`),
                data: { state: attempt.outcome },
            }),
            element("span", { class: "figure", text: duration(attempt.end - attempt.start) }),
            attempt.error ? element("span", { class: "reason", text: attempt.error }) : null));
    return section("section.attempts", element("ol", { class: "attempts" }, rows));
}

export function overview({ detail }) {
    const { summary, attempts, error, envelope, decisions } = detail;
    const last = attempts.at(-1);
    const redirects = attempts.flatMap((attempt) => attempt.redirects ?? []);
    const effects = [...new Set(summary.effects ?? [])].map((effect) => words(`effect.${effect}`)).join(", ");
    return [
        error ? errorBox(error) : null,
        section("section.general", facts([
            [words("general.address"), last?.request.url ?? summary.host + summary.path, { class: "address" }],
            [words("general.method"), summary.method],
            [words("general.status"), summary.status],
            [words("general.state"), words(`state.${summary.state}`)],
            [words("general.code"), summary.code],
            [words("general.message"), error?.message === summary.message ? null : summary.message],
            [words("general.tag"), summary.tag],
            [words("general.source"), summary.source ? words(`source.${summary.source}`) : null],
            [words("general.freshness"), summary.freshness ? words(`freshness.${summary.freshness}`) : null],
            [words("general.began"), dateAndClock(summary.started)],
            [words("general.took"), duration(summary.ms)],
            [words("general.sent"), summary.sent ? bytes(summary.sent) : null],
            [words("general.received"), summary.received ? bytes(summary.received) : null],
            [words("general.effects"), effects],
        ])),
        attempts.length > 1 ? attemptList(attempts) : null,
        redirects.length > 0 ? redirectChain(redirects) : null,
        section("section.envelope", envelope.length > 0 ? statements(envelope) : element("p", { class: "nothing", text: words("nothing.envelope") })),
        decisions.length > 0 ? section("section.decisions", statements(decisions)) : null,
        detail.redacted ? element("p", { class: "nothing", text: words("redacted") }) : null,
    ].filter(Boolean);
}
