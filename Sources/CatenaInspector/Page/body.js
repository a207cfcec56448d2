// A body: JSON as a tree, an image as an image, text as text, anything else as bytes. Never as markup.

import { button, element, icon } from "./element.js";
import { bytes } from "./format.js";
import { copyText } from "./copy.js";
import { NotJSON, parse } from "./json-document.js";
import { JSONTree } from "./json-tree.js";
import { currentLanguage, words } from "./language.js";
import { bytesView, textView } from "./text-view.js";

/** Without SVG, which may contain scripts and is shown as text. */
const images = /^image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/;
const largestTree = 512 * 1024;

export function mediaType(body) {
    return (body?.type ?? "").split(";")[0].trim().toLowerCase();
}

function looksLikeJSON(body) {
    const type = mediaType(body);
    return /[/+]json$/.test(type) || (type === "" && /^\s*[[{]/.test(body.text ?? ""));
}

function bytesOf(base64) {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/** Decodes bytes that the app did not recognize as text, in the charset of their type. */
export function decoded(body) {
    const charset = /charset="?([^";\s]+)/i.exec(body.type ?? "")?.[1] ?? "utf-8";
    try {
        return new TextDecoder(charset).decode(bytesOf(body.base64));
    } catch {
        return new TextDecoder().decode(bytesOf(body.base64));
    }
}

function tree(root, fallback) {
    const shown = new JSONTree(root);
    const count = element("span", { class: "matches", role: "status" });
    const field = element("input", {
        type: "search", id: "body-search", "aria-label": words("search"), placeholder: words("search"), autocomplete: "off", spellcheck: "false",
    });
    let matches = 0;
    const say = (at) => (count.textContent = field.value ? words("search.count", { at, count: matches }) : "");
    const go = (step) => say(shown.go(step));
    field.addEventListener("input", () => {
        matches = shown.search(field.value.trim());
        say(matches > 0 ? 1 : 0);
    });
    field.addEventListener("keydown", (event) => {
        if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
        if (event.key !== "Escape" || !field.value) return;
        event.stopPropagation();
        field.value = "";
        matches = shown.search("");
        say(0);
    });
    const step = (name, direction, image) => {
        const made = button("", () => go(direction), { class: "quiet", "aria-label": words(name), title: words(name) });
        made.append(icon(image));
        return made;
    };
    const plain = textView(fallback);
    plain.hidden = true;
    const choice = element("span", { class: "segments", role: "group", "aria-label": words("body.form") });
    const choose = (showsText) => {
        shown.list.hidden = showsText;
        search.hidden = showsText;
        plain.hidden = !showsText;
        [...choice.children].forEach((one, index) => one.setAttribute("aria-pressed", String((index === 1) === showsText)));
    };
    choice.append(button(words("body.pretty"), () => choose(false)), button(words("body.text"), () => choose(true)));
    const search = element("span", { class: "body-search" }, element("span", { class: "field search" }, icon("search"), field), count,
        step("search.previous", -1, "up"), step("search.next", 1, "down"));
    choose(false);
    return { view: [shown.list, plain], tools: [choice, search] };
}

function image(body, onLeave) {
    const type = mediaType(body);
    const address = URL.createObjectURL(new Blob([bytesOf(body.base64)], { type }));
    onLeave(() => URL.revokeObjectURL(address));
    const figure = element("figure", { class: "image" }, element("img", { src: address, alt: words("body.image", { type }) }));
    const picture = figure.querySelector("img");
    const caption = element("figcaption");
    figure.append(caption);
    picture.addEventListener("load", () => (caption.textContent = `${picture.naturalWidth} × ${picture.naturalHeight}`));
    picture.addEventListener("error", () =>
        figure.replaceChildren(element("p", { class: "nothing", text: words("body.imageBroken") }), bytesView(bytesOf(body.base64))));
    return figure;
}

function content(body, onLeave) {
    if (body.base64 !== undefined) {
        if (images.test(mediaType(body)) && !body.cut) return { view: [image(body, onLeave)] };
        const view = [bytesView(bytesOf(body.base64))];
        if (/^text\/|[/+](json|xml)$|charset=/i.test(body.type ?? "")) view.unshift(textView(decoded(body)));
        return { view };
    }
    const text = body.text ?? "";
    if (!looksLikeJSON(body)) return { view: [textView(text)] };
    if (text.length > largestTree) {
        return { note: words("body.large", { size: bytes(text.length) }), view: [textView(text)] };
    }
    try {
        return tree(parse(text), text);
    } catch (error) {
        if (!(error instanceof NotJSON)) throw error;
        if (body.cut) return { view: [textView(text)] };
        const reason = error.found === null ? words("json.end")
            : words("json.unexpected", { found: error.found.slice(0, 20), position: (error.position + 1).toLocaleString(currentLanguage()) });
        return { note: words("body.notJSON", { words: reason }), view: [textView(text)] };
    }
}

function recordedSize(body) {
    return body.base64 === undefined ? new Blob([body.text ?? ""]).size : Math.floor((body.base64.length * 3) / 4);
}

export function bodyView(body, { onLeave, notify }) {
    if (!body || (body.size === 0 && body.hidden === undefined)) return [element("p", { class: "nothing", text: words("nothing.body") })];
    const head = element("div", { class: "body-head" },
        element("span", { class: "body-facts", text: [mediaType(body) || null, bytes(body.size)].filter(Boolean).join(", ") }));
    if (body.hidden !== undefined) return [head, element("p", { class: "nothing", text: words("body.hidden", { why: body.hidden }) })];
    const { note, view, tools = [] } = content(body, onLeave);
    const text = body.text;
    if (text !== undefined) {
        tools.push(button(words("copy"), () => copyText(text).then(() => notify(words("copy.done"))), { "aria-label": words("copy.body") }));
    }
    head.append(...tools);
    return [
        head, body.cut ? element("p", { class: "notice", text: words("body.cut", { shown: bytes(recordedSize(body)), size: bytes(body.size) }) }) : null,
        note ? element("p", { class: "notice", text: note }) : null, element("div", { class: "body" }, view),
    ].filter(Boolean);
}
