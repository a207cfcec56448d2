// A request or a response as it went over the wire: headers, params and body.

import { bodyView } from "./body.js";
import { button, element } from "./element.js";
import { section } from "./overview.js";
import { words } from "./language.js";

/** Makes two columns of names and values, in the order in which they were sent. */
function pairs(list, nothing) {
    if (!list || list.length === 0) return element("p", { class: "nothing", text: words(nothing) });
    return element("dl", { class: "pairs" },
        list.map(([name, value]) => element("div", {}, element("dt", { text: name }), element("dd", { text: String(value) }))));
}

/** Makes the selection of one of several attempts. */
function attemptChoice({ detail, attempt, chooseAttempt }) {
    if (detail.attempts.length < 2) return null;
    return element("div", { class: "segments", role: "group", "aria-label": words("attempt.choose") },
        detail.attempts.map((one) => button(words("attempt", { number: one.number }), () => chooseAttempt(one.number), {
            id: `attempt-${one.number}`, "aria-pressed": String(one === attempt),
        })));
}

function nothing(name) {
    return [element("p", { class: "nothing", text: words(name) })];
}

export function requestView(context) {
    const { attempt, onLeave, notify } = context;
    if (!attempt) return nothing("nothing.request");
    const { request } = attempt;
    return [
        attemptChoice(context),
        element("p", { class: "line" }, element("span", { class: "method", text: request.method }), element("span", { class: "address", text: request.url })),
        section("section.headers", pairs(request.headers, "nothing.headers")),
        request.params?.length > 0 ? section("section.params", pairs(request.params, "nothing.params")) : null,
        section("section.body", ...bodyView(request.body, { onLeave, notify })),
    ].filter(Boolean);
}

export function responseView(context) {
    const { attempt, onLeave, notify } = context;
    const choice = attemptChoice(context);
    if (!attempt?.response) {
        const isRunning = attempt?.outcome === "running";
        return [choice, ...nothing(isRunning ? "nothing.waiting" : "nothing.response")].filter(Boolean);
    }
    const { response } = attempt;
    const state = response.status < 400 ? "succeeded" : "failed";
    return [
        choice,
        element("p", { class: "line" }, element("span", { class: "status", text: String(response.status), data: { state } }),
            element("span", { class: "address", text: attempt.request.url })),
        section("section.body", ...bodyView(response.body, { onLeave, notify })),
        section("section.headers", pairs(response.headers, "nothing.headers")),
    ].filter(Boolean);
}
