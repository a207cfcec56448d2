package import CatenaPlatform

/// Decodes the result of a call from a response.
package struct ResultDecoder<Value: Sendable>: Sendable {
    /// The type that is decoded from JSON, `Void` if no value is needed, or `nil` if any body is accepted.
    package let decoded: Any.Type?
    /// The response family that decodes error bodies, if any.
    let family: (any ResponseFamily.Type)?
    /// Makes the value from a response. Its decoder is created only when it is used, because raw bodies need none.
    package let value: @Sendable (EnvelopeResult, () -> any PayloadDecoder) throws -> Value

    package init(
        decoded: Any.Type?,
        family: (any ResponseFamily.Type)? = nil,
        _ value: @escaping @Sendable (EnvelopeResult, () -> any PayloadDecoder) throws -> Value
    ) {
        self.decoded = decoded
        self.family = family
        self.value = value
    }
}

extension ResultDecoder {
    /// Creates a decoder that uses a closure of the caller.
    init(
        decoded: Any.Type?,
        family: (any ResponseFamily.Type)? = nil,
        making make: @escaping @Sendable (EnvelopeResult) throws -> Value
    ) {
        self.init(decoded: decoded, family: family) { reading, _ in
            do {
                return try make(reading)
            } catch let error as APIError {
                throw error
            } catch {
                throw reading.failure(
                    .decoding, "Cannot make \(Value.self) (\(APIError.wrapping(error).message)).", underlying: error)
            }
        }
    }
}

extension ResultDecoder where Value == JSON {
    /// Decodes the payload as a dynamic value. An envelope without a payload is returned whole.
    package static var json: ResultDecoder<JSON> {
        ResultDecoder(decoded: JSON.self) { reading, _ in
            if reading.payload == .empty || reading.contents.isPlaceMissing { throw reading.missingPayload(JSON.self) }
            let bytes = reading.payloadBytes ?? reading.text
            if let decoder = reading.contents.decoder { return try reading.decode(JSON.self, from: bytes, decoder) }
            do throws(JSONSyntaxError) {
                return try JSON(parsing: bytes)
            } catch {
                throw reading.malformed(error, as: JSON.self, in: bytes)
            }
        }
    }
}

extension ResultDecoder where Value == Data {
    /// Returns the whole body unchanged.
    package static var data: ResultDecoder<Data> {
        ResultDecoder(decoded: nil) { reading, _ in reading.response.body }
    }
}

extension ResultDecoder where Value == String {
    /// Returns the whole body as text.
    package static var string: ResultDecoder<String> {
        ResultDecoder(decoded: nil) { reading, _ in BodyText.string(of: reading.text) }
    }
}

extension ResultDecoder where Value == Void {
    /// Returns no value.
    static var void: ResultDecoder<Void> {
        ResultDecoder(decoded: Void.self) { _, _ in }
    }
}

extension ResultDecoder where Value: Decodable {
    /// Decodes the payload from its own bytes.
    package static func decodable(_ type: Value.Type) -> ResultDecoder<Value> {
        if type == JSON.self, let json = ResultDecoder<JSON>.json as? ResultDecoder<Value> { return json }
        let isUnusual = type is any UnusualModel.Type
        return ResultDecoder(decoded: type, family: type as? any ResponseFamily.Type) { reading, decoder in
            let value: Value
            if let guess = reading.contents.guess, !reading.contents.hasDecoder {
                value = try reading.fitting(type, isUnusual: isUnusual, guess, decoder())
            } else {
                value = try reading.chosen(type, isUnusual: isUnusual, reading.decoder(of: decoder()))
            }
            return isUnusual ? Self.noting(reading.response.headers, in: value) : value
        }
    }

    /// Adds the paging information of the headers to a page.
    private static func noting(_ headers: HTTPHeaders, in value: Value) -> Value {
        guard var page = value as? any ListPage else { return value }
        page.note(headers)
        return page as? Value ?? value
    }
}

extension EnvelopeResult {
    /// Returns a decoder of the parts of the response: without members that are null if the envelope removes them, else with the scanned values.
    func decoder(of decoder: any PayloadDecoder) -> any PayloadDecoder {
        if contents.removesNulls { return decoder is NullRemovingDecoder ? decoder : NullRemovingDecoder(base: decoder) }
        guard let scanned = contents.scanned, let own = decoder as? JSONPayloadDecoder else { return decoder }
        return own.decoding(partOf: scanned)
    }

