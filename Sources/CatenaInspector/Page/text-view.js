// Shows text and bytes of any length in pieces, because ten megabytes at once would freeze the page.

import { button, element } from "./element.js";
import { bytes } from "./format.js";
import { words } from "./language.js";
import { visible } from "./unseen.js";

const textPiece = 64 * 1024;
const bytesPiece = 2 * 1024;

/** Makes a piece of text and a button for the next one. `piece(from, to)` returns the text of a range. */
function pieces(length, size, piece) {
    const text = element("pre", { tabindex: "0" });
    const view = element("div", { class: "text" }, text);
    let shown = 0;
    const more = button("", () => show(), { class: "more" });
    function show() {
        const end = Math.min(shown + size, length);
        // One node per piece, so that the browser lays out only new pieces.
        text.append(document.createTextNode(piece(shown, end)));
        shown = end;
        if (shown >= length) return more.remove();
        more.textContent = words("body.more", { more: bytes(Math.min(size, length - shown)), rest: bytes(length - shown) });
        view.append(more);
    }
    show();
    return view;
}

export function textView(text) {
    return pieces(text.length, textPiece, (from, to) => {
        // Not within a surrogate pair.
        const shift = (at) => (at < text.length && /[\uDC00-\uDFFF]/.test(text[at]) ? at + 1 : at);
        return visible(text.slice(shift(from), shift(to)));
    });
}

const printable = (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".");
const hex = (byte) => byte.toString(16).padStart(2, "0");

/** Formats positions, bytes and characters, sixteen in each line. */
export function bytesView(content) {
    return pieces(content.length, bytesPiece, (from, to) => {
        const lines = [];
        for (let at = from; at < to; at += 16) {
            const part = [...content.subarray(at, Math.min(at + 16, to))];
            const figures = [part.slice(0, 8), part.slice(8)].map((half) => half.map(hex).join(" ")).join("  ");
            lines.push(`${at.toString(16).padStart(8, "0")}  ${figures.padEnd(48)}  ${part.map(printable).join("")}\n`);
        }
        return lines.join("");
    });
}
