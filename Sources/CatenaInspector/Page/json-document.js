// Reads JSON as it is written: numbers keep their digits, members their order, and names that come twice stay twice, all of which
// JSON.parse would lose. Nothing here recurses, so that no depth is too deep.

const token = /[ \t\r\n]*(?:([{}[\],:])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;

/** What is wrong with the text, and where. */
export class NotJSON extends Error {
    constructor(found, position) {
        super(found ?? "");
        this.found = found;
        this.position = position;
    }
}

function* tokensOf(text) {
    token.lastIndex = 0;
    let position = 0;
    for (;;) {
        const match = token.exec(text);
        if (!match) break;
        position = token.lastIndex;
        const [, mark, string, number] = match;
        yield { mark, raw: mark ?? string ?? number ?? match[4], kind: string ? "string" : number ? "number" : "literal", position };
        // A generator may be left alone for a while, and the pattern is shared.
        token.lastIndex = position;
    }
    const rest = text.slice(position).search(/[^ \t\r\n]/);
    if (rest >= 0) throw new NotJSON(text[position + rest], position + rest);
}

/**
 * A node is `{kind, raw, key, children, parent}`: the kind is "object", "array", "string", "number" or "literal"; raw is the text of a
 * scalar, key that of a member's name. Throws NotJSON.
 */
export function parse(text) {
    const top = { kind: "top", children: [], parent: null };
    let inside = top;
    /** "value", "firstOrEnd" (just opened), "key", "colon", "next" (a comma or the end) */
    let expected = "value";
    let key = null;
    for (const { mark, raw, kind, position } of tokensOf(text)) {
        const unexpected = () => new NotJSON(raw, position - raw.length);
        const opens = mark === "{" || mark === "[";
        const closes = mark === (inside.kind === "object" ? "}" : "]") && inside !== top;
        if (expected === "firstOrEnd" && closes || expected === "next" && closes) {
            inside = inside.parent;
            expected = "next";
        } else if (expected === "next") {
            if (mark !== "," || inside === top) throw unexpected();
            expected = inside.kind === "object" ? "key" : "value";
        } else if (expected === "key" || (expected === "firstOrEnd" && inside.kind === "object")) {
            if (mark || kind !== "string") throw unexpected();
            key = raw;
            expected = "colon";
        } else if (expected === "colon") {
            if (mark !== ":") throw unexpected();
            expected = "value";
        } else {
            if (mark && !opens) throw unexpected();
            const node = { kind: opens ? (mark === "{" ? "object" : "array") : kind, raw: opens ? null : raw, key, children: opens ? [] : null, parent: inside };
            key = null;
            inside.children.push(node);
            if (opens) inside = node;
            expected = opens ? "firstOrEnd" : "next";
        }
    }
    if (inside !== top || top.children.length !== 1) throw new NotJSON(null, text.length);
    const root = top.children[0];
    root.parent = null;
    return root;
}

/** A string as people read it: escapes that hide letters are undone, those that keep a line together stay. */
export function readable(raw) {
    return JSON.stringify(JSON.parse(raw));
}

function shown(node) {
    return node.kind === "string" ? readable(node.raw) : node.raw;
}

/** All nodes in the order of the text. */
export function* nodesOf(root) {
    const open = [root];
    while (open.length > 0) {
        const node = open.pop();
        yield node;
        if (node.children) for (let index = node.children.length - 1; index >= 0; index -= 1) open.push(node.children[index]);
    }
}

/** The document over several lines, two blanks for each level. */
export function pretty(root) {
    const lines = [];
    const open = [{ node: root, depth: 0, comma: "" }];
    while (open.length > 0) {
        const { node, depth, comma, closing } = open.pop();
        const blanks = "  ".repeat(Math.min(depth, 40));
        if (closing) {
            lines.push(blanks + closing + comma);
            continue;
        }
        const name = node.key ? `${readable(node.key)}: ` : "";
        if (!node.children) lines.push(blanks + name + shown(node) + comma);
        else if (node.children.length === 0) lines.push(blanks + name + (node.kind === "object" ? "{}" : "[]") + comma);
        else {
            lines.push(blanks + name + (node.kind === "object" ? "{" : "["));
            open.push({ depth, comma, closing: node.kind === "object" ? "}" : "]" });
            for (let index = node.children.length - 1; index >= 0; index -= 1) {
                open.push({ node: node.children[index], depth: depth + 1, comma: index < node.children.length - 1 ? "," : "" });
            }
        }
    }
    return lines.join("\n");
}
