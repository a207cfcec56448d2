// Opens dropped or chosen files, and saves files.

import { byID } from "./element.js";

/** Calls `open` with each file that is chosen or dropped anywhere on the page. */
export function receiveFiles(open) {
    const chooser = byID("archive-file");
    chooser.addEventListener("change", () => {
        if (chooser.files.length > 0) open(chooser.files[0]);
        chooser.value = "";
    });
    const veil = byID("drop");
    // Count both events, because entering a child precedes leaving its parent.
    let depth = 0;
    const isFile = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragenter", (event) => {
        if (!isFile(event)) return;
        depth += 1;
        veil.hidden = false;
    });
    addEventListener("dragleave", () => {
        depth = Math.max(depth - 1, 0);
        veil.hidden = depth === 0;
    });
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
        event.preventDefault();
        depth = 0;
        veil.hidden = true;
        const file = event.dataTransfer?.files[0];
        if (file) open(file);
    });
}

export function saveFile(text, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Returns a name that sorts by time: `catena 2026-11-23 07.15.02.har`. */
export function archiveName(app, date = new Date()) {
    const padded = (value) => String(value).padStart(2, "0");
    const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(padded).join("-");
    const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(padded).join(".");
    return `${(app || "catena").replace(/[^\w-]+/g, "-")} ${day} ${time}.har`;
}
