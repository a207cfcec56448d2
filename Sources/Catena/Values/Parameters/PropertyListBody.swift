import CatenaPlatform

/// Writes parameters as an XML property list, which has types for dates and bytes. Members are in the order of the style.
struct PropertyListBody {
    private let style: ParameterStyle
    private var text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    /// Returns the property list of any value.
    static func encode(_ node: ParameterNode, style: ParameterStyle) throws(ParameterError) -> Data {
        var body = PropertyListBody(style: style)
        // A root cannot be left out, so a null is written as for an element.
        guard try body.write(node, isElement: true, depth: -1) else { throw ParameterError("they have no property-list form") }
        return Data((body.text + "</plist>\n").utf8)
    }

    /// Writes a value behind the key of its member. Returns `false` if the style leaves it out.
    private mutating func write(
        _ node: ParameterNode, key: String? = nil, isElement: Bool, depth: Int
    ) throws(ParameterError) -> Bool {
        guard let element = try element(of: node, isElement: isElement) else { return false }
        let indent = String(repeating: "\t", count: max(depth, 0))
        if let key { text += "\(indent)<key>\(try XMLText.content(key))</key>\n" }
        switch element {
        case .text(let name, let content): text += "\(indent)<\(name)>\(content)</\(name)>\n"
        case .empty(let name): text += "\(indent)<\(name)/>\n"
        case .array(let elements):
            text += "\(indent)<array>\n"
            try write(elements, depth: depth + 1)
            text += "\(indent)</array>\n"
        case .dictionary(let members):
            text += "\(indent)<dict>\n"
            try write(members, depth: depth + 1)
            text += "\(indent)</dict>\n"
        }
        return true
    }

    private mutating func write(_ elements: [ParameterNode], depth: Int) throws(ParameterError) {
        try ParameterError.checkDepth(depth)
        for (index, element) in elements.enumerated() {
            do throws(ParameterError) {
                _ = try write(element, isElement: true, depth: depth)
            } catch {
                throw error.inside(index)
            }
        }
    }

    private mutating func write(_ object: Params, depth: Int) throws(ParameterError) {
        try ParameterError.checkDepth(depth)
        for member in style.members(of: object) {
            do throws(ParameterError) {
                _ = try write(member.node, key: member.key, isElement: false, depth: depth)
            } catch {
                throw error.inside(member.key)
            }
        }
    }

    private enum Element {
        case text(_ name: String, String)
        case empty(_ name: String)
        case array([ParameterNode])
        case dictionary(Params)
    }

    private func element(of node: ParameterNode, isElement: Bool) throws(ParameterError) -> Element? {
        switch node {
        case .null: style.nullText(isElement: isElement).map { .text("string", $0) }
        case .bool(let value): .empty(value ? "true" : "false")
        case .string(let value): .text("string", try XMLText.content(value))
        case .date(let value):
            if let text = value.iso8601Text {
                .text("date", text)
            } else {
                throw ParameterError("the date is outside the years 0001 to 9999")
            }
        case .data(let value): .text("data", value.base64EncodedString())
        case .array(let elements): .array(elements)
        case .object(let object): .dictionary(object)
        case .integer, .unsigned, .double, .decimal, .number: try number(node)
        }
    }

    /// Returns an integer if it fits, or else the nearest double, because the format's `real` holds no more.
    private func number(_ node: ParameterNode) throws(ParameterError) -> Element? {
        guard let text = try style.numberText(of: node) else { return nil }
        if let integer = Int64(text).map(String.init) ?? UInt64(text).map(String.init) { return .text("integer", integer) }
        guard let double = Double(text), let real = double.shortestText else {
            throw ParameterError("it is too large for a property list")
        }
        return .text("real", real)
    }
}
