// The list of calls, newest first. Only visible rows are in the document.

import { columns, emptyRow, fillRow } from "./row.js";
import { element } from "./element.js";
import { words } from "./language.js";
import { indexOf } from "./store.js";

/** The number of rows above and below the visible ones, so that scrolling shows no gaps. */
const overscan = 8;
const mostRows = 200;

export class CallList {
    /** The calls that pass the filter, oldest first. */
    shown = [];
    /** The call with the keyboard focus. */
    active = null;
    selected = new Set();
    /** The time by which the app's clock is behind this page's. */
    clockDifference = 0;
    #rows = new Map();
    #anchor = null;
    #rowHeight = 28;
    #frame = 0;

    constructor(section, { onActivate, onSelect }) {
        this.onActivate = onActivate;
        this.onSelect = onSelect;
        this.head = element("div", { role: "row", class: "row head-row", "aria-rowindex": 1 });
        this.body = element("div", { role: "rowgroup", class: "rows" });
        this.grid = element(
            "div", { id: "grid", role: "grid", class: "grid", tabindex: "0", "aria-multiselectable": "true", "aria-colcount": columns.length },
            element("div", { role: "rowgroup", class: "head" }, this.head), this.body);
        section.prepend(this.grid);
        this.grid.addEventListener("scroll", () => this.#later(), { passive: true });
        this.grid.addEventListener("keydown", (event) => this.#key(event));
        this.body.addEventListener("click", (event) => this.#click(event));
        new ResizeObserver(() => this.#measure()).observe(this.grid);
        this.translate();
    }

    translate() {
        this.grid.setAttribute("aria-label", words("calls"));
        this.head.replaceChildren(...columns.map((name, index) =>
            element("div", { role: "columnheader", class: `cell ${name}`, "aria-colindex": index + 1, text: words(`column.${name}`) })));
        for (const row of this.#rows.values()) for (const cell of row.children) delete cell.dataset.shown;
        this.#later();
    }

    /** Shows calls, which are sorted by id. Visible rows keep their position on the screen. */
    show(calls) {
        const anchor = this.grid.scrollTop > 0 ? this.#topCall() : null;
        this.shown = calls;
        for (const id of this.selected) if (indexOf(calls, id) < 0) this.selected.delete(id);
        if (this.active !== null && indexOf(calls, this.active) < 0) this.active = null;
        this.grid.setAttribute("aria-rowcount", calls.length + 1);
        this.#anchor = anchor ?? this.#anchor;
        this.#later();
    }

    /** Draws once in the next frame, regardless of the number of requests to draw. */
    #later() {
        this.#frame ||= requestAnimationFrame(() => {
            this.#frame = 0;
            this.#draw();
        });
    }

    redraw() {
        this.#later();
    }

    /** Reads the height of a row, which differs in a narrow window. */
    #measure() {
        this.#rowHeight = Number.parseFloat(getComputedStyle(this.grid).getPropertyValue("--row-height")) || this.#rowHeight;
        this.#later();
    }

    #topCall() {
        const height = this.#rowHeight;
        const index = Math.floor(this.grid.scrollTop / height);
        const call = this.shown[this.shown.length - 1 - index];
        return call ? { id: call.id, offset: this.grid.scrollTop - index * height } : null;
    }

