// Copies text to the clipboard.

export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        // Some browsers refuse the Clipboard API on http addresses. All support the older command.
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
