// Which calls are shown.

export const everything = { text: "", tag: "", status: "", failures: false };

/** A test for the filter, or null if all pass. */
export function test({ text, tag, status, failures }) {
    const tests = [];
    // Each word has to be found, in any order.
    for (const word of text.toLowerCase().split(/\s+/).filter(Boolean)) tests.push((call) => call.words.includes(word));
    if (tag) tests.push((call) => call.tag === tag);
    if (failures) tests.push((call) => call.state === "failed");
    if (status === "none") tests.push((call) => !call.status && call.state !== "running");
    else if (status === "running") tests.push((call) => call.state === "running");
    else if (status) tests.push((call) => String(call.status ?? "").startsWith(status));
    if (tests.length === 0) return null;
    return (call) => tests.every((passes) => passes(call));
}
