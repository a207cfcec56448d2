// The effects on the app's calls: a badge for each active effect, and a button that removes all.

import { button, byID, element, icon } from "./element.js";
import { effectForm, stubFrom } from "./effect-form.js";
import { duration } from "./format.js";
import { number, words } from "./language.js";

/** Returns a short description of an effect without its kind. */
function summary(effect) {
    const where = effect.tag ?? words("effect.everything");
    switch (effect.kind) {
    case "stub": return `${effect.method ?? "*"} ${effect.path} → ${effect.status}${effect.delay > 0 ? `, ${duration(effect.delay)}` : ""}`;
    case "slow": return `${where}, +${duration(effect.delay)}`;
    case "fail": return `${where}, ${number(Math.round(effect.share * 1000) / 10)} %${effect.status ? ` → ${effect.status}` : ""}`;
    default: return where;
    }
}

function name(effect) {
    return `${words(`effect.${effect.kind}`)}: ${summary(effect)}`;
}

export class Effects {
    #effects = [];

    constructor(calls, { notify, tags }) {
        this.calls = calls;
        this.notify = notify;
        this.tags = tags;
        this.badges = byID("badges");
        this.dialog = byID("effects-dialog");
        this.opener = byID("effects");
        this.opener.addEventListener("click", () => this.open());
        calls.onEffects((effects) => {
            this.#effects = effects;
            this.show();
        });
    }

    /** Redraws the badges and the list of the dialog. */
    show() {
        this.badges.hidden = this.#effects.length === 0;
        this.badges.replaceChildren(
            element("span", { class: "badges-name", text: words("effects.now") }),
            element("ul", {}, this.#effects.map((effect) => this.#item(effect))),
            button(words("effects.undoAll"), () => this.#undo(), { class: "quiet", id: "undo-all" }));
        const count = this.#effects.length;
        this.opener.querySelector(".word").textContent = count === 0 ? words("effects") : `${words("effects")} (${number(count)})`;
        this.opener.classList.toggle("on", count > 0);
        this.#list?.replaceChildren(...this.#listed());
    }

    #list = null;

    #item(effect) {
        const undo = button("", () => this.#undo(effect), {
            class: "quiet", "aria-label": words("effects.undoOne", { name: name(effect) }), title: words("effects.undo"),
        });
        undo.append(icon("close"));
        return element("li", { class: "badge", data: { kind: effect.kind } },
            element("span", { class: "badge-kind", text: words(`effect.${effect.kind}`) }),
            element("span", { class: "badge-what", text: summary(effect), title: summary(effect) }),
            element("span", { class: "hits", text: words("effects.hits", { count: effect.hits ?? 0 }) }), undo);
    }

    #listed() {
        if (this.#effects.length === 0) return [element("p", { class: "nothing", text: words("effects.none") })];
        return [
            element("ul", {}, this.#effects.map((effect) => this.#item(effect))),
            button(words("effects.undoAll"), () => this.#undo(), { class: "quiet" }),
        ];
    }

    async #undo(effect) {
        try {
            await this.calls.removeEffect(effect?.id);
            this.notify(words("effects.removed"));
        } catch (error) {
            this.notify(words("failed", { words: error.message }));
        }
    }

    /** Opens the dialog. With a call, its form has a stub of the call's response. */
    open(detail) {
        this.#list = element("div", { class: "effect-list" }, this.#listed());
        const closing = button("", () => this.dialog.close(), { class: "quiet closing", "aria-label": words("close") });
        closing.append(icon("close"));
        const form = effectForm({
            tags: this.tags(), stub: detail ? stubFrom(detail) : null,
            add: async (effect) => {
                const added = await this.calls.addEffect(effect);
                this.dialog.close();
                this.notify(words("effects.added", { name: name({ ...effect, ...added }) }));
            },
        });
        this.dialog.replaceChildren(
            element("div", { class: "title" }, element("h2", { id: "effects-title", text: words("effects") }), closing),
            this.#list, form);
        this.dialog.showModal();
        form.querySelector("[aria-pressed=true]")?.focus();
    }
}
