public import CatenaPlatform

extension JSON {
    /// Decodes a value, or throws an error that describes it.
    ///
    /// ```swift
    /// let id = try response("users[0].id", as: Int.self)
    /// let user: User = try response.users[0]()
    /// ```
    ///
    /// The path in an error begins at the called value. In the first line, for example, the message is `users[0].id: wanted Int, but it is the string
    /// "x"`. An absent value decodes as nil if the type is optional.
    ///
    /// - Parameters:
    ///   - path: Keys joined by dots, with indices in brackets; `""` is the value itself. Use a subscript for a key that contains a dot or a bracket.
    ///   - type: The type to decode.
    ///   - decoder: The decoder whose strategies to use.
    /// - Throws: An ``APIError`` of kind `decoding` that names the path, the wanted and the found value.
    public func callAsFunction<Value: Decodable>(
        _ path: String = "",
        as type: Value.Type = Value.self,
        decoder: JSONDecoder? = nil
    ) throws(APIError) -> Value {
        let steps = try Self.steps(of: path)
        let reading = JSONReading(root: self, wanted: type)
        guard let found = reading.value(at: steps[...]) else {
            if let absent = (type as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? Value { return absent }
            throw reading.absence(of: steps)
        }
        if let value: Value = found.plain() { return value }
        let decoder = Decoding.strict.decoder(decoder ?? JSONDecoder())
        do {
            return try decoder.decode(type, from: found.encoded)
        } catch let error as DecodingError where UnfitNumber.isMeant(by: error) {
            let number = UnfitNumber(in: found) { (try? decoder.decode(type, from: $0)) != nil }
            throw reading.failure(error, number: number, below: steps)
        } catch {
            throw reading.failure(error, below: steps)
        }
    }

    private static func steps(of path: String) throws(APIError) -> [JSONPath.Step] {
        if path.isEmpty { return [] }
        do {
            return try JSONPath(path).steps
        } catch {
            throw APIError(.decoding, message: "\(error)", underlying: error)
        }
    }

    /// Converts the value directly if it already has the wanted type, which avoids encoding and decoding it. The order of members and exact numbers
    /// are kept.
    private func plain<Value>() -> Value? {
        if let value = self as? Value { return value }
        return switch storage {
        case .bool(let value): value as? Value
        case .string(let value): value as? Value
        case .integer(let value): Int(exactly: value).flatMap { $0 as? Value }
        case .array(let elements): elements as? Value
        default: nil
        }
    }
}

/// Finds values by path, and describes the value found in place of the wanted one.
private struct JSONReading {
    let root: JSON
    let wanted: Any.Type

    func value(at steps: ArraySlice<JSONPath.Step>) -> JSON? { root.value(at: steps) }

    /// Creates an error that names the last existing value on the path, because there the response differs from the expectation.
    func absence(of steps: [JSONPath.Step], wanted: Any.Type? = nil) -> APIError {
        var known = steps[...]
        while !known.isEmpty, value(at: known) == nil { known.removeLast() }
        let place = known.isEmpty ? "the value" : JSONPath.text(known)
        return error(steps, wanted: wanted ?? self.wanted, but: "\(place) is \(summary(at: known))")
    }

    func failure(_ error: any Error, below steps: [JSONPath.Step]) -> APIError {
        guard let error = error as? DecodingError else {
            return self.error(steps, wanted: wanted, but: APIError.wrapping(error).message, underlying: error)
        }
        switch error {
        case .keyNotFound(let key, let context):
            let place = steps + context.codingPath.map(JSONPath.Step.init)
            var failure = absence(of: place + [JSONPath.Step(key)])
            failure.underlying = error
            return failure
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let place = steps + context.codingPath.map(JSONPath.Step.init)
            return self.error(place, wanted: type, but: "it is \(summary(at: place[...]))", underlying: error)
        case .dataCorrupted(let context):
            let place = steps + context.codingPath.map(JSONPath.Step.init)
            let found = "it is \(summary(at: place[...]))"
            // The library's own decoder describes unfit numbers in this way.
            let isNumber = found.hasPrefix("it is the number") && context.debugDescription.hasSuffix(found)
            let reason = JSONPath.isSecret(place[...]) ? "" : " (\(Redaction.current.line(context.debugDescription)))"
            return self.error(place, wanted: wanted, but: found + (isNumber ? ", which does not fit" : reason), underlying: error)
        @unknown default:
            return self.error(steps, wanted: wanted, but: "the reason is not known", underlying: error)
        }
    }

    /// Creates the error for a document that is valid JSON although its decoder rejects it as invalid.
    func failure(_ error: DecodingError, number: UnfitNumber?, below steps: [JSONPath.Step]) -> APIError {
        guard let number else {
            return self.error(steps, wanted: wanted, but: "a number may not fit its type", underlying: error)
        }
        let place = steps + number.steps
        let reason = "it is \(number.value.summary(hidden: JSONPath.isSecret(place[...]))), which does not fit"
        return self.error(place, wanted: wanted, but: reason, underlying: error)
    }

    private func error(
        _ steps: [JSONPath.Step], wanted: Any.Type, but reason: String, underlying: (any Error)? = nil
    ) -> APIError {
        let place = steps.isEmpty ? "the value" : JSONPath.text(steps[...])
        return APIError(.decoding, message: "\(place): wanted \(wanted), but \(reason)", underlying: underlying)
    }

    private func summary(at steps: ArraySlice<JSONPath.Step>) -> String {
        guard let value = value(at: steps) else { return "absent" }
        return value.summary(hidden: JSONPath.isSecret(steps))
    }
}

extension JSONPath.Step {
    init(_ key: any CodingKey) {
        self = key.intValue.map(Self.index) ?? .key(key.stringValue)
    }
}

extension JSONPath {
    /// Returns the steps as the text of a path.
    static func text(_ steps: ArraySlice<Step>) -> String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key): text += text.isEmpty ? key : "." + key
            case .ending(let ending): text += text.isEmpty ? "*" + ending : ".*" + ending
            }
        }
    }

    /// Returns whether a key on a path is the name of a secret.
    static func isSecret(_ steps: ArraySlice<Step>) -> Bool {
        steps.contains { step in
            if case .key(let key) = step { Redaction.current.isSecret(name: key) } else { false }
        }
    }
}