    /// Decodes the payload that the envelope has selected.
    ///
    /// A separate function, because it would make others look up types that are created at run time.
    @inline(never)
    func chosen<Value: Decodable>(_ type: Value.Type, isUnusual: Bool, _ decoder: any PayloadDecoder) throws -> Value {
        // An absent payload decodes as nil if the type is optional.
        let absent = isUnusual && Value.self is any OptionalModel.Type ? Data("null".utf8) : nil
        if let bytes = payloadBytes ?? absent {
            let foreign = payload == .empty ? nil : contents.decoder
            return try decode(type, from: bytes, foreign ?? decoder)
        }
        if let nothing = nothing(type, contents.decoder ?? decoder) { return nothing }
        throw missing(type, contents.decoder ?? decoder)
    }

    func decode<Value: Decodable>(_ type: Value.Type, from bytes: Data, _ decoder: any PayloadDecoder) throws -> Value {
        do {
            do {
                return try decoder.decode(type, from: bytes)
            } catch DecodingError.typeMismatch(_, let context) where context.codingPath.isEmpty && isEmptyArray(bytes) {
                return try decoder.decode(type, from: Data("{}".utf8))
            }
        } catch let error as DecodingError {
            let explanation = explainNumber(error, type: type, bytes: bytes, decoder) ?? explain(error, type: type, bytes: bytes)
            throw failure(.decoding, explanation + payloadAdvice(type, bytes, decoder), underlying: error)
        } catch {
            throw failure(
                .decoding, "Cannot decode \(type) (\(APIError.wrapping(error).message)). It begins: \(start(bytes))", underlying: error)
        }
    }

    /// Suggests how to unwrap the value at a payload key, if the type fits that value but not the whole body.
    @inline(never)
    private func payloadAdvice<Value: Decodable>(_ type: Value.Type, _ bytes: Data, _ decoder: any PayloadDecoder) -> String {
        guard payload == .body, bytes.first == UInt8(ascii: "{"), contents.decoder == nil else { return "" }
        let members = JSONMemberList.read(text, in: 0..<text.count)
        for member in members where member.isPlain && member.span.kind != .null {
            let key = String(decoding: text.bytes(in: member.source).dropFirst().dropLast(), as: UTF8.self)
            guard let word = member.word, VocabularyWords.payloads.contains(word),
                fit(type, text.bytes(in: member.span.range), decoder).fitsPayload
            else { continue }
            return ". The type fits what is at \"\(key)\": set(\\.unwrap, .path(\"\(key)\"))"
        }
        return ""
    }

    /// Whether the bytes are an empty array that represents an empty object.
    private func isEmptyArray(_ bytes: Data) -> Bool {
        contents.isEmptyArrayObject && bytes.first == UInt8(ascii: "[") && !bytes.dropFirst().dropLast().contains { $0 > 0x20 }
    }

    /// Returns a message with type, key path, reason and first bytes.
    private func explain(_ error: DecodingError, type: Any.Type, bytes: Data) -> String {
        let (place, reason) = error.placeAndReason
        return "Cannot decode \(type)\(place) (\(reason)). It begins: \(start(bytes))"
    }

    /// Describes the unfit number in a document that is valid JSON although its decoder rejects it, or returns `nil` if there is none.
    private func explainNumber<Value: Decodable>(
        _ error: DecodingError, type: Value.Type, bytes: Data, _ decoder: any PayloadDecoder
    ) -> String? {
        guard UnfitNumber.isMeant(by: error), let document = try? JSON(parsing: bytes) else { return nil }
        let number = UnfitNumber(in: document) { (try? decoder.decode(type, from: $0)) != nil }
        let place = number.map { $0.steps.isEmpty ? "" : " at \"\(JSONPath.text($0.steps[...]))\"" } ?? ""
        let reason = number.map { "\($0.summary) does not fit" } ?? "a number may not fit its type"
        return "Cannot decode \(type)\(place) (\(reason)). It begins: \(start(bytes))"
    }
}

extension DecodingError {
    /// The key path, as a phrase to follow the name of a type, and the reason.
    var placeAndReason: (place: String, reason: String) {
        switch self {
        case .keyNotFound(let key, let context):
            return (Self.place(context.codingPath + [key]), "there is no such key")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            // Hide the reason of a secret value, because it may quote the value.
            let isSecret = context.codingPath.contains { Redaction.current.isSecret(name: $0.stringValue) }
            let reason = isSecret ? "the value cannot be used" : Redaction.current.line(context.debugDescription)
            return (Self.place(context.codingPath), reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
        @unknown default:
            return ("", "the reason is not known")
        }
    }

    private static func place(_ keys: [any CodingKey]) -> String {
        let path = JSONPath.text(keys.map(JSONPath.Step.init)[...])
        return path.isEmpty ? "" : " at \"\(path)\""
    }
}
