/// A decoding container for the members of an object.
struct KeyedPayload<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let reader: PayloadReader
    let object: JSONTape.Place
    let depth: UInt32
    let notesKeys: Bool

    var codingPath: [any CodingKey] { reader.path(depth) }
    var allKeys: [Key] {
        let keys = reader.keys(of: object, at: depth).compactMap { Key(stringValue: $0) }
        if notesKeys { reader.noteAllKeys(isEmpty: keys.isEmpty) }
        return keys
    }

    @inline(__always)
    private func find(_ key: some CodingKey, isRequired: Bool = false) -> JSONTape.Place? {
        let name = key.stringValue
        let place = reader.member(name, of: object)
        if notesKeys { reader.note(name, isRequired: isRequired, isFound: place != nil) }
        return place
    }

    @inline(__always)
    private func place(_ key: some CodingKey) throws -> JSONTape.Place {
        if let place = find(key, isRequired: true) { return place }
        if reader.strategies.fillsMissing { return reader.tape.absence }
        throw reader.missing(key, at: codingPath)
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { reader.isNull(try place(key)) }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(key) { reader.bool($0) } }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(key) { reader.string($0) } }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try scalar(key) { reader.double($0) } }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try scalar(key) { reader.float($0) } }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try rareInteger(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try rareInteger(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try rareInteger(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try rareInteger(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try rareInteger(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try rareInteger(key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try rareInteger(key) }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(key) { reader.bool($0) } }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(key) { reader.string($0) } }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(key) { reader.double($0) } }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(key) { reader.float($0) } }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optionalInteger(key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optionalRareInteger(key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optionalRareInteger(key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optionalInteger(key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optionalInteger(key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optionalInteger(key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optionalRareInteger(key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optionalRareInteger(key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optionalRareInteger(key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optionalInteger(key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try optionalRareInteger(key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try optionalRareInteger(key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try reader.value(try place(key), as: type, at: depth, key)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let place = find(key), !reader.isNull(place) else { return nil }
        return try reader.optional(place, as: type, at: depth, key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(at: place(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(at: place(key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = PlainKey.superclass
        return decoder(at: reader.member(key.stringValue, of: object) ?? reader.tape.absence, key)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        decoder(at: find(key) ?? reader.tape.absence, key)
    }

    private func decoder(at place: JSONTape.Place, _ key: some CodingKey) -> ValueDecoder {
        ValueDecoder(reader: reader.branch(at: reader.path(depth, key)), place: place, depth: depth + 1)
    }

    @inline(__always)
    private func integer<Value: FixedWidthInteger & Decodable>(_ key: Key) throws -> Value {
        try scalar(key) { reader.integer($0, as: Value.self) }
    }

    @inline(__always)
    private func optionalInteger<Value: FixedWidthInteger & Decodable>(_ key: Key) throws -> Value? {
        try optional(key) { reader.integer($0, as: Value.self) }
    }

    // One copy for all types that models seldom have. See `ValueDecoder.rareInteger()`.

    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    private func rareInteger<Value: FixedWidthInteger & Decodable>(_ key: Key) throws -> Value { try integer(key) }

    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    private func optionalRareInteger<Value: FixedWidthInteger & Decodable>(_ key: Key) throws -> Value? { try optionalInteger(key) }

    @inline(__always)
    private func scalar<Value>(_ key: Key, _ read: (JSONTape.Place) -> Value?) throws -> Value {
        let place = try place(key)
        guard let value = read(place) else { throw reader.failure(place, wanted: Value.self, at: reader.path(depth, key)) }
        return value
    }

    @inline(__always)
    private func optional<Value>(_ key: Key, _ read: (JSONTape.Place) -> Value?) throws -> Value? {
        guard let place = find(key), !reader.isNull(place) else { return nil }
        if let value = read(place) { return value }
        if reader.standsForNothing(place) { return nil }
        throw reader.failure(place, wanted: Value.self, at: reader.path(depth, key))
    }
}
