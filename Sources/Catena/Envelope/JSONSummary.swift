extension JSON {
    private static let summaryLength = 40
    private static let summaryCount = 8

    /// What this is, in a few words for a message.
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
