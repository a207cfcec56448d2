// The keys of the page, and the dialog that names them.

import { button, byID, element, icon } from "./element.js";
import { words } from "./language.js";

const space = () => words("keys.spaceName");
const keys = () => [
    [["↑", "↓"], "keys.move"], [["Page ↑", "Page ↓", "Home", "End"], "keys.page"], [["Enter"], "keys.open"], [["Esc"], "keys.close"],
    [["Shift ↑", "Shift ↓", space(), "Ctrl-click"], "keys.select"], [["Ctrl A"], "keys.selectAll"], [["←", "→"], "keys.tabs"],
    [["/"], "keys.search"], [["?"], "keys.help"],
];

/** Keys of a single letter can be switched off, because speech input could trigger them by chance (WCAG 2.1.4). */
const areSingleKeysOn = () => localStorage.getItem("single-keys") !== "off";

export class Keyboard {
    constructor({ onSearch, onEscape }) {
        this.dialog = byID("keyboard-dialog");
        byID("keyboard").addEventListener("click", () => this.open());
        document.addEventListener("keydown", (event) => {
            if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open], :popover-open")) return;
            const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select");
            if (event.key === "Escape") onEscape(event);
            else if (isTyping || !areSingleKeysOn()) return;
            else if (event.key === "/") onSearch();
            else if (event.key === "?") this.open();
            else return;
            event.preventDefault();
        });
    }

    open() {
        const closing = button("", () => this.dialog.close(), { class: "quiet closing", "aria-label": words("close") });
        closing.append(icon("close"));
        const single = element("input", { type: "checkbox", id: "single-keys", checked: areSingleKeysOn() });
        single.addEventListener("change", () => localStorage.setItem("single-keys", single.checked ? "on" : "off"));
        this.dialog.replaceChildren(
            element("div", { class: "title" }, element("h2", { id: "keyboard-title", text: words("keyboard") }), closing),
            element("dl", { class: "keys" }, keys().map(([names, does]) =>
                element("div", {}, element("dt", {}, names.map((name) => element("kbd", { text: name }))), element("dd", { text: words(does) })))),
            element("label", { class: "check" }, single, words("keys.single")));
        this.dialog.showModal();
    }
}
