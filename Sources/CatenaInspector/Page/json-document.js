// Parses JSON without loss: numbers keep their digits, members their order, and repeated names are kept, unlike with JSON.parse.
// Does not recurse, so that the depth is unlimited.

const token = /[ \t\r\n]*(?:([{}[\],:])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;

/** The error of an invalid text, and its position. */
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
        // Set the position each time, because the generator may be suspended while others use the shared pattern.
        token.lastIndex = position;
    }
    const rest = text.slice(position).search(/[^ \t\r\n]/);
    if (rest >= 0) throw new NotJSON(text[position + rest], position + rest);
}

/**
 * Parses a document into nodes `{kind, raw, key, children, parent}`. `kind` is "object", "array", "string", "number" or "literal".
 * `raw` is the text of a scalar, `key` that of a member's name. Throws NotJSON.
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

/** Returns a string for readers. Decodes escapes of letters, and keeps those that keep the text on one line. */
export function readable(raw) {
    return JSON.stringify(JSON.parse(raw));
}

function shown(node) {
    return node.kind === "string" ? readable(node.raw) : node.raw;
}

/** Yields all nodes in the order of the text. */
export function* nodesOf(root) {
    const open = [root];
    while (open.length > 0) {
        const node = open.pop();
        yield node;
        if (node.children) for (let index = node.children.length - 1; index >= 0; index -= 1) open.push(node.children[index]);
    }
}

/** Formats the document with one member per line and two spaces per level. */
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
