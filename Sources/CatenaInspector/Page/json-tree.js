// A collapsible, searchable tree of JSON. Children are made when they are first visible, a hundred at a time, so that a large
// document opens at once.

import { button, element, icon } from "./element.js";
import { nodesOf, readable } from "./json-document.js";
import { number, words } from "./language.js";

const batch = 100;
/** The number of nodes that are expanded initially. */
const openNodes = 150;
const longText = 2_000;
const mostMatches = 5_000;

export class JSONTree {
    #shown = new Map();
    #matches = [];
    #at = -1;
    #needle = "";

    constructor(root) {
        this.root = root;
        this.list = element("ul", { class: "json" });
        this.list.append(this.#item(root));
        let left = openNodes;
        for (const node of nodesOf(root)) {
            if (!node.children || node.children.length === 0) continue;
            left -= node.children.length;
            if (left < 0 && node !== root) break;
            this.#unfold(node);
        }
    }

    #item(node) {
        const item = element("li", { data: { kind: node.kind } });
        const line = element("div", { class: "line" });
        item.append(line);
        const place = { item, line, children: null, made: 0 };
        this.#shown.set(node, place);
        if (node.children?.length > 0) {
            const name = node.key ? readable(node.key) : words("json.whole");
            place.fold = button("", () => (place.children && !place.children.hidden ? this.#fold(node) : this.#unfold(node)), {
                class: "fold", "aria-expanded": "false", "aria-label": words("json.fold", { name }),
            });
            place.fold.append(icon("fold"));
        }
        this.#write(node);
        return item;
    }

    /** Writes the line of a node, with the search text marked. */
    #write(node) {
        const { line, fold } = this.#shown.get(node);
        const parts = [];
        if (fold) parts.push(fold);
        if (node.key) parts.push(element("span", { class: "key" }, this.#marked(readable(node.key), node)), ": ");
        if (node.children) {
            const isObject = node.kind === "object";
            const count = node.children.length;
            const [opening, closing] = isObject ? "{}" : "[]";
            parts.push(element("span", { class: "bracket" }, opening, count > 0 ? element("span", { class: "folded", text: "…" }) : null,
                element("span", { class: count > 0 ? "folded" : "", text: closing })));
            if (count) parts.push(element("span", { class: "size", text: words(isObject ? "json.members" : "json.elements", { count }) }));
        } else {
            const text = node.kind === "string" ? readable(node.raw) : node.raw;
            const value = element("span", { class: `value ${node.kind}` });
            this.#writeLong(value, text, node, longText);
            parts.push(value);
        }
        line.replaceChildren(...parts);
    }

    #writeLong(value, text, node, limit) {
        value.replaceChildren(...this.#marked(text.slice(0, limit), node));
        if (text.length <= limit) return;
        value.append(button(words("body.moreMembers", { more: number(Math.min(limit * 10, text.length - limit)), rest: number(text.length - limit) }),
            () => this.#writeLong(value, text, node, limit * 11), { class: "more" }));
    }

    #marked(text, node) {
        if (!this.#needle) return [text];
        const parts = [];
        const lower = text.toLowerCase();
        let from = 0;
        for (let at = lower.indexOf(this.#needle); at >= 0; at = lower.indexOf(this.#needle, from)) {
            const end = at + this.#needle.length;
            const mark = element("mark", { text: text.slice(at, end) });
            if (this.#matches[this.#at] === node) mark.className = "current";
            parts.push(text.slice(from, at), mark);
            from = end;
        }
        parts.push(text.slice(from));
        return parts;
    }

    #fold(node) {
        const place = this.#shown.get(node);
        place.children.hidden = place.closing.hidden = true;
        place.line.classList.remove("open");
        place.fold.setAttribute("aria-expanded", "false");
    }

    #unfold(node) {
        const place = this.#shown.get(node);
        if (!place?.fold) return;
        if (!place.children) {
            place.children = element("ul");
            place.closing = element("div", { class: "line bracket closing-bracket", text: node.kind === "object" ? "}" : "]", "aria-hidden": "true" });
            place.item.append(place.children, place.closing);
            this.#makeMore(node, batch);
        }
        place.children.hidden = place.closing.hidden = false;
        place.line.classList.add("open");
        place.fold.setAttribute("aria-expanded", "true");
    }

    #makeMore(node, count) {
        const place = this.#shown.get(node);
        place.more?.remove();
        const end = Math.min(place.made + count, node.children.length);
        for (; place.made < end; place.made += 1) place.children.append(this.#item(node.children[place.made]));
        const rest = node.children.length - end;
        if (rest === 0) return;
        place.more = element("li", {}, button(words("body.moreMembers", { more: number(Math.min(batch, rest)), rest: number(rest) }),
            () => this.#makeMore(node, batch), { class: "more" }));
        place.children.append(place.more);
    }

    /** Searches names and values for a text. Returns the number of matching nodes. */
    search(text) {
        const before = this.#matches;
        this.#needle = text.toLowerCase();
        this.#matches = [];
        this.#at = -1;
        if (this.#needle) {
            for (const node of nodesOf(this.root)) {
                if (this.#has(node)) this.#matches.push(node);
                if (this.#matches.length === mostMatches) break;
            }
        }
        for (const node of new Set([...before, ...this.#matches])) if (this.#shown.has(node)) this.#write(node);
        if (this.#matches.length > 0) this.go(1);
        return this.#matches.length;
    }

    #has(node) {
        if (node.key && readable(node.key).toLowerCase().includes(this.#needle)) return true;
        if (node.children) return false;
        return (node.kind === "string" ? readable(node.raw) : node.raw).toLowerCase().includes(this.#needle);
    }

    /** Selects the next match (1) or the previous one (-1). Returns its number, from 1. */
    go(step) {
        if (this.#matches.length === 0) return 0;
        const last = this.#matches[this.#at];
        this.#at = (this.#at + step + this.#matches.length) % this.#matches.length;
        const node = this.#matches[this.#at];
        this.#reveal(node);
        if (last && this.#shown.has(last)) this.#write(last);
        this.#write(node);
        this.#shown.get(node).line.scrollIntoView({ block: "nearest" });
        return this.#at + 1;
    }

    /** Expands all ancestors of a node. */
    #reveal(node) {
        const path = [];
        for (let inside = node.parent; inside; inside = inside.parent) path.unshift(inside);
        for (const [depth, inside] of path.entries()) {
            this.#unfold(inside);
            const child = path[depth + 1] ?? node;
            const place = this.#shown.get(inside);
            const index = inside.children.indexOf(child);
            if (index >= place.made) this.#makeMore(inside, index + 1 - place.made);
        }
    }
}
