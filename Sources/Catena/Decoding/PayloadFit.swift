import Foundation

// An envelope that nobody described is known by its keys, and a model can have these too: `{"data": 1, "total": 2}` may be a page. So where the
// wanted type does not fit what is at the payload key, and fits the whole body, the whole is taken.
extension EnvelopeResult {
    /// Decodes what is at the payload key or, if the type does not fit that, the whole body if it fits.
    ///
    /// - Parameter isUnusual: Whether the type is an ``UnusualModel``.
    func fitting<Value: Decodable>(
        _ type: Value.Type, isUnusual: Bool, from bytes: Data, _ decoder: any PayloadDecoder
    ) throws -> Value {
        let isObject = bytes.first == UInt8(ascii: "{")
        if isObject, isUnusual, let wrapped = (type as? any OptionalModel.Type)?.wrapped,
            let value = try fitting(wrapped, isUnusual: wrapped is any UnusualModel.Type, from: bytes, decoder) as? Value
        {
            return value
        }
        // Anything but an object has no keys that could be missing.
        guard isObject, !isUnusual || Self.hasKeys(type) else {
            do {
                let value = try decode(type, from: bytes, decoder)
                // What a list says of its pages stands beside its items.
                if isUnusual, let page = value as? any ListPage, let whole = whole(as: type, decoder),
                    (whole as? any ListPage)?.items.count == page.items.count
                {
                    return whole
                }
                return value
            } catch {
                guard let whole = whole(as: type, decoder) else { throw error }
                return whole
            }
        }
        var findsKeys: Bool?
        let value: Value
        do {
            value = try Self.witnessed(type, from: bytes, decoder, &findsKeys)
        } catch {
            return try wholeOrFailure(as: type, from: bytes, decoder)
        }
        return findsKeys == false ? whole(as: type, else: value, decoder) : value
    }

    // Functions of their own, since nearly no response comes to them: each would look up types on its way that are made at run time.

    @inline(never)
    private func wholeOrFailure<Value: Decodable>(as type: Value.Type, from bytes: Data, _ decoder: any PayloadDecoder) throws -> Value {
        if let whole = whole(as: type, decoder) { return whole }
        // Once more, for the words.
        return try decode(type, from: bytes, decoder)
    }

    @inline(never)
    private func whole<Value: Decodable>(as type: Value.Type, else value: Value, _ decoder: any PayloadDecoder) -> Value {
        whole(as: type, decoder) ?? value
    }

    /// The error of a response that has no payload.
    @inline(never)
    func missing<Value: Decodable>(_ type: Value.Type, _ decoder: any PayloadDecoder) -> APIError {
        missingPayload(type, fitsWhole: whole(as: type, decoder) != nil)
    }

    /// The whole body as a type that has at least one of its keys in it.
    func whole<Value: Decodable>(as type: Value.Type, _ decoder: any PayloadDecoder) -> Value? {
        if let wrapped = (type as? any OptionalModel.Type)?.wrapped {
            // Not a cast of nil, which would be a value of an optional.
            guard let whole = whole(as: wrapped, decoder) else { return nil }
            return whole as? Value
        }
        var findsKeys: Bool?
        guard !text.isEmpty, Self.hasKeys(type), let value = try? Self.witnessed(type, from: text, decoder, &findsKeys), findsKeys == true
        else { return nil }
        return value
    }

    /// A value. Notes whether any of the keys that its type has were there; nothing if the type asked for none.
    private static func witnessed<Value: Decodable>(
        _ type: Value.Type, from bytes: Data, _ decoder: any PayloadDecoder, _ findsKeys: inout Bool?
    ) throws -> Value {
        if let decoder = decoder as? JSONPayloadDecoder { return try decoder.decode(type, from: bytes, notingKeys: &findsKeys) }
        return try witnessedByOther(type, from: bytes, decoder, &findsKeys)
    }

    @inline(never)
    private static func witnessedByOther<Value: Decodable>(
        _ type: Value.Type, from bytes: Data, _ decoder: any PayloadDecoder, _ findsKeys: inout Bool?
    ) throws -> Value {
        let found = try decoder.decode(Witnessed<Value>.self, from: bytes)
        findsKeys = found.findsKeys
        return found.value
    }

