/// A scalar or key in the scanned text.
package struct JSONToken {
    let kind: JSONSpan.Kind
    /// The range in the text, including the quotes of a string.
    let range: Range<Int>
    /// Whether a string has no escapes, or a number neither fraction nor exponent.
    let isPlain: Bool
}

/// Receives the parts of a document during the scan. If the scan then fails, all received parts are invalid.
package protocol JSONVisitor {
    mutating func key(_ token: JSONToken, in scanner: JSONScanner)
    mutating func scalar(_ token: JSONToken, in scanner: JSONScanner)
    /// Called when an array or object begins at this offset.
    mutating func open(_ kind: JSONSpan.Kind, at offset: Int)
    /// Called when the innermost array or object ends before this offset.
    mutating func close(_ kind: JSONSpan.Kind, at offset: Int)
    /// Whether the content of the innermost array or object, which has just begun, can be left out.
    var ignoresContent: Bool { get }
}

extension JSONVisitor {
    @inline(__always)
    package var ignoresContent: Bool { false }
}

extension JSONScanner {
    /// The maximum nesting depth of arrays and objects, the same as Foundation's.
    private static let depthLimit = 512

    /// Scans a whole document (RFC 8259 §2), strictly, in one pass and without recursion.
    package mutating func document(_ visitor: inout some JSONVisitor) throws(JSONFault) {
        skipByteOrderMark()
        try value(&visitor)
        skipWhitespace()
        if position < end { throw fault(.trailingBytes) }
    }

    private mutating func value(_ visitor: inout some JSONVisitor) throws(JSONFault) {
        var containers: [JSONSpan.Kind] = []
        while true {
            skipWhitespace()
            switch byte(at: position) {
            case UInt8(ascii: "{"):
                try open(.object, in: &containers, &visitor)
                if byte(at: position) != UInt8(ascii: "}") {
                    try key(&visitor)
                    continue
                }
            case UInt8(ascii: "["):
                try open(.array, in: &containers, &visitor)
                if byte(at: position) != UInt8(ascii: "]") { continue }
            case UInt8(ascii: "\""): visitor.scalar(try string(), in: self)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): visitor.scalar(try number(), in: self)
            case UInt8(ascii: "t"): visitor.scalar(try literal("true", .bool), in: self)
            case UInt8(ascii: "f"): visitor.scalar(try literal("false", .bool), in: self)
            case UInt8(ascii: "n"): visitor.scalar(try literal("null", .null), in: self)
            default: throw fault(.value)
            }
            guard try next(in: &containers, &visitor) else { return }
        }
    }

    private mutating func open(
        _ kind: JSONSpan.Kind, in containers: inout [JSONSpan.Kind], _ visitor: inout some JSONVisitor
    ) throws(JSONFault) {
        guard containers.count < Self.depthLimit else { throw fault(.depth) }
        containers.append(kind)
        visitor.open(kind, at: position)
        position += 1
        if skipsUnneeded, visitor.ignoresContent {
            guard let bracket = closingBracket(levels: Self.depthLimit - containers.count) else { throw fault(.unexpectedEnd) }
            position = bracket
        }
        skipWhitespace()
    }

    /// Advances from the end of a value to the start of the next one. Returns `false` at the end of the document.
    private mutating func next(in containers: inout [JSONSpan.Kind], _ visitor: inout some JSONVisitor) throws(JSONFault) -> Bool {
        while let kind = containers.last {
            skipWhitespace()
            let isObject = kind == .object
            if skip(",") {
                skipWhitespace()
                if byte(at: position) == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { throw fault(.trailingComma) }
                if isObject { try key(&visitor) }
                return true
            }
            guard skip(isObject ? "}" : "]") else { throw fault(isObject ? .memberEnd : .elementEnd) }
            containers.removeLast()
            visitor.close(kind, at: position)
        }
        return false
    }

    private mutating func key(_ visitor: inout some JSONVisitor) throws(JSONFault) {
        guard byte(at: position) == UInt8(ascii: "\"") else { throw fault(.key) }
        visitor.key(try string(), in: self)
        skipWhitespace()
        guard skip(":") else { throw fault(.colon) }
    }
}
