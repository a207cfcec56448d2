// The form for one effect: a stub, a delay, failures, or no network.

import { mediaType } from "./body.js";
import { button, element } from "./element.js";
import { words } from "./language.js";

const kinds = ["stub", "slow", "fail", "offline"];
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY", "HEAD", "OPTIONS"];
/** Headers about the transfer of a response, which would be wrong for an edited one. */
const transport = /^(content-length|content-encoding|transfer-encoding|connection|keep-alive|date)$/i;

/** Returns the form's initial values for a recorded response. */
export function stubFrom(detail) {
    const { summary, attempts } = detail;
    const response = attempts.at(-1)?.response;
    const body = response?.body;
    const headers = (response?.headers ?? []).filter(([name]) => !transport.test(name));
    if (headers.length === 0) headers.push(["Content-Type", mediaType(body) || "application/json"]);
    return {
        tag: summary.tag, method: summary.method, path: summary.path.split("?")[0], status: response?.status ?? 200, headers,
        body: body?.text ?? "", delay: 0, isCut: body?.cut === true, isBinary: body?.base64 !== undefined,
    };
}

function field(name, input, { wide = false } = {}) {
    input.id = `form-${name.replace(/.*\./, "")}`;
    return element("div", { class: wide ? "form-field wide" : "form-field" }, element("label", { for: input.id, text: words(name) }), input);
}

function choice(options, chosen) {
    return element("select", {}, options.map(([value, text]) => element("option", { value, text, selected: value === (chosen ?? "") })));
}

function figure(value, least, most, properties = {}) {
    return element("input", { type: "number", value: String(value), min: String(least), max: String(most), step: "any", required: true, ...properties });
}

function tagField(tags, chosen) {
    const known = [...new Set([...tags, ...(chosen ? [chosen] : [])])];
    return field("form.tag", choice([["", words("form.everyTag")], ...known.map((tag) => [tag, tag])], chosen));
}

/** Parses lines of "Name: value". Throws a message for another line. */
function headersIn(text) {
    return text.split("\n").filter((line) => line.trim() !== "").map((line) => {
        const colon = line.indexOf(":");
        if (colon < 1) throw new Error(words("form.header", { line }));
        return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    });
}

function fieldsOf(kind, tags, stub) {
    const start = stub ?? { tag: null, method: "GET", path: "/", status: 200, headers: [["Content-Type", "application/json"]], body: "{}", delay: 0 };
    const tag = tagField(tags, kind === "stub" ? start.tag : stub?.tag);
    if (kind === "slow") return [tag, field("form.delay", figure(2000, 0, 600_000))];
    if (kind === "fail") {
        return [tag, field("form.share", figure(30, 0, 100)),
            field("form.failStatus", figure("503", 100, 599, { required: false, placeholder: words("form.failStatusHint"), step: "1" }))];
    }
    if (kind === "offline") return [tag];
    const path = element("input", { type: "text", value: start.path, required: true, autocomplete: "off", spellcheck: "false", class: "mono" });
    const headers = element("textarea", { rows: "3", class: "mono", spellcheck: "false" });
    headers.value = start.headers.map(([name, value]) => `${name}: ${value}`).join("\n");
    const body = element("textarea", { rows: "9", class: "mono", spellcheck: "false" });
    body.value = start.body;
    const notice = start.isBinary ? "form.binaryBody" : start.isCut ? "form.cutBody" : null;
    return [
        tag, field("form.method", choice([["", words("form.everyMethod")], ...methods.map((method) => [method, method])], start.method)),
        field("form.status", figure(start.status, 100, 599, { step: "1" })), field("form.delay", figure(start.delay, 0, 600_000)),
        field("form.path", path, { wide: true }), field("form.headers", headers, { wide: true }), field("form.body", body, { wide: true }),
        notice ? element("p", { class: "notice wide", text: words(notice) }) : null,
    ].filter(Boolean);
}

function effectIn(form, kind) {
    const value = (name) => form.querySelector(`#form-${name}`)?.value ?? "";
    const tag = value("tag") || null;
    if (kind === "slow") return { kind, tag, delay: Number(value("delay")) };
    if (kind === "fail") return { kind, tag, share: Number(value("share")) / 100, status: value("failStatus") ? Number(value("failStatus")) : null };
    if (kind === "offline") return { kind, tag };
    return {
        kind, tag, method: value("method") || null, path: value("path"), status: Number(value("status")), headers: headersIn(value("headers")),
        body: value("body"), delay: Number(value("delay")),
    };
}

/** Makes the form. `add` sends the effect to the app; the form shows an error that it throws. */
export function effectForm({ tags, stub, add }) {
    let kind = "stub";
    const fields = element("div", { class: "fields" });
    const problem = element("p", { class: "problem", role: "alert", id: "form-problem" });
    const submit = element("button", { type: "submit", class: "main" });
    const segments = element("div", { class: "segments", role: "group", "aria-label": words("effects.kind") });
    const choose = (chosen) => {
        kind = chosen;
        problem.textContent = "";
        submit.textContent = words(`form.add.${kind}`);
        fields.replaceChildren(...fieldsOf(kind, tags, stub));
        for (const one of segments.children) one.setAttribute("aria-pressed", String(one.dataset.kind === kind));
    };
    segments.append(...kinds.map((one) => button(words(`effect.${one}.long`), () => choose(one), { data: { kind: one } })));
    const form = element("form", { method: "dialog" }, segments, fields, problem, element("div", { class: "form-end" }, submit));
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        problem.textContent = "";
        submit.disabled = true;
        try {
            await add(effectIn(form, kind));
        } catch (error) {
            problem.textContent = error.message;
        } finally {
            submit.disabled = false;
        }
    });
    choose("stub");
    return form;
}
