// Characters that control a terminal, change the direction of text, or are not seen. The library has the same rule (`Unicode.Scalar.isControl`).

/** Two joiners do not count, because scripts and emoji need them. */
export const unseen = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/u;
export const unseenAnywhere = new RegExp(unseen, "gu");

/** Replaces unseen characters except tabs and line breaks, because they would hide or disguise content. */
export function visible(text) {
    return text.replace(unseenAnywhere, (letter) => {
        const code = letter.codePointAt(0);
        if (code === 0x09 || code === 0x0a || code === 0x0d) return letter;
        return code < 0x20 ? String.fromCharCode(0x2400 + code) : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
    });
}
