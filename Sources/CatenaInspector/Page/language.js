// The texts of the page in the reader's language.

import { chinese } from "./strings-chinese.js";
import { english } from "./strings-english.js";

const languages = { en: english, "zh-Hans": chinese };
const listeners = [];
let current = localStorage.getItem("language") ?? preferred(navigator.language);
if (!languages[current]) current = "en";

function preferred(name) {
    return name.toLowerCase().startsWith("zh") ? "zh-Hans" : "en";
}

export function currentLanguage() {
    return current;
}

/** Returns the text of a name. A sentence with values is a function of them. */
export function words(name, values = {}) {
    const found = languages[current][name] ?? english[name] ?? name;
    if (typeof found === "function") return found(values);
    return found.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

export function number(value) {
    return value.toLocaleString(current);
}

export function chooseLanguage(name) {
    current = languages[name] ? name : "en";
    localStorage.setItem("language", current);
    translate(document);
    listeners.forEach((listener) => listener());
}

export function onLanguageChange(listener) {
    listeners.push(listener);
}

/** Sets the texts of elements in index.html: `data-words` is the text, `data-label` and `data-hint` are attributes. */
export function translate(root) {
    document.documentElement.lang = current;
    for (const each of root.querySelectorAll("[data-words]")) each.textContent = words(each.dataset.words);
    for (const each of root.querySelectorAll("[data-label]")) each.setAttribute("aria-label", words(each.dataset.label));
    for (const each of root.querySelectorAll("[data-tip]")) each.title = words(each.dataset.tip);
    for (const each of root.querySelectorAll("[data-hint]")) each.placeholder = words(each.dataset.hint);
}
