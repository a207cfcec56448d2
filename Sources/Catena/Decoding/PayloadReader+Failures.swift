// Errors of the kinds and with the paths that JSONDecoder's have. The words say what was wanted and what was found.
extension PayloadReader {
    /// Why a value could not be read as what was wanted.
    func failure(_ place: Place, wanted: Any.Type, at path: [any CodingKey]) -> DecodingError {
        let kind = tape.entry(place).kind
        if kind == .absent, strategies.fillsMissing, let key = path.last { return missing(key, at: path.dropLast()) }
        let context = DecodingError.Context(
            codingPath: path, debugDescription: "wanted \(Self.name(of: wanted)), but it is \(found(place, at: path))")
        switch kind {
        case .null, .absent: return wanted == Bool.self ? .typeMismatch(wanted, context) : .valueNotFound(wanted, context)
        case .integer, .decimal: return Self.isNumeric(wanted) ? .dataCorrupted(context) : .typeMismatch(wanted, context)
        default: return .typeMismatch(wanted, context)
        }
    }

    func missing(_ key: any CodingKey, at path: [any CodingKey]) -> DecodingError {
        .keyNotFound(key, .init(codingPath: path, debugDescription: "there is no such key"))
    }

    /// An element was wanted after the last one.
    func end(wanted: Any.Type, at path: [any CodingKey]) -> DecodingError {
        .valueNotFound(wanted, .init(codingPath: path, debugDescription: "the array has no such element"))
    }

    /// What a value is, in a few words, without secrets.
    func found(_ place: Place, at path: [any CodingKey]) -> String {
        let entry = tape.entry(place)
        let isHidden = path.contains { Redaction.current.isSecret(name: $0.stringValue) }
        return switch entry.kind {
        case .null, .absent: "null"
        case .true, .false: JSON(.bool(entry.kind == .true)).summary(hidden: isHidden)
        case .integer, .decimal: JSON(.number(tape.string(entry))).summary(hidden: isHidden)
        case .string, .escapedString: JSON(.string(tape.string(entry))).summary(hidden: isHidden)
        case .array: entry.detail == 0 ? "an empty array" : "an array of \(entry.detail)"
        case .object, .irregularObject: entry.next == place + 1 ? "an empty object" : "an object"
        }
    }

    private static func name(of type: Any.Type) -> String {
        type == [String: Any].self ? "an object" : type == [Any].self ? "an array" : "\(type)"
    }

    private static func isNumeric(_ type: Any.Type) -> Bool {
        type is any Numeric.Type
    }
}
