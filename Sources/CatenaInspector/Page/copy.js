// Text to the clipboard.

export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        // Not every browser allows that on a plain http address; all know the old way.
        const field = document.createElement("textarea");
        field.value = text;
        field.className = "spoken";
        document.body.append(field);
        field.select();
        const isCopied = document.execCommand("copy");
        field.remove();
        if (!isCopied) throw new Error("clipboard");
    }
}
