// A line above the list for the state of the page: no connection, a refused key, an open file.

import { button, byID, element } from "./element.js";
import { words } from "./language.js";

function show(kind, role, ...content) {
    byID("banner").replaceChildren(element("div", { class: `banner ${kind}`, role }, ...content));
}

export function hideBanner() {
    byID("banner").replaceChildren();
}

export function showLost() {
    show("warning", "status", element("p", { text: words("banner.lost") }));
}

/** Returns the code in an address, or null if it has none. */
export function codeIn(text) {
    return /#open=([^&#\s]+)/.exec(text)?.[1] ?? null;
}

/** Asks for the address or the key, with the app's message. `connect` receives `{code}` or `{key}`. */
export function askForKey(name, said, connect) {
    const field = element("input", {
        type: "text", id: "banner-key", "aria-label": words("banner.address"), placeholder: words("banner.address"), autocomplete: "off",
        spellcheck: "false", required: true,
    });
    const form = element("form", {}, field, element("button", { type: "submit", text: words("banner.connect") }));
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        const text = field.value.trim();
        const code = codeIn(text);
        connect(code === null ? { key: text } : { code });
    });
    show("failure", "alert", element("p", {}, words(name), said ? element("span", { class: "said", text: said }) : null), form);
}

export function showFile(name, back) {
    show("info", "status", element("p", { text: words("banner.file", { name }) }), back ? button(words("banner.live"), back, { id: "back-to-app" }) : null);
}

export function showProblem(text) {
    show("failure", "alert", element("p", { text }), button(words("dismiss"), hideBanner, { class: "quiet" }));
}
