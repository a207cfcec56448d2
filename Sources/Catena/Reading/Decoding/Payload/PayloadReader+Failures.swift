// Errors with the same kinds and paths as those of `JSONDecoder`. Their messages name the wanted and the found value.
extension PayloadReader {
    /// Creates the error of a value that cannot be decoded.
    ///
    /// - Parameters:
    ///   - words: A description of the wanted value, if the name of the type is not clear enough.
    ///   - detail: A clause about the found value.
    @inline(never)
    func failure(
        _ place: Place, wanted: Any.Type, at path: [any CodingKey], _ words: String? = nil, _ detail: String? = nil
    ) -> DecodingError {
        let kind = tape.entry(place).kind
        if kind == .absent, strategies.fillsMissing, let key = path.last { return missing(key, at: path.dropLast()) }
        let context = DecodingError.Context(
            codingPath: path,
            debugDescription:
                "wanted \(words ?? Self.name(of: wanted)), but it is \(found(place, at: path))\(detail.map { " " + $0 } ?? "")")
        switch kind {
        case .null, .absent: return wanted == Bool.self ? .typeMismatch(wanted, context) : .valueNotFound(wanted, context)
        case .integer, .decimal: return Self.isNumeric(wanted) ? .dataCorrupted(context) : .typeMismatch(wanted, context)
        default: return .typeMismatch(wanted, context)
        }
    }

    /// Adds the existing cases to the error of an enum without a case for the raw value.
    @inline(never)
    func explained(_ error: any Error, _ place: Place, as type: Any.Type) -> any Error {
        guard let type = type as? any RawRepresentable.Type, case DecodingError.dataCorrupted(let context) = error,
            context.codingPath.count == path.count, context.debugDescription.hasPrefix("Cannot initialize ")
        else { return error }
        var words = "a case of \(type)"
        if let cases = (type as? any CaseIterable.Type)?.caseTexts { words += " (\(cases.joined(separator: ", ")))" }
        let advice = strategies.isLenient ? "" : ". UnknownCaseDecodable takes others, decoded leniently"
        return DecodingError.dataCorrupted(
            .init(
                codingPath: context.codingPath, debugDescription: "wanted \(words), but it is \(found(place, at: path))\(advice)",
                underlyingError: error))
    }

    @inline(never)
    func missing(_ key: any CodingKey, at path: [any CodingKey]) -> DecodingError {
        .keyNotFound(key, .init(codingPath: path, debugDescription: "there is no such key"))
    }

    /// Creates the error of an element requested after the last one.
    func end(wanted: Any.Type, at path: [any CodingKey]) -> DecodingError {
        .valueNotFound(wanted, .init(codingPath: path, debugDescription: "the array has no such element"))
    }

    /// Returns a short description of a value, without secrets.
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

extension CaseIterable {
    /// The raw values of the cases, as written in JSON.
    fileprivate static var caseTexts: [String] {
        allCases.prefix(20).compactMap { value in
            guard let raw = (value as? any RawRepresentable)?.rawValue else { return nil }
            return raw is String ? "\"\(raw)\"" : "\(raw)"
        }
    }
}
