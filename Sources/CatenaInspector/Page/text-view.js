// Text and bytes of any length, a piece at a time: ten megabytes in one go would freeze the page.

import { button, element } from "./element.js";
import { bytes } from "./format.js";
import { words } from "./language.js";

const textPiece = 64 * 1024;
const bytesPiece = 2 * 1024;

/** A piece and a button for the next one. `piece(from, to)` is the text of a part of the whole. */
function pieces(length, size, piece) {
    const text = element("pre", { tabindex: "0" });
    const view = element("div", { class: "text" }, text);
    let shown = 0;
    const more = button("", () => show(), { class: "more" });
    function show() {
        const end = Math.min(shown + size, length);
        // One node a piece, so that the browser lays out only what is new.
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
        // Not between the two halves of a letter.
        const shift = (at) => (at < text.length && /[\uDC00-\uDFFF]/.test(text[at]) ? at + 1 : at);
        return visible(text.slice(shift(from), shift(to)));
    });
}

/** Control characters and those that turn the direction of writing would hide what is there. */
function visible(text) {
    return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (letter) => String.fromCharCode(0x2400 + letter.charCodeAt(0)))
        .replace(/[\u007f\u202a-\u202e\u2066-\u2069]/g, (letter) => `⟨U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

const printable = (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".");
const hex = (byte) => byte.toString(16).padStart(2, "0");

/** Place, bytes and letters, sixteen a line. */
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
