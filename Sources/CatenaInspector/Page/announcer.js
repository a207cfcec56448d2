// Words that come and go: for the eye at the foot of the page, for the ear in a polite live region.

import { byID } from "./element.js";
import { words } from "./language.js";

const quiet = 8_000;

export class Announcer {
    #timer = null;
    #new = 0;
    #last = 0;

    /** Something the reader has just caused. */
    notify(text) {
        const note = byID("note");
        note.textContent = text;
        note.classList.add("shown");
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => note.classList.remove("shown"), 4_000);
    }

    /** Only for the ear. */
    say(text) {
        byID("announcement").textContent = text;
    }

    /** New calls are summed up now and then, never one by one. */
    count(fresh) {
        this.#new += fresh;
        const now = Date.now();
        if (this.#new === 0 || now - this.#last < quiet) return;
        this.#last = now;
        this.say(words("count.new", { count: this.#new }));
        this.#new = 0;
    }
}
