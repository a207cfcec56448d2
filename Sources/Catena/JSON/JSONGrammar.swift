/// A scalar or a key as the scanner found it.
struct JSONToken {
    let kind: JSONSpan.Kind
    /// With the quotes of a string.
    let range: Range<Int>
    /// Whether a string has no escape, a number neither fraction nor exponent.
    let isPlain: Bool
}

/// Hears of a document part by part while it is read. What it has heard of is void if the reading then fails.
protocol JSONVisitor {
    mutating func key(_ token: JSONToken, in scanner: JSONScanner)
    mutating func scalar(_ token: JSONToken, in scanner: JSONScanner)
    /// An array or object begins at this offset.
    mutating func open(_ kind: JSONSpan.Kind, at offset: Int)
    /// The innermost array or object ends before this offset.
    mutating func close(_ kind: JSONSpan.Kind, at offset: Int)
}

extension JSONScanner {
    /// How deep arrays and objects can be nested; Foundation has the same limit.
    private static let depthLimit = 512

    /// Reads one value up to the end (RFC 8259 §2), strictly, in one pass and without recursion.
    mutating func document(_ visitor: inout some JSONVisitor) throws(JSONFault) {
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
        skipWhitespace()
    }

    /// Steps from the end of a value to where the next one begins; false if that was the last.
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
