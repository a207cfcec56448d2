// Selects the calls to show.

export const everything = { text: "", tag: "", status: "", failures: false };

/** Returns a predicate for the filter, or null if all calls pass. */
export function test({ text, tag, status, failures }) {
    const tests = [];
    // Each word must match, in any order.
    for (const word of text.toLowerCase().split(/\s+/).filter(Boolean)) tests.push((call) => call.words.includes(word));
    if (tag) tests.push((call) => call.tag === tag);
    if (failures) tests.push((call) => call.state === "failed");
    if (status === "none") tests.push((call) => !call.status && call.state !== "running");
    else if (status === "running") tests.push((call) => call.state === "running");
    else if (status) tests.push((call) => String(call.status ?? "").startsWith(status));
    if (tests.length === 0) return null;
    return (call) => tests.every((passes) => passes(call));
}
