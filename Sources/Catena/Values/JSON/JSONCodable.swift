extension JSON: Codable {
    /// Decodes any value from a decoder.
    ///
    /// Integers of up to 64 bits are exact; other numbers have the precision of `Double`. Members are sorted by key, because decoders such as
    /// `JSONDecoder` do not keep their order.
    ///
    /// - Throws: `DecodingError` for a value that JSON cannot represent.
    public init(from decoder: any Decoder) throws {
        if let storage = try Self.scalar(try decoder.singleValueContainer()) {
            self.init(storage)
        } else if let container = try? decoder.container(keyedBy: PlainKey.self) {
            let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
            self.init(members: try keys.map { JSONObject.Member(key: $0.stringValue, value: try container.decode(JSON.self, forKey: $0)) })
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSON] = []
            while !container.isAtEnd { elements.append(try container.decode(JSON.self)) }
            self.init(array: elements)
        } else {
            let reason = "Neither an object, an array, a string, a truth value, null nor a number within the range of Double."
            throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: reason))
        }
    }

    /// Encodes the value. A number that is not a 64-bit integer is encoded as the nearest `Double`.
    ///
    /// - Throws: `EncodingError` for a number outside the range of `Double`.
    public func encode(to encoder: any Encoder) throws {
        switch storage {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let object):
            var container = encoder.container(keyedBy: PlainKey.self)
            for member in object.members { try container.encode(member.value, forKey: PlainKey(member.key)) }
        default:
            var container = encoder.singleValueContainer()
            try encodeScalar(to: &container)
        }
    }

    /// Decodes a scalar. Returns nil for an array or object.
    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> Storage? {
        if container.decodeNil() { return .null }
        if let text = try? container.decode(String.self) { return .string(text) }
        // Before numbers, because some decoders decode a Boolean as a number.
        if let truth = try? container.decode(Bool.self) { return .bool(truth) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(UInt64.self) { return .unsigned(value) }
        guard let value = try? container.decode(Double.self) else { return nil }
        guard value.isFinite else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(value) has no form in JSON.")
        }
        return .number(value.description)
    }

    private func encodeScalar(to container: inout any SingleValueEncodingContainer) throws {
        switch storage {
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .number(let text):
            guard let value = double else {
                let context = EncodingError.Context(
                    codingPath: container.codingPath, debugDescription: "\(text) is beyond the range of Double.")
                throw EncodingError.invalidValue(text, context)
            }
            try container.encode(value)
        case .null, .array, .object: try container.encodeNil()
        }
    }
}
