// Compares two texts line by line with Myers' shortest edit. Gives up if the texts have too little in common.

const mostEdits = 800;
const mostLines = 20_000;

/** Returns `[{kind: "same" | "removed" | "added", text}]`, or null if the texts are too large or too different. */
export function difference(before, after) {
    const old = before.split("\n");
    const now = after.split("\n");
    if (old.length + now.length > mostLines) return null;
    // Skip the common start and end, because two responses are mostly equal.
    let start = 0;
    while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
    let tail = 0;
    while (tail < old.length - start && tail < now.length - start && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
    const middle = edits(old.slice(start, old.length - tail), now.slice(start, now.length - tail));
    if (!middle) return null;
    const same = (text) => ({ kind: "same", text });
    return [...old.slice(0, start).map(same), ...middle, ...old.slice(old.length - tail).map(same)];
}

function edits(old, now) {
    const trace = search(old, now);
    if (!trace) return null;
    const lines = [];
    let x = old.length;
    let y = now.length;
    for (let depth = trace.length - 1; depth >= 0; depth -= 1) {
        const reached = trace[depth];
        const k = x - y;
        const fromK = goesDown(reached, k, depth) ? k + 1 : k - 1;
        const fromX = reached[fromK + mostEdits + 1];
        const fromY = fromX - fromK;
        while (x > fromX && y > fromY) {
            x -= 1;
            y -= 1;
            lines.push({ kind: "same", text: old[x] });
        }
        if (depth === 0) break;
        if (x === fromX) lines.push({ kind: "added", text: now[--y] });
        else lines.push({ kind: "removed", text: old[--x] });
    }
    return lines.reverse();
}

/** Whether diagonal k is reached from the one above (an added line) rather than from the one below (a removed line). */
function goesDown(reached, k, depth) {
    const at = k + mostEdits + 1;
    return k === -depth || (k !== depth && reached[at - 1] < reached[at + 1]);
}

/** Returns the position that each diagonal had reached before each edit, up to the edit that reaches the end. */
function search(old, now) {
    let reached = new Int32Array(2 * mostEdits + 3);
    const trace = [];
    for (let depth = 0; depth <= Math.min(old.length + now.length, mostEdits); depth += 1) {
        trace.push(reached);
        reached = reached.slice();
        for (let k = -depth; k <= depth; k += 2) {
            const at = k + mostEdits + 1;
            let x = goesDown(reached, k, depth) ? reached[at + 1] : reached[at - 1] + 1;
            while (x < old.length && x - k < now.length && old[x] === now[x - k]) x += 1;
            reached[at] = x;
            if (x >= old.length && x - k >= now.length) return trace;
        }
    }
    return null;
}

/** Replaces equal lines that are further than `context` from any change with `{kind: "skipped", count}`. */
export function folded(lines, context = 3) {
    const result = [];
    let same = [];
    const flush = (isEnd) => {
        const before = result.length === 0 ? 0 : context;
        const after = isEnd ? 0 : context;
        if (same.length <= before + after + 1) result.push(...same);
        else {
            result.push(...same.slice(0, before), { kind: "skipped", count: same.length - before - after }, ...same.slice(same.length - after));
        }
        same = [];
    };
    for (const each of lines) {
        if (each.kind === "same") {
            same.push(each);
            continue;
        }
        flush(false);
        result.push(each);
    }
    flush(true);
    return result;
}
