import CatenaPlatform

/// Writes parameters as a JSON text (RFC 8259), with members in the order of the style.
enum JSONBody {
    /// Returns the JSON text of any value: an object, an array or a single value (RFC 8259 §2).
    static func encode(_ node: ParameterNode, style: ParameterStyle) throws(ParameterError) -> Data {
        var writer = JSONBodyWriter(style: style)
        try writer.write(node, depth: 0)
        return Data(writer.bytes)
    }

    /// Returns the JSON text of an object with these members.
    static func encode(_ params: Params, style: ParameterStyle) throws(ParameterError) -> Data {
        try encode(.object(params), style: style)
    }
}

private struct JSONBodyWriter {
    let style: ParameterStyle
    private(set) var bytes: [UInt8] = []

    mutating func write(_ node: ParameterNode, depth: Int) throws(ParameterError) {
        switch node {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .string(let value): write(value)
        case .data(let value): write(try style.text(of: value))
        case .date(let value): try write(value)
        case .array(let elements): try write(elements, depth: depth + 1)
        case .object(let object): try write(object, depth: depth + 1)
        case .integer, .unsigned, .double, .decimal, .number:
            if let text = try style.numberText(of: node) { bytes.append(contentsOf: text.utf8) }
        }
    }

    private mutating func write(_ object: Params, depth: Int) throws(ParameterError) {
        try ParameterError.checkDepth(depth)
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in style.members(of: object).enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(member.key)
            bytes.append(UInt8(ascii: ":"))
            do throws(ParameterError) {
                try write(member.node, depth: depth)
            } catch {
                throw error.inside(member.key)
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ elements: [ParameterNode], depth: Int) throws(ParameterError) {
        try ParameterError.checkDepth(depth)
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            do throws(ParameterError) {
                try write(element, depth: depth)
            } catch {
                throw error.inside(index)
            }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ date: Date) throws(ParameterError) {
        let text = try style.text(of: date)
        switch style.dates {
        case .seconds, .milliseconds: bytes.append(contentsOf: text.utf8)
        case .iso8601, .formatted: write(text)
        }
    }

    private mutating func write(_ text: String) {
        JSONText.write(text, into: &bytes)
    }
}
