public import CatenaPlatform

extension JSON {
    /// Returns a copy with some scalars replaced, or nil if none is. Order and exact numbers are kept.
    ///
    /// - Parameter replacement: Returns the replacement for a scalar at a path of keys and indices, or nil to keep the scalar.
    package func replacingScalars(_ replacement: (_ path: [String], _ scalar: JSON) -> JSON?) -> JSON? {
        var path: [String] = []
        return replaced(&path, replacement)
    }

    /// Recursive, because parsers limit the depth of a value.
    private func replaced(_ path: inout [String], _ replacement: ([String], JSON) -> JSON?) -> JSON? {
        switch storage {
        case .array(let elements):
            var changed: [JSON]?
            for (index, element) in elements.enumerated() {
                path.append(String(index))
                if let other = element.replaced(&path, replacement) { changed = changed ?? elements; changed?[index] = other }
                path.removeLast()
            }
            return changed.map { JSON(array: $0) }
        case .object(let object):
            var changed: [JSONObject.Member]?
            for (index, member) in object.members.enumerated() {
                path.append(member.key)
                if let other = member.value.replaced(&path, replacement) {
                    changed = changed ?? object.members
                    changed?[index] = JSONObject.Member(key: member.key, value: other)
                }
                path.removeLast()
            }
            return changed.map { JSON(members: $0) }
        default: return replacement(path, self)
        }
    }

    /// Returns an object without some of its members. Returns other values unchanged.
    package func without(_ keys: Set<String>) -> JSON {
        guard case .object(let object) = storage else { return self }
        return JSON(members: object.members.filter { !keys.contains($0.key) })
    }
}

extension JSON {
    /// Creates a copy without members that are null, at every depth. Elements of arrays are kept.
    public init(removingNulls value: JSON) {
        switch value.storage {
        case .object(let object):
            self.init(members: object.members.filter { !$0.value.isNull }.map { .init(key: $0.key, value: JSON(removingNulls: $0.value)) })
        case .array(let elements):
            self.init(array: elements.map { JSON(removingNulls: $0) })
        default:
            self = value
        }
    }
}

extension JSON {
    /// Parses a JSON text, strictly by RFC 8259. Of duplicate keys, the first one is kept.
    ///
    /// ```swift
    /// let settings = try JSON(parsing: Data(contentsOf: file))
    /// ```
    ///
    /// - Parameter text: The text in UTF-8, with or without a byte order mark.
    /// - Throws: An error with the reason, line and column if the text is not valid JSON.
    public init(parsing text: Data) throws(JSONSyntaxError) {
        try self.init(text, in: nil)
    }

    /// Parses a JSON text; see ``init(parsing:)``.
    public init(data: Data) throws(JSONSyntaxError) {
        try self.init(parsing: data)
    }

    /// The complete value as compact JSON text, in UTF-8.
    package var encoded: Data { Data(bytes) }

    /// The complete value as compact JSON text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    private var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}

extension JSON {
    private static let summaryLength = 40
    private static let summaryCount = 8

    /// Returns a short description of a value, for a message of a product. Static, because `summary` is a key of objects in the modules of products.
    package static func summary(of json: JSON, hidden: Bool) -> String { json.summary(hidden: hidden) }

    /// Returns a short description of the value, for a message.
    func summary(hidden: Bool) -> String {
        switch storage {
        case .null: "null"
        case .bool(let value): hidden ? "a truth value" : "\(value)"
        case .integer, .unsigned, .number: hidden ? "a number" : "the number \(text.prefix(Self.summaryLength))"
        case .string(let value): hidden ? "a string" : "the string \"\(Self.start(of: value))\""
        case .array(let elements): elements.isEmpty ? "an empty array" : "an array of \(elements.count)"
        case .object(let object): object.members.isEmpty ? "an empty object" : "an object with \(Self.keys(of: object))"
        }
    }

    private static func start(of text: String) -> String {
        let start = text.prefix(summaryLength)
        return Redaction.current.line(String(start)) + (start.endIndex < text.endIndex ? "…" : "")
    }

    private static func keys(of object: JSONObject) -> String {
        let keys = object.members.prefix(summaryCount).map { start(of: $0.key) }
        return keys.joined(separator: ", ") + (object.members.count > summaryCount ? ", …" : "")
    }
}
