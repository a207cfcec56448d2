// Temporary messages: visible at the bottom of the page, and in a polite live region for screen readers.

import { byID } from "./element.js";
import { words } from "./language.js";
import { visible } from "./unseen.js";

const quiet = 8_000;

export class Announcer {
    #timer = null;
    #new = 0;
    #last = 0;

    /** Shows and announces the result of a user's action. */
    notify(text) {
        const note = byID("note");
        note.textContent = visible(text);
        note.classList.add("shown");
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => note.classList.remove("shown"), 4_000);
    }

    /** Announces words to screen readers only. */
    say(text) {
        byID("announcement").textContent = text;
    }

    /** Announces new calls as a summary from time to time. */
    count(fresh) {
        this.#new += fresh;
        const now = Date.now();
        if (this.#new === 0 || now - this.#last < quiet) return;
        this.#last = now;
        this.say(words("count.new", { count: this.#new }));
        this.#new = 0;
    }
}
