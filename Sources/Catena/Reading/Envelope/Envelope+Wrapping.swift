package import CatenaPlatform

extension Envelope {
    /// Writes a response in this envelope, the inverse of `EnvelopeReader`.
    ///
    /// - Parameters:
    ///   - payload: The payload as JSON, or `nil` to omit it.
    ///   - code: The code, or `nil` for one that means success.
    /// - Throws: An ``APIError`` if the envelope has no place for a value.
    package func wrap(payload: Data?, code: ErrorCode?, message: String) throws -> Data {
        // Write the first of several envelopes, because each of them can be read.
        let rules = rules.first ?? EnvelopeRules()
        let isBare = rules.writtenCode == nil && rules.writtenFlag == nil && rules.writtenPayload == nil
        if isBare, code == nil, message.isEmpty { return payload ?? Data() }
        var answer = JSON.nullValue
        let isFailure = code.map(rules.meansSuccess) == false
        let codePlace = rules.writtenCode
        if isFailure, codePlace == nil { throw Self.noPlace(for: "a code") }
        if let codePlace, let code = code ?? rules.usualSuccess { answer = try answer.placing(code.json, at: codePlace) }
        // If no code means success, use a flag, if the envelope has one.
        if let place = rules.writtenFlag, codePlace == nil || rules.usualSuccess == nil {
            answer = try answer.placing(JSON(.bool(!isFailure)), at: place)
        }
        if !message.isEmpty {
            guard let place = rules.writtenMessage else { throw Self.noPlace(for: "a message") }
            answer = try answer.placing(JSON(.string(message)), at: place)
        }
        if let payload {
            guard let place = rules.writtenPayload else { throw Self.noPlace(for: "a payload") }
            answer = try answer.placing(try JSON(parsing: payload), at: place)
        }
        return answer.encoded
    }

    private static func noPlace(for what: String) -> APIError {
        .invalid("envelope", "it has no place for \(what)")
    }
}

extension EnvelopeRules {
    /// The most common code that means success, or `nil` if there is none.
    fileprivate var usualSuccess: ErrorCode? {
        let preferred: [ErrorCode] = [0, 200]
        return preferred.first(where: meansSuccess) ?? successes.all.min { "\($0)" < "\($1)" }
    }
}

extension ErrorCode {
    fileprivate var json: JSON {
        switch self {
        case .integer(let value): JSON(.integer(Int64(value)))
        case .string(let text): JSON(.string(text))
        }
    }
}

extension JSON {
    fileprivate func placing(_ value: JSON, at place: String) throws -> JSON {
        let path = try JSONPath(place)
        guard let placed = placing(value, at: path.steps[...]) else {
            throw APIError.invalid("envelope", "the place \"\(place)\" is taken by something else")
        }
        return placed
    }

    /// Returns the value with another value inserted, or `nil` if the place is occupied.
    private func placing(_ value: JSON, at steps: ArraySlice<JSONPath.Step>) -> JSON? {
        switch (steps.first, storage) {
        case (nil, .null): return value
        case (nil, .object(let own)):
            // The code may be inside the payload, so merge both objects.
            guard case .object(let other) = value.storage else { return nil }
            return JSON(members: own.members + other.members)
        case (.index, .null): return JSON(array: []).placing(value, at: steps)
        case (.some, .null): return JSON(members: []).placing(value, at: steps)
        // Any key with the ending will do.
        case (.ending(let ending), .object): return placing(value, at: [.key("method" + ending)] + steps.dropFirst())
        case (.key(let key), .object(let object)):
            guard let inner = self[key].placing(value, at: steps.dropFirst()) else { return nil }
            var members = object.members
            let member = JSONObject.Member(key: key, value: inner)
            if let index = members.firstIndex(where: { $0.key == key }) { members[index] = member } else { members.append(member) }
            return JSON(members: members)
        case (.index(let index), .array(var elements)):
            // A limit far above any real index.
            guard index < 1000, let inner = self[index].placing(value, at: steps.dropFirst()) else { return nil }
            while elements.count <= index { elements.append(.nullValue) }
            elements[index] = inner
            return JSON(array: elements)
        default: return nil
        }
    }
}
