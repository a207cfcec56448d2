// The list with its filter, and the number of calls.

import { byID, element } from "./element.js";
import { everything, test } from "./filter.js";
import { number, words } from "./language.js";
import { CallList } from "./list.js";

export class CallsView {
    #store;
    #filter = { ...everything };
    #tags = new Set();
    #frame = 0;
    #known = 0;

    constructor({ announcer, onActivate, onSelect }) {
        this.announcer = announcer;
        this.list = new CallList(byID("list"), { onActivate, onSelect });
        this.text = byID("filter-text");
        this.text.addEventListener("input", () => this.#set({ text: this.text.value }));
        byID("filter-tag").addEventListener("change", (event) => this.#set({ tag: event.target.value }));
        byID("filter-status").addEventListener("change", (event) => this.#set({ status: event.target.value }));
        byID("filter-failures").addEventListener("change", (event) => this.#set({ failures: event.target.checked }));
        this.text.addEventListener("keydown", (event) => {
            if (event.key === "ArrowDown") this.list.grid.focus();
            else if (event.key === "Escape" && this.text.value) this.clearText();
            else return;
            event.preventDefault();
        });
        // The duration of running calls grows without an event.
        setInterval(() => {
            if (!document.hidden && this.list.shown.some((call) => call.state === "running")) this.list.redraw();
        }, 250);
    }

    /** Shows the calls of a store. */
    use(store, clockDifference = 0) {
        const isNew = this.#store !== store;
        this.#store = store;
        this.#known = store.calls.length;
        this.list.clockDifference = clockDifference;
        if (isNew) this.list.selected.clear();
        if (isNew && !store.isFollowed) {
            store.isFollowed = true;
            store.onChange(() => store === this.#store && this.#later());
        }
        this.#later();
    }

    get knownTags() {
        return [...this.#tags];
    }

    addTags(tags) {
        for (const tag of tags) {
            if (!tag || this.#tags.has(tag)) continue;
            this.#tags.add(tag);
            byID("filter-tag").append(element("option", { value: tag, text: tag }));
        }
    }

    clearText() {
        this.text.value = "";
        this.#set({ text: "" });
    }

    #set(change) {
        Object.assign(this.#filter, change);
        this.list.grid.scrollTop = 0;
        this.#update();
        this.announcer.say(this.#count());
    }

    #later() {
        this.#frame ||= requestAnimationFrame(() => this.#update());
    }

    #update() {
        this.#frame = 0;
        const { calls } = this.#store;
        const passes = test(this.#filter);
        const shown = passes ? calls.filter(passes) : calls.slice();
        this.addTags(new Set(calls.slice(-500).map((call) => call.tag)));
        this.list.show(shown);
        this.announcer.count(Math.max(calls.length - this.#known, 0));
        this.#known = calls.length;
        byID("count").textContent = this.#count();
        byID("filter-failures").parentElement.dataset.count = number(calls.filter((call) => call.state === "failed").length);
        this.#showEmpty();
    }

    #count() {
        const count = this.#store.calls.length;
        const shown = this.list.shown.length;
        const parts = [shown === count ? words("count.all", { count }) : words("count.some", { shown, count })];
        const failed = this.list.shown.filter((call) => call.state === "failed").length;
        if (failed > 0) parts.push(words("count.failed", { count: failed }));
        const { calls, bodies } = this.#store.gone;
        if (calls > 0) parts.push(words("count.gone", { count: calls }));
        if (bodies > 0) parts.push(words("count.bodies", { count: bodies }));
        return parts.join(" · ");
    }

    #showEmpty() {
        const box = byID("empty");
        box.hidden = this.list.shown.length > 0;
        if (box.hidden) return;
        const name = this.#store.calls.length === 0 ? "calls.empty" : "calls.none";
        box.children[0].textContent = words(name);
        box.children[1].textContent = words(`${name}Hint`);
    }

    translate() {
        this.list.translate();
        this.#update();
    }
}