    /** Returns the index of a call on the screen, counted from the newest. */
    #placeOf(id) {
        const index = indexOf(this.shown, id);
        return index < 0 ? -1 : this.shown.length - 1 - index;
    }

    #draw() {
        const height = this.#rowHeight;
        const count = this.shown.length;
        this.body.style.height = `${count * height}px`;
        if (this.#anchor) {
            const place = this.#placeOf(this.#anchor.id);
            if (place >= 0) this.grid.scrollTop = place * height + this.#anchor.offset;
            this.#anchor = null;
        }
        const first = Math.max(0, Math.floor(this.grid.scrollTop / height) - overscan);
        const seen = Math.ceil(this.grid.clientHeight / height) + 2 * overscan;
        const last = Math.min(count, first + Math.min(seen, mostRows));
        const wanted = new Map();
        for (let place = first; place < last; place += 1) wanted.set(this.shown[count - 1 - place].id, place);
        this.#arrange(wanted, height);
        const isDrawn = this.active !== null && this.#rows.has(this.active);
        if (isDrawn) this.grid.setAttribute("aria-activedescendant", `call-${this.active}`);
        else this.grid.removeAttribute("aria-activedescendant");
    }

    /** Puts the rows into the document in their visible order, for screen readers. Moves as few rows as possible. */
    #arrange(wanted, height) {
        const free = new Set();
        for (const [id, row] of this.#rows) {
            if (wanted.has(id)) continue;
            this.#rows.delete(id);
            free.add(row);
        }
        const now = Date.now() - this.clockDifference;
        let next = this.body.firstElementChild;
        for (const [id, place] of wanted) {
            let row = this.#rows.get(id);
            if (row) {
                while (free.has(next)) next = next.nextElementSibling;
            } else {
                row = free.has(next) ? next : (free.values().next().value ?? emptyRow());
                free.delete(row);
                this.#rows.set(id, row);
            }
            if (row === next) next = next.nextElementSibling;
            else this.body.insertBefore(row, next);
            this.#write(row, id, place, height, now);
        }
        for (const row of free) row.remove();
    }

    #write(row, id, place, height, now) {
        row.id = `call-${id}`;
        row.dataset.id = id;
        row.style.transform = `translateY(${place * height}px)`;
        row.setAttribute("aria-rowindex", place + 2);
        row.setAttribute("aria-selected", this.selected.has(id));
        row.classList.toggle("odd", place % 2 === 1);
        row.classList.toggle("active", id === this.active);
        fillRow(row, this.shown[this.shown.length - 1 - place], now);
    }

    #click(event) {
        const row = event.target.closest(".row");
        if (!row) return;
        const id = Number(row.dataset.id);
        if (event.shiftKey && this.active !== null) this.#extend(id);
        else if (event.ctrlKey || event.metaKey) this.toggle(id);
        else {
            this.select(id);
            this.onActivate(id);
        }
    }

    /** Selects only this call. */
    select(id) {
        this.active = id;
        this.selected = new Set([id]);
        this.#selectionChanged();
    }

    toggle(id) {
        this.active = id;
        if (!this.selected.delete(id)) this.selected.add(id);
        this.#selectionChanged();
    }

    selectAll() {
        this.selected = new Set(this.shown.map((call) => call.id));
        this.#selectionChanged();
    }

    #extend(id) {
        const [low, high] = [indexOf(this.shown, this.active), indexOf(this.shown, id)].sort((one, other) => one - other);
        for (const call of this.shown.slice(Math.max(low, 0), high + 1)) this.selected.add(call.id);
        this.active = id;
        this.#selectionChanged();
    }

    #selectionChanged() {
        this.onSelect();
        this.#later();
    }

    #key(event) {
        const count = this.shown.length;
        if (count === 0) return;
        const page = Math.max(1, Math.floor(this.grid.clientHeight / this.#rowHeight) - 2);
        const place = this.active === null ? -1 : this.#placeOf(this.active);
        const moves = {
            ArrowDown: place + 1, ArrowUp: Math.max(place - 1, 0), PageDown: place + page, PageUp: place - page, Home: 0, End: count - 1,
        };
        if (event.key in moves) {
            const target = Math.min(Math.max(moves[event.key], 0), count - 1);
            this.#move(this.shown[count - 1 - target].id, target, event.shiftKey);
        } else if (event.key === "Enter" && this.active !== null) {
            this.onActivate(this.active, { focus: true });
        } else if (event.key === " " && this.active !== null) {
            this.toggle(this.active);
        } else if (event.key === "a" && (event.ctrlKey || event.metaKey)) {
            this.selectAll();
        } else {
            return;
        }
        event.preventDefault();
    }

    #move(id, place, isExtending) {
        if (isExtending && this.active !== null) this.#extend(id);
        else this.select(id);
        const height = this.#rowHeight;
        const top = place * height;
        const room = this.grid.clientHeight - this.head.offsetHeight;
        if (top < this.grid.scrollTop) this.grid.scrollTop = top;
        else if (top + height > this.grid.scrollTop + room) this.grid.scrollTop = top + height - room;
        this.onMove?.(id);
    }
}
