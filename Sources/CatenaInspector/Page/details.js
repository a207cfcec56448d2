// The pane with the details of one call, in tabs.

import { button, element, icon } from "./element.js";
import { words } from "./language.js";
import { outcome } from "./row.js";
import { overview } from "./overview.js";
import { requestView, responseView } from "./message.js";
import { timing } from "./timing.js";
import { differenceView } from "./difference-view.js";
import { copyText } from "./copy.js";

const tabs = ["overview", "request", "response", "timing", "difference"];

export class Details {
    id = null;
    detail = null;
    #tab = "overview";
    #attempt = null;
    #drawn = null;
    #stop = null;
    #leave = [];

    constructor(pane, { notify, onClose, onStub, onSave }) {
        this.pane = pane;
        this.notify = notify;
        this.onClose = onClose;
        this.onStub = onStub;
        this.onSave = onSave;
        pane.addEventListener("keydown", (event) => this.#key(event));
    }

    /** Sets the source of the details: the app or a file. */
    use(calls) {
        this.calls = calls;
        this.close();
    }

    async open(id, { focus = false } = {}) {
        const isOther = id !== this.id;
        this.id = id;
        this.#stop?.abort();
        this.#stop = new AbortController();
        const { signal } = this.#stop;
        this.pane.hidden = false;
        try {
            const detail = await this.calls.detail(id, signal);
            if (signal.aborted) return;
            this.detail = detail;
            if (isOther) this.#attempt = null;
            // Leave unchanged parts in the document, so that expanded, found and selected text stays so.
            if (isOther || this.#drawn !== this.#shape()) this.#draw({ keepsScroll: !isOther });
            if (focus) this.pane.querySelector("[role=tab][aria-selected=true]").focus();
        } catch (error) {
            if (signal.aborted) return;
            this.detail = null;
            this.#clear();
            const closing = button("", () => this.onClose(), { class: "quiet", "aria-label": words("close") });
            closing.append(icon("close"));
            this.pane.append(element("p", { class: "gone", role: "alert" }, element("span", { text: error.message || words("details.gone") }), closing));
        }
    }

    /** Fetches the shown call again after a change. */
    refresh() {
        if (this.id !== null && !this.pane.hidden) this.open(this.id);
    }

    /** Returns a value that changes with the shown content. */
    #shape() {
        const { summary, attempts } = this.detail;
        const messages = { request: (one) => [one.outcome, one.request], response: (one) => [one.outcome, one.response] };
        const shown = this.#tab in messages ? attempts.map(messages[this.#tab]) : this.detail;
        return JSON.stringify([this.#tab, summary.state, summary.status, shown]);
    }

    close() {
        this.#stop?.abort();
        this.#clear();
        this.id = null;
        this.detail = null;
        this.pane.hidden = true;
    }

    translate() {
        if (this.detail) this.#draw({ keepsScroll: true });
    }

    #clear() {
        this.#leave.splice(0).forEach((action) => action());
        this.pane.replaceChildren();
    }

    #draw({ keepsScroll = false } = {}) {
        const scrolled = this.pane.querySelector(".panel")?.scrollTop ?? 0;
        const hadFocus = this.pane.contains(document.activeElement) ? document.activeElement.id : null;
        this.#clear();
        const { summary, attempts } = this.detail;
        const back = button("", () => this.onClose(), { class: "quiet back", "aria-label": words("details.back") });
        back.append(icon("back"));
        const closing = button("", () => this.onClose(), { class: "quiet closing", "aria-label": words("close"), title: `${words("close")} (Esc)` });
        closing.append(icon("close"));
        this.pane.append(
            element("div", { class: "title" }, back,
                element("h2", {}, element("span", { class: "status", text: outcome(summary), data: { state: summary.state } }),
                    element("span", { class: "method", text: summary.method }), element("span", { class: "where", text: summary.path })),
                closing),
            this.#actions(), this.#tabList());
        const panel = element("div", {
            class: "panel", id: "panel", role: "tabpanel", "aria-labelledby": `tab-${this.#tab}`, tabindex: "0",
        });
        this.pane.append(panel);
        const number = this.#attempt ?? attempts.at(-1)?.number;
        const context = {
            detail: this.detail, attempt: attempts.find((one) => one.number === number) ?? attempts.at(-1) ?? null, calls: this.calls,
            notify: this.notify, onLeave: (action) => this.#leave.push(action),
            chooseAttempt: (chosen) => {
                this.#attempt = chosen;
                this.#draw({ keepsScroll: true });
            },
        };
        const views = { overview, request: requestView, response: responseView, timing, difference: differenceView };
        panel.append(...views[this.#tab](context));
        this.#drawn = this.detail.summary.state === "running" ? this.#shape() : null;
        if (keepsScroll) panel.scrollTop = scrolled;
        if (hadFocus) document.getElementById(hadFocus)?.focus();
    }

    #actions() {
        const actions = element("div", { class: "actions", role: "group", "aria-label": words("toolbar") });
        if (this.calls.runAgain) {
            const again = button(words("again"), () => this.#try(() => this.calls.runAgain(this.id), "again.done"), { id: "again" });
            again.prepend(icon("again"));
            const stub = button(words("stub.make"), () => this.onStub(this.detail), { id: "make-stub", title: words("stub.tip") });
            stub.prepend(icon("effects"));
            actions.append(again, stub);
        }
        const copies = element("span", { class: "group", role: "group", "aria-label": words("copy") },
            element("span", { class: "group-name", text: words("copy"), "aria-hidden": "true" }));
        for (const [kind, name] of [["curl", "cURL"], ["swift", "Swift"], ["stub", words("effect.stub")]]) {
            copies.append(button(name, () => this.#copy(kind), {
                id: `copy-${kind}`, disabled: !this.detail[kind], "aria-label": `${words("copy")} ${words(`copy.${kind}`)}`,
            }));
        }
        const save = button("HAR", () => this.onSave([this.id]), { id: "save-one", title: words("save.one"), "aria-label": words("save.one") });
        save.prepend(icon("archive"));
        actions.append(copies, save);
        return actions;
    }

    #tabList() {
        const list = element("div", { class: "tabs", role: "tablist", "aria-label": words("details") });
        for (const name of tabs) {
            const isChosen = name === this.#tab;
            list.append(button(words(`tab.${name}`), () => this.choose(name), {
                role: "tab", id: `tab-${name}`, "aria-selected": String(isChosen), "aria-controls": "panel", tabindex: isChosen ? "0" : "-1",
            }));
        }
        return list;
    }

    choose(name) {
        this.#tab = name;
        this.#draw();
    }

    #key(event) {
        if (event.target.getAttribute("role") !== "tab") return;
        const at = tabs.indexOf(this.#tab);
        const moves = { ArrowRight: (at + 1) % tabs.length, ArrowLeft: (at + tabs.length - 1) % tabs.length, Home: 0, End: tabs.length - 1 };
        if (!(event.key in moves)) return;
        event.preventDefault();
        this.choose(tabs[moves[event.key]]);
        this.pane.querySelector("[role=tab][aria-selected=true]").focus();
    }

    #copy(kind) {
        this.#try(() => copyText(this.detail[kind]), "copy.done");
    }

    async #try(action, done) {
        try {
            await action();
            this.notify(words(done));
        } catch (error) {
            this.notify(words("failed", { words: error.message }));
        }
    }
}
