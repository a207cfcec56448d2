/// The decoder of one value of a document.
struct ValueDecoder: Decoder {
    let reader: PayloadReader
    let place: JSONTape.Place
    /// The number of keys of the reader's path that lead to the value.
    let depth: UInt32
    /// Whether the reader records the requested keys.
    var notesKeys = false

    var codingPath: [any CodingKey] { reader.path(depth) }
    var userInfo: [CodingUserInfoKey: Any] { reader.strategies.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch reader.tape.entry(place).kind {
        case .object, .irregularObject:
            reader.prepareKeys(of: place)
            return KeyedDecodingContainer(KeyedPayload<Key>(reader: reader, object: place, depth: depth, notesKeys: notesKeys))
        default: throw reader.failure(place, wanted: [String: Any].self, at: codingPath)
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard reader.tape.entry(place).kind == .array || reader.standsForArray(place) else {
            throw reader.failure(place, wanted: [Any].self, at: codingPath)
        }
        if notesKeys { reader.keys.takesList = true }
        return UnkeyedPayload(reader, place, depth: depth)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { reader.isNull(place) }

    func decode(_ type: Bool.Type) throws -> Bool { try checked(reader.bool(place)) }
    func decode(_ type: String.Type) throws -> String { try checked(reader.string(place)) }
    func decode(_ type: Double.Type) throws -> Double { try checked(reader.double(place)) }
    func decode(_ type: Float.Type) throws -> Float { try checked(reader.float(place)) }
    func decode(_ type: Int.Type) throws -> Int { try checked(reader.integer(place, as: type)) }
    func decode(_ type: Int8.Type) throws -> Int8 { try rareInteger() }
    func decode(_ type: Int16.Type) throws -> Int16 { try rareInteger() }
    func decode(_ type: Int32.Type) throws -> Int32 { try checked(reader.integer(place, as: type)) }
    func decode(_ type: Int64.Type) throws -> Int64 { try checked(reader.integer(place, as: type)) }
    func decode(_ type: UInt.Type) throws -> UInt { try checked(reader.integer(place, as: type)) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try rareInteger() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try rareInteger() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try rareInteger() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try checked(reader.integer(place, as: type)) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: Int128.Type) throws -> Int128 { try rareInteger() }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: UInt128.Type) throws -> UInt128 { try rareInteger() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard reader.path.count == depth else { return try reader.branch(at: codingPath).value(place, as: type) }
        return try reader.value(place, as: type)
    }

    /// Decodes an integer of a type that models seldom have.
    ///
    /// The compiler would otherwise copy the whole reading of a number for each of these types, 5 KB for one.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    private func rareInteger<Value: FixedWidthInteger & Decodable>() throws -> Value { try checked(reader.integer(place, as: Value.self)) }

    @inline(__always)
    private func checked<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw reader.failure(place, wanted: Value.self, at: codingPath) }
        return value
    }
}
