/// A decoding container for the elements of an array. Lenient decoding also accepts a single value as an array of one.
///
/// Its 24 bytes fit into an existential, which would otherwise allocate memory for it.
struct UnkeyedPayload: UnkeyedDecodingContainer {
    let reader: PayloadReader
    let array: JSONTape.Place
    let depth: UInt32
    var next: JSONTape.Place
    var index: UInt32 = 0

    init(_ reader: PayloadReader, _ array: JSONTape.Place, depth: UInt32) {
        self.reader = reader
        self.array = array
        self.depth = depth
        next = reader.tape.entry(array).kind == .array ? array + 1 : array
    }

    var codingPath: [any CodingKey] { reader.path(depth) }
    var count: Int? { Int(length) }
    var currentIndex: Int { Int(index) }
    var isAtEnd: Bool { index >= length }

    private var isArray: Bool { reader.tape.entry(array).kind == .array }

    /// The path of the next element. A single value in place of an array has the path of the array.
    private var elementPath: [any CodingKey] {
        isArray ? reader.path(depth, IndexKey(Int(index))) : reader.path(depth)
    }

    private var length: UInt32 {
        let entry = reader.tape.entry(array)
        return entry.kind == .array ? entry.detail : reader.standsForNoElements(array) ? 0 : 1
    }

    @inline(__always)
    private func place<Value>(_ type: Value.Type) throws -> JSONTape.Place {
        guard !isAtEnd else { throw reader.end(wanted: type, at: reader.path(depth, IndexKey(Int(index)))) }
        return next
    }

    mutating func advance() {
        if !isAtEnd { next = reader.tape.entry(next).next }
        index += 1
    }

    mutating func decodeNil() throws -> Bool {
        guard reader.isNull(try place(Never.self)) else { return false }
        advance()
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try scalar { $0.bool($1) } }
    mutating func decode(_ type: String.Type) throws -> String { try scalar { $0.string($1) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try scalar { $0.double($1) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try scalar { $0.float($1) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try scalar { $0.integer($1, as: type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try rareInteger() }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try rareInteger() }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try scalar { $0.integer($1, as: type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try scalar { $0.integer($1, as: type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try scalar { $0.integer($1, as: type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try rareInteger() }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try rareInteger() }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try rareInteger() }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try scalar { $0.integer($1, as: type) } }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try rareInteger() }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try rareInteger() }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        PayloadReader.isScalar(type) ? try scalarElement(type) : try element(type)
    }

    // A separate function, because an optional of a generic type takes a lookup at run time, also where it is not used.
    @inline(never)
    private mutating func scalarElement<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let value = reader.scalar(try place(type), as: type) else { return try element(type) }
        advance()
        return value
    }

    @inline(__always)
    private mutating func element<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let place = try place(type)
        let value =
            isArray
            ? try reader.value(place, as: type, at: depth, IndexKey(Int(index)))
            : try branch(forOnlyElement: place, of: type).onlyElement(place, as: type)
        advance()
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) throws -> KeyedDecodingContainer<NestedKey> {
        let container = try decoder(KeyedDecodingContainer<NestedKey>.self).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try decoder((any UnkeyedDecodingContainer).self).unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try decoder((any Decoder).self)
        advance()
        return decoder
    }

    /// Returns the reader of the only element, for which a single value stands.
    private func branch(forOnlyElement place: JSONTape.Place, of type: Any.Type) throws -> PayloadReader {
        let path = elementPath
        guard let branch = reader.branch(at: path, forOnlyElement: place, of: type) else {
            throw reader.failure(place, wanted: [Any].self, at: path)
        }
        return branch
    }

    private func decoder<Wanted>(_ type: Wanted.Type) throws -> ValueDecoder {
        let (path, place) = (elementPath, try place(type))
        let branch = isArray ? reader.branch(at: path) : try branch(forOnlyElement: place, of: type)
        return ValueDecoder(reader: branch, place: place, depth: UInt32(path.count))
    }

    // One copy for all types that models seldom have. See `ValueDecoder.rareInteger()`.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    private mutating func rareInteger<Value: FixedWidthInteger & Decodable>() throws -> Value {
        try scalar { $0.integer($1, as: Value.self) }
    }

    @inline(__always)
    private mutating func scalar<Value>(_ read: (PayloadReader, JSONTape.Place) -> Value?) throws -> Value {
        let place = try place(Value.self)
        guard let value = read(reader, place) else {
            throw reader.failure(place, wanted: Value.self, at: elementPath)
        }
        advance()
        return value
    }
}

// Optional elements. Null and a missing element at the end decode as `nil`.
extension UnkeyedPayload {
    mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? { try optional { $0.bool($1) } }
    mutating func decodeIfPresent(_ type: String.Type) throws -> String? { try optional { $0.string($1) } }
    mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? { try optional { $0.double($1) } }
    mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? { try optional { $0.float($1) } }
    mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? { try optional { $0.integer($1, as: type) } }
    mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? { try optionalRareInteger() }
    mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? { try optionalRareInteger() }
    mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? { try optional { $0.integer($1, as: type) } }
    mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? { try optional { $0.integer($1, as: type) } }
    mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? { try optional { $0.integer($1, as: type) } }
    mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? { try optionalRareInteger() }
    mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? { try optionalRareInteger() }
    mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? { try optionalRareInteger() }
    mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? { try optional { $0.integer($1, as: type) } }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func decodeIfPresent(_ type: Int128.Type) throws -> Int128? { try optionalRareInteger() }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func decodeIfPresent(_ type: UInt128.Type) throws -> UInt128? { try optionalRareInteger() }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        guard !isAtEnd else {
            index += 1
            return nil
        }
        var value: Value?
        if !reader.isNull(next) {
            value =
                isArray
                ? try reader.optional(next, as: type, at: depth, IndexKey(Int(index)))
                : try branch(forOnlyElement: next, of: type).onlyElement(next, as: type)
        }
        advance()
        return value
    }

    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    private mutating func optionalRareInteger<Value: FixedWidthInteger & Decodable>() throws -> Value? {
        try optional { $0.integer($1, as: Value.self) }
    }

    @inline(__always)
    private mutating func optional<Value>(_ read: (PayloadReader, JSONTape.Place) throws -> Value?) throws -> Value? {
        guard !isAtEnd else {
            index += 1
            return nil
        }
        var value: Value?
        if !reader.isNull(next) {
            value = try read(reader, next)
            guard value != nil || reader.standsForNothing(next) else {
                throw reader.failure(next, wanted: Value.self, at: elementPath)
            }
        }
        advance()
        return value
    }
}