    /// Whether a type may have keys of its own. A dictionary has whatever keys there are, and some types are decoded by the decoder itself.
    private static func hasKeys(_ type: Any.Type) -> Bool {
        !(type is any KeylessModel.Type)
    }
}

/// A type of which more has to be asked than whether it fits. Most are none, and to ask that once takes less time than to ask for all.
protocol UnusualModel {}

/// A page of a list, which may be its items or an object around them.
protocol ListPage: UnusualModel {
    associatedtype Item
    var items: [Item] { get }

    /// Takes what the head of the response says of the page.
    mutating func note(_ headers: HTTPHeaders)
}

/// An optional, for which a response without a payload is a value.
protocol OptionalModel: UnusualModel {
    static var wrapped: (any Decodable.Type)? { get }
}

extension Optional: OptionalModel {
    static var wrapped: (any Decodable.Type)? { Wrapped.self as? any Decodable.Type }
}

private protocol KeylessModel: UnusualModel {}

extension Dictionary: KeylessModel {}
extension JSON: KeylessModel {}
extension Date: KeylessModel {}
extension Data: KeylessModel {}
extension URL: KeylessModel {}
extension Decimal: KeylessModel {}

// What notes it with a decoder that is not the library's own.

private struct Witnessed<Value: Decodable>: Decodable {
    let value: Value
    /// `nil` if the type asked for no keys.
    let findsKeys: Bool?

    init(from decoder: any Decoder) throws {
        let witness = KeyWitness()
        value = try Value(from: WitnessingDecoder(base: decoder, witness: witness))
        findsKeys = witness.findsKeys
    }
}

private final class KeyWitness {
    var findsKeys: Bool?
}

private struct WitnessingDecoder: Decoder {
    let base: any Decoder
    let witness: KeyWitness

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try base.container(keyedBy: type)
        if witness.findsKeys == nil { witness.findsKeys = false }
        return KeyedDecodingContainer(WitnessingContainer(container, witness))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { try base.singleValueContainer() }
}

/// Passes everything on, and notes whether a key that was asked for is there.
///
/// An object, as to copy a container of a type that is known at run time only takes longer than to ask it.
private final class WitnessingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let witness: KeyWitness

    init(_ base: KeyedDecodingContainer<Key>, _ witness: KeyWitness) {
        self.base = base
        self.witness = witness
    }

    var codingPath: [any CodingKey] { base.codingPath }

    var allKeys: [Key] {
        let keys = base.allKeys
        if !keys.isEmpty { witness.findsKeys = true }
        return keys
    }

    private func noting(_ key: Key) -> WitnessingContainer {
        if witness.findsKeys != true, base.contains(key) { witness.findsKeys = true }
        return self
    }

    func contains(_ key: Key) -> Bool { noting(key).base.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try noting(key).base.decodeNil(forKey: key) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try noting(key).base.decode(type, forKey: key) }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try noting(key).base.decodeIfPresent(type, forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try noting(key).base.nestedContainer(keyedBy: type, forKey: key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try noting(key).base.nestedUnkeyedContainer(forKey: key)
    }

    func superDecoder() throws -> any Decoder { try base.superDecoder() }
    func superDecoder(forKey key: Key) throws -> any Decoder { try noting(key).base.superDecoder(forKey: key) }
}

extension WitnessingContainer {
    // The types that every container decodes by itself.
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try noting(key).base.decode(type, forKey: key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try noting(key).base.decode(type, forKey: key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try noting(key).base.decode(type, forKey: key) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try noting(key).base.decode(type, forKey: key) }
}

extension WitnessingContainer {
    // A decoder of one's own may take more than a value that is null or absent for nothing.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try noting(key).base.decodeIfPresent(type, forKey: key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try noting(key).base.decodeIfPresent(type, forKey: key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try noting(key).base.decodeIfPresent(type, forKey: key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try noting(key).base.decodeIfPresent(type, forKey: key)
    }
}
