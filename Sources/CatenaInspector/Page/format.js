// Formats sizes, durations and times for readers. An unknown value is an en dash.

import { currentLanguage } from "./language.js";

const unknown = "–";
const formats = new Map();

// Cached, because making a number format takes far longer than using one.
function formatted(value, digits) {
    const key = `${currentLanguage()} ${digits}`;
    if (!formats.has(key)) {
        formats.set(key, new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: digits, minimumFractionDigits: digits }));
    }
    return formats.get(key).format(value);
}

export function bytes(count) {
    if (count === null || count === undefined || count < 0) return unknown;
    if (count < 1000) return `${count} B`;
    const units = ["kB", "MB", "GB", "TB"];
    let value = count / 1000;
    let unit = 0;
    while (value >= 999.5 && unit < units.length - 1) {
        value /= 1000;
        unit += 1;
    }
    return `${formatted(value, value < 10 ? 1 : 0)} ${units[unit]}`;
}

export function duration(milliseconds) {
    if (milliseconds === null || milliseconds === undefined || milliseconds < 0) return unknown;
    if (milliseconds === 0) return "0 ms";
    if (milliseconds < 1) return `${formatted(milliseconds, 2)} ms`;
    if (milliseconds < 10) return `${formatted(milliseconds, 1)} ms`;
    if (milliseconds < 1000) return `${formatted(milliseconds, 0)} ms`;
    if (milliseconds < 60_000) return `${formatted(milliseconds / 1000, milliseconds < 10_000 ? 2 : 1)} s`;
    return `${formatted(milliseconds / 60_000, 1)} min`;
}

function padded(value, length = 2) {
    return String(value).padStart(length, "0");
}

/** Formats the time of day with milliseconds, in the reader's time zone. */
export function clock(epoch) {
    const date = new Date(epoch);
    if (Number.isNaN(date.getTime())) return unknown;
    return `${padded(date.getHours())}:${padded(date.getMinutes())}:${padded(date.getSeconds())}.${padded(date.getMilliseconds(), 3)}`;
}

export function dateAndClock(epoch) {
    const date = new Date(epoch);
    if (Number.isNaN(date.getTime())) return unknown;
    return `${date.getFullYear()}-${padded(date.getMonth() + 1)}-${padded(date.getDate())} ${clock(epoch)}`;
}
