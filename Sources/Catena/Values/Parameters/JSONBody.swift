import Foundation

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

    init(style: ParameterStyle) {
        self.style = style
    }

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

/// Writes parameters as an XML property list, which has types for dates and bytes.
enum PropertyListBody {
    /// Returns the property list of any value. The format does not order keys.
    static func encode(_ node: ParameterNode, style: ParameterStyle) throws(ParameterError) -> Data {
        // A root cannot be left out, so a null is written as for an element.
        guard let root = try PropertyListBuilder(style: style).value(node, isElement: true, depth: -1) else {
            throw ParameterError("they have no property-list form")
        }
        do {
            return try PropertyListSerialization.data(fromPropertyList: root, format: .xml, options: 0)
        } catch {
            throw ParameterError("they have no property-list form", underlying: error)
        }
    }
}

private struct PropertyListBuilder {
    let style: ParameterStyle

    private func dictionary(_ object: Params, depth: Int) throws(ParameterError) -> [String: Any] {
        try ParameterError.checkDepth(depth)
        var dictionary: [String: Any] = [:]
        for member in style.members(of: object) {
            do throws(ParameterError) {
                guard let value = try value(member.node, isElement: false, depth: depth) else { continue }
                dictionary[try writable(member.key)] = value
            } catch {
                throw error.inside(member.key)
            }
        }
        return dictionary
    }

    private func array(_ elements: [ParameterNode], depth: Int) throws(ParameterError) -> [Any] {
        try ParameterError.checkDepth(depth)
        var array: [Any] = []
        for (index, element) in elements.enumerated() {
            do throws(ParameterError) {
                guard let value = try value(element, isElement: true, depth: depth) else { continue }
                array.append(value)
            } catch {
                throw error.inside(index)
            }
        }
        return array
    }

    func value(_ node: ParameterNode, isElement: Bool, depth: Int) throws(ParameterError) -> Any? {
        switch node {
        case .null: return style.nullText(isElement: isElement)
        case .bool(let value): return value
        case .string(let value): return try writable(value)
        case .date(let value):
            guard value.iso8601Text != nil else { throw ParameterError("the date is outside the years 0001 to 9999") }
            return value
        case .data(let value): return value
        case .array(let elements): return try array(elements, depth: depth + 1)
        case .object(let object): return try dictionary(object, depth: depth + 1)
        case .integer, .unsigned, .double, .decimal, .number: return try number(node)
        }
    }

    /// Returns an integer if it fits, or else the nearest double, because the format's `real` holds no more.
    private func number(_ node: ParameterNode) throws(ParameterError) -> Any? {
        guard let text = try style.numberText(of: node) else { return nil }
        if let integer = Int64(text) { return integer }
        if let unsigned = UInt64(text) { return unsigned }
        guard let double = Double(text), double.isFinite else { throw ParameterError("it is too large for a property list") }
        return double
    }

    /// Throws for other control characters, because XML 1.0 §2.2 does not allow them even escaped.
    private func writable(_ text: String) throws(ParameterError) -> String {
        let isWritable = text.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        guard isWritable else { throw ParameterError("a property list cannot hold its control characters") }
        return text
    }
}
