// The times of a call: its stages as a lane, and below it each attempt with its phases. All figures are also available as text.

import { element } from "./element.js";
import { duration } from "./format.js";
import { words } from "./language.js";
import { section } from "./overview.js";

/** Returns the name of a stage for readers. Stages of the app have their own names. */
function nameOf(kind, name) {
    const key = `${kind}.${name}`;
    const found = words(key);
    return found === key ? name : found;
}

/** Returns the phases of an attempt, one after the other. */
function phasesOf(attempt) {
    let start = attempt.start;
    return attempt.phases.map(({ name, ms }) => {
        const span = { kind: "phase", name, start, end: start + ms };
        start += ms;
        return span;
    });
}

/** Puts overlapping spans on separate lines. */
function stacked(spans) {
    const lines = [];
    for (const span of [...spans].sort((one, other) => one.start - other.start)) {
        const line = lines.find((one) => one.at(-1).end <= span.start + 0.001);
        if (line) line.push(span);
        else lines.push([span]);
    }
    return lines;
}

function segment(span, total, show) {
    const start = Math.min(span.start / total, 1);
    const share = Math.min((span.end - span.start) / total, 1 - start);
    const label = words("timing.segment", {
        name: nameOf(span.kind, span.name), duration: duration(span.end - span.start), start: duration(span.start), end: duration(span.end),
    });
    const made = element("span", {
        class: "span", role: "img", tabindex: "0", "aria-label": label, data: { name: span.name },
        on: { pointerenter: () => show(made, label), pointerleave: () => show(null), focus: () => show(made, label), blur: () => show(null) },
    });
    made.style.left = `${start * 100}%`;
    made.style.width = `${share * 100}%`;
    return made;
}

/** Makes a tooltip. The returned function shows the words of the segment with the pointer or the focus. */
function tip(chart) {
    const box = element("div", { class: "tip", "aria-hidden": "true", hidden: true });
    chart.append(box);
    return (at, label) => {
        box.hidden = !at;
        if (!at) return;
        box.textContent = label;
        const outer = chart.getBoundingClientRect();
        const inner = at.getBoundingClientRect();
        const left = inner.left - outer.left + inner.width / 2 - box.offsetWidth / 2;
        box.style.left = `${Math.max(0, Math.min(left, outer.width - box.offsetWidth))}px`;
        box.style.top = `${inner.bottom - outer.top + 6}px`;
    };
}

/** Returns round values for the axis, in about four steps. */
function ticks(total) {
    const rough = total / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
    return Array.from({ length: Math.floor(total / step) + 1 }, (_, index) => index * step).filter((at) => at < total * 0.94);
}

function line(name, spans, total, show) {
    return element("div", { class: "lane" }, element("span", { class: "lane-name", text: name }),
        element("div", { class: "track" }, spans.map((span) => segment(span, total, show))));
}

function figures(groups) {
    const rows = groups.flatMap(({ name, spans }) => [
        name ? element("tr", { class: "group-row" }, element("th", { colspan: "4", scope: "rowgroup", text: name })) : null,
        ...spans.map((span) => element("tr", {},
            element("th", { scope: "row" }, element("span", { class: "swatch", data: { name: span.name }, "aria-hidden": "true" }), nameOf(span.kind, span.name)),
            ...[span.start, span.end - span.start, span.end].map((value) => element("td", { text: duration(value) })))),
    ]);
    const head = ["timing.part", "timing.start", "timing.duration", "timing.end"].map((name) => element("th", { scope: "col", text: words(name) }));
    return element("table", { class: "figures" }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows.filter(Boolean)));
}

export function timing({ detail }) {
    const attempts = detail.attempts.map((attempt) => ({ attempt, spans: phasesOf(attempt) }));
    const lanes = detail.lanes.map((lane) => ({ kind: "lane", ...lane }));
    const ends = [...lanes, ...attempts.flatMap(({ attempt, spans }) => [attempt, ...spans])].map((span) => span.end ?? 0);
    const total = Math.max(detail.summary.ms ?? 0, ...ends);
    if (total <= 0 || ends.length === 0) return [element("p", { class: "nothing", text: words("nothing.timing") })];
    const chart = element("div", { class: "chart" });
    const show = tip(chart);
    const axis = element("div", { class: "axis", "aria-hidden": "true" }, ticks(total).map((at) => {
        const mark = element("span", { text: at === 0 ? "0" : duration(at) });
        mark.style.left = `${(at / total) * 100}%`;
        return mark;
    }));
    chart.prepend(element("div", { class: "lane" }, element("span", { class: "lane-name" }), element("div", { class: "track" }, axis)));
    stacked(lanes).forEach((spans, index) => chart.append(line(index === 0 ? words("timing.stages") : "", spans, total, show)));
    for (const { attempt, spans } of attempts) chart.append(line(words("attempt", { number: attempt.number }), spans, total, show));
    const groups = attempts.map(({ attempt, spans }) => {
        const outcome = attempt.response?.status ?? words(`state.${attempt.outcome}`);
        return { name: [words("attempt", { number: attempt.number }), outcome, duration(attempt.end - attempt.start)].join(" · "), spans };
    });
    if (lanes.length > 0) groups.unshift({ name: words("timing.stages"), spans: lanes });
    return [chart, section("timing.figures", figures(groups))];
}
