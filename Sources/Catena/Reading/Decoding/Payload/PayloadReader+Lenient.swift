import CatenaPlatform

// Conversions of lenient decoding, tried only after strict decoding has failed.
extension PayloadReader {
    func isNull(_ place: Place) -> Bool {
        let kind = tape.entry(place).kind
        return kind == .null || kind == .absent
    }

    /// Whether a value that does not fit an optional's type decodes as nil, as `""` does.
    func standsForNothing(_ place: Place) -> Bool {
        guard strategies.isLenient else { return false }
        let entry = tape.entry(place)
        return entry.kind == .string && entry.length == 0 || strategies.fillsMissing && isNull(place)
    }

    /// Whether a single value may be decoded as an array of it. With default values, null is an empty array.
    func standsForArray(_ place: Place) -> Bool {
        strategies.isLenient && (strategies.fillsMissing || !isNull(place))
    }

    /// Whether a value in place of an array means that it has no elements: `""` and, as PHP writes an empty list, `{}`.
    func standsForNoElements(_ place: Place) -> Bool {
        let entry = tape.entry(place)
        if entry.kind == .object || entry.kind == .irregularObject { return entry.next == place + 1 }
        return standsForNothing(place)
    }

    /// Decodes the value that stands for an array of one.
    ///
    /// - Throws: An error if it is an object with none of the keys of its type, because such an object is no element.
    func onlyElement<Value: Decodable>(_ place: Place, as type: Value.Type) throws -> Value {
        guard tape.entry(place).kind == .object || tape.entry(place).kind == .irregularObject, !isSpecial(type, place) else {
            return try value(place, as: type)
        }
        let value = try Value(from: ValueDecoder(reader: self, place: place, depth: UInt32(path.count), notesKeys: true))
        guard !keys.hasAsked || keys.findsAny else {
            throw failure(place, wanted: [Any].self, at: path, "an array, or an object of \(type)", "with none of the keys of \(type)")
        }
        return value
    }

    private func isNothing(_ entry: JSONTape.Entry) -> Bool {
        strategies.fillsMissing && (entry.kind == .null || entry.kind == .absent)
    }

    // One copy for all types. See `JSONTape.longInteger(_:as:)`.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    func lenientInteger<Value: FixedWidthInteger & Decodable>(_ entry: JSONTape.Entry, as type: Value.Type) -> Value? {
        if isNothing(entry) { return 0 }
        guard let text = numericText(entry) else { return nil }
        return Value(text) ?? nested(text).flatMap { $0.integer($0.entry(0), as: type) }
    }

    func lenientFloat<Value: BinaryFloatingPoint & LosslessStringConvertible>(_ entry: JSONTape.Entry) -> Value? {
        if isNothing(entry) { return 0 }
        return numericText(entry).flatMap { JSONTape.exact($0) { Value($0) } }
    }

    func lenientDecimal(_ entry: JSONTape.Entry) -> Decimal? {
        if isNothing(entry) { return 0 }
        return numericText(entry).flatMap { nested($0) }.flatMap { $0.decimal($0.entry(0)) }
    }

    func lenientBool(_ entry: JSONTape.Entry) -> Bool? {
        if isNothing(entry) { return false }
        guard let text = text(entry) ?? (entry.kind == .integer ? tape.string(entry) : nil) else { return nil }
        return switch text.lowercased() {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    func lenientString(_ entry: JSONTape.Entry) -> String? {
        if isNothing(entry) { return "" }
        return entry.kind == .integer || entry.kind == .decimal ? tape.string(entry) : nil
    }

    /// Returns the text of a string without the white space around it.
    private func text(_ entry: JSONTape.Entry) -> String? {
        guard entry.kind.isText else { return nil }
        return tape.string(entry).trimmedWhole()
    }

    /// Returns the text of a string that may be a number.
    private func numericText(_ entry: JSONTape.Entry) -> String? {
        guard let text = text(entry) else { return nil }
        // Reject a leading plus, `inf`, `nan` and hexadecimal numbers.
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || Self.isDigit(first) else { return nil }
        return text.utf8.allSatisfy { Self.isDigit($0) || "+-.eE".utf8.contains($0) } ? text : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    /// Returns the document of a number in a string.
    private func nested(_ text: String) -> JSONTape? { try? JSONTape(Data(text.utf8)) }

    /// Decodes an existing value under a key as the content of an optional.
    @inline(__always)
    func optional<Value: Decodable>(_ place: Place, as type: Value.Type, at depth: UInt32, _ key: some CodingKey) throws -> Value? {
        if strategies.isLenient, meansNothing(place) { return try optionalNothing(place, as: type, at: depth, key) }
        return try value(place, as: type, at: depth, key)
    }

    private func optionalNothing<Value: Decodable>(
        _ place: Place, as type: Value.Type, at depth: UInt32, _ key: some CodingKey
    ) throws -> Value? {
        do {
            // Strict decoding comes first, so that leniency does not change its results.
            return try PayloadReader(tape, strategies.strict, path: path(depth, key)).value(place, as: type)
        } catch {
            return isNothing(place, given: error) ? nil : try value(place, as: type, at: depth, key)
        }
    }

    /// Decodes a value by a lenient conversion after ``strictValue(_:as:)`` has failed, or throws the error.
    func rescue<Value: Decodable>(_ place: Place, as type: Value.Type, from error: any Error) throws -> Value {
        if meansNothing(place), isNothing(place, given: error), let optional = type as? any ExpressibleByNilLiteral.Type,
            let value = optional.init(nilLiteral: ()) as? Value
        {
            return value
        }
        if tape.entry(place).kind == .array, meansNothing(place), let dictionary = type as? any DictionaryModel.Type,
            let value = dictionary.noMembers as? Value
        {
            return value
        }
        switch tape.entry(place).kind {
        case .null where !strategies.fillsMissing, .false, .true, .array, .object, .irregularObject: break
        case .string, .escapedString, .integer, .decimal, .absent, .null:
            if let type = type as? any UnknownCaseDecodable.Type, let value = type.unknownCase as? Value { return value }
        }
        guard tape.entry(place).kind == .absent, let key = path.last else { throw error }
        throw missing(key, at: path.dropLast())
    }

    /// Whether the value is `""` or `[]`.
    private func meansNothing(_ place: Place) -> Bool {
        let entry = tape.entry(place)
        return entry.kind == .string && entry.length == 0 || entry.kind == .array && entry.detail == 0
    }

    /// Whether an empty value decodes as nil after this error. An empty array does so only in place of an object.
    private func isNothing(_ place: Place, given error: any Error) -> Bool {
        guard tape.entry(place).kind == .array else { return true }
        guard case DecodingError.typeMismatch(let wanted, _) = error else { return false }
        return wanted == [String: Any].self
    }
}
