// Makes elements from text. The page never inserts markup, so that a server's response is only text.

import { visible } from "./unseen.js";

/**
 * Makes an element. Characters that are not seen are shown by their number. `class`, `text`, `on` (listeners) and `data` have a meaning of their own, the rest are attributes. `true` is an
 * attribute without a value; `false` and `null` leave it out. Children that are `null` are left out as well.
 */
export function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
        if (value === null || value === undefined || value === false) continue;
        if (key === "class") made.className = value;
        else if (key === "text") made.textContent = visible(String(value));
        else if (key === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
        else if (key === "data") Object.assign(made.dataset, value);
        else made.setAttribute(key, value === true ? "" : value);
    }
    const present = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
    made.append(...present.map((child) => (typeof child === "string" ? visible(child) : child)));
    return made;
}

/** Makes a button of type "button", which never submits a form. */
export function button(text, action, properties = {}) {
    return element("button", { type: "button", text, ...properties, on: { click: action } });
}

/** Makes an icon of the sprite in index.html. An icon never conveys a meaning alone. */
export function icon(name) {
    const space = "http://www.w3.org/2000/svg";
    const drawing = document.createElementNS(space, "svg");
    drawing.setAttribute("class", "icon");
    drawing.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(space, "use");
    use.setAttribute("href", `#icon-${name}`);
    drawing.append(use);
    return drawing;
}

/** Makes words for screen readers only. */
export function spoken(text) {
    return element("span", { class: "spoken", text });
}

export function byID(id) {
    return document.getElementById(id);
}
