import CatenaPlatform

// An undeclared envelope is recognized by its keys, which a model can have, too: `{"data": 1, "total": 2}` may be a page. So a type is decoded from
// the payload or from the whole body, whichever it fits.
extension EnvelopeResult {
    /// Decodes the payload or the whole body, whichever the type fits.
    ///
    /// - Parameter isUnusual: Whether the type is an ``UnusualModel``.
    func fitting<Value: Decodable>(_ type: Value.Type, isUnusual: Bool, _ guess: PayloadGuess, _ decoder: any PayloadDecoder) throws
        -> Value
    {
        if isUnusual { return try fittingUnusual(type, guess, self.decoder(of: decoder)) }
        let isPayload = guess.isPayload
        let range = (isPayload ? guess.payload : nil) ?? 0..<text.count
        var keys = AskedKeys()
        do {
            let value: Value
            if !contents.removesNulls, let own = decoder as? JSONPayloadDecoder {
                value = try own.decoding(partOf: contents.scanned).decode(type, from: text, in: range, noting: &keys)
            } else {
                value = try Self.witnessed(type, from: text.bytes(in: range), self.decoder(of: decoder), &keys)
            }
            if guess.accepts(keys) {
                if keys.hasAsked, !keys.findsAny { contents.noteNoKeys?(type) }
                return value
            }
        } catch {
            // Ignore the error, because the second look below decides. `try?` would create the type of its optional at run time.
        }
        return try looked(type, guess, self.decoder(of: decoder))
    }

    /// Decodes an optional, a page, or a type without keys.
    @inline(never)
    private func fittingUnusual<Value: Decodable>(_ type: Value.Type, _ guess: PayloadGuess, _ decoder: any PayloadDecoder) throws -> Value
    {
        if let wrapped = (type as? any OptionalModel.Type)?.wrapped {
            if payload == .missing || payloadBytes?.elementsEqual("null".utf8) == true, guess.payload == nil {
                // An absent payload decodes as nil, unless the optional's type fits the whole body.
                if guess.choice(trial(of: type, decoder)) == .body, let whole = try? decoder.decode(type, from: text) { return whole }
                return try decode(type, from: Data("null".utf8), decoder)
            }
            do {
                if let value = try fitting(wrapped, isUnusual: wrapped is any UnusualModel.Type, guess, decoder) as? Value { return value }
            } catch {
                // Lenient decoding takes `[]` and `""` as nil for the optional, which the wrapped type refuses.
                guard let value = try? looked(type, guess, decoder) else { throw error }
                return value
            }
        }
        let value = try looked(type, guess, decoder)
        // Paging information stands beside an array of items, so decode a page from the whole body if that has the same items.
        if let page = value as? any ListPage, guess.payload.map({ text.bytes(in: $0).first == UInt8(ascii: "[") }) != false,
            let whole = try? decoder.decode(type, from: text),
            (whole as? any ListPage)?.items.count == page.items.count
        {
            return whole
        }
        return value
    }

    // Separate functions, because few responses need them and each would look up types that are created at run time.

    /// Evaluates the response again, with knowledge of the type.
    @inline(never)
    private func looked<Value: Decodable>(_ type: Value.Type, _ guess: PayloadGuess, _ decoder: any PayloadDecoder) throws -> Value {
        let trial = trial(of: type, decoder)
        switch guess.choice(trial) {
        case .range(let range): return try noting(trial.known[range], type, decode(type, from: text.bytes(in: range), decoder))
        case .body: return try noting(trial.largest, type, decode(type, from: text, decoder))
        case .missing, .bytes, .empty:
            if let nothing = nothing(type, decoder) { return nothing }
            throw missingPayload(type, fitsWhole: false)
        }
    }

    /// Returns the value. Reports if the response has none of the keys of its type.
    private func noting<Value>(_ fit: TypeFit?, _ type: Value.Type, _ value: Value) -> Value {
        if let keys = fit?.asked, !keys.findsAny { contents.noteNoKeys?(type) }
        return value
    }

    /// Returns the value of a null or absent payload if missing values are filled in, or `nil` if there is none.
    @inline(never)
    func nothing<Value: Decodable>(_ type: Value.Type, _ decoder: any PayloadDecoder) -> Value? {
        let decoder = (decoder as? NullRemovingDecoder)?.base ?? decoder
        guard payload == .missing, let own = decoder as? JSONPayloadDecoder, own.decoding.fillsMissing else { return nil }
        return try? own.decode(type, from: Data("null".utf8))
    }

    private func trial<Value: Decodable>(of type: Value.Type, _ decoder: any PayloadDecoder) -> TypeTrial {
        TypeTrial { span in fit(type, self.text.bytes(in: span.range), decoder) }
    }

    /// Determines how a type fits a part of the response.
    func fit<Value: Decodable>(_ type: Value.Type, _ bytes: Data, _ decoder: any PayloadDecoder) -> TypeFit {
        if let wrapped = (type as? any OptionalModel.Type)?.wrapped { return fit(wrapped, bytes, decoder) }
        if type is any KeylessModel.Type || bytes.first != UInt8(ascii: "{") {
            let decodes = (try? decoder.decode(type, from: bytes)) != nil
            return TypeFit(decodes: decodes, isDictionary: type is any DictionaryModel.Type)
        }
        var keys = AskedKeys(keepsNames: true)
        let decodes = (try? Self.witnessed(type, from: bytes, decoder, &keys)) != nil
        // If the type accepts the whole body as a list of one, it does not fit, because a list without an envelope is an array.
        return TypeFit(decodes: decodes && (!keys.takesList || bytes.count < text.count), asked: keys.hasAsked ? keys : nil)
    }

    /// Decodes a value, and records the keys that its type asks for.
    private static func witnessed<Value: Decodable>(
        _ type: Value.Type, from bytes: Data, _ decoder: any PayloadDecoder, _ keys: inout AskedKeys
    ) throws -> Value {
        if let decoder = decoder as? JSONPayloadDecoder { return try decoder.decode(type, from: bytes, noting: &keys) }
        if let decoder = decoder as? NullRemovingDecoder {
            return try witnessed(type, from: NullRemovingDecoder.withoutNulls(bytes), decoder.base, &keys)
        }
        return try witnessedByOther(type, from: bytes, decoder, &keys)
    }

    @inline(never)
    private static func witnessedByOther<Value: Decodable>(
        _ type: Value.Type, from bytes: Data, _ decoder: any PayloadDecoder, _ keys: inout AskedKeys
    ) throws -> Value {
        let found = try decoder.decode(Witnessed<Value>.self, from: bytes)
        keys = found.keys
        return found.value
    }
}

extension EnvelopeReader {
    /// Returns a closure that determines how a type fits a part of a response, by decoding it.
    static func fit(by decoder: any PayloadDecoder) -> Fit {
        { type, reading, bytes in reading.fit(type, bytes, reading.decoder(of: decoder)) }
    }
}

/// A type that needs more checks than whether it fits. Checking for this protocol first is faster, because most types do not conform.
protocol UnusualModel {}

/// A page of a list, decoded from an array of items or from an object that contains it.
protocol ListPage: UnusualModel {
    associatedtype Item
    var items: [Item] { get }

    /// Stores the paging information of the response's headers.
    mutating func note(_ headers: HTTPHeaders)
}

/// An optional, which decodes as nil from a response without a payload.
protocol OptionalModel: UnusualModel {
    static var wrapped: (any Decodable.Type)? { get }
}

extension Optional: OptionalModel {
    static var wrapped: (any Decodable.Type)? { Wrapped.self as? any Decodable.Type }
}

protocol KeylessModel: UnusualModel {}
/// A model that accepts any keys.
protocol DictionaryModel: KeylessModel {
    static var noMembers: Self { get }
}

extension Dictionary: DictionaryModel {
    static var noMembers: [Key: Value] { [:] }
}
extension JSON: KeylessModel {}
extension Date: KeylessModel {}
extension Data: KeylessModel {}
extension URL: KeylessModel {}
extension Decimal: KeylessModel {}

// Wrappers that record the keys a type asks for, for decoders other than the library's own.

private struct Witnessed<Value: Decodable>: Decodable {
    let value: Value
    let keys: AskedKeys

    init(from decoder: any Decoder) throws {
        let witness = KeyWitness()
        value = try Value(from: WitnessingDecoder(base: decoder, witness: witness))
        keys = witness.keys
    }
}

private final class KeyWitness {
    var keys = AskedKeys(keepsNames: true)
}

private struct WitnessingDecoder: Decoder {
    let base: any Decoder
    let witness: KeyWitness

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try base.container(keyedBy: type)
        return KeyedDecodingContainer(WitnessingContainer(container, witness))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { try base.singleValueContainer() }
}

/// A container that forwards all calls, and records whether each requested key exists.
///
/// A class, because copying a container of a type that is only known at run time takes longer than calling it.
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
        witness.keys.noteAll(isEmpty: keys.isEmpty)
        return keys
    }

    private func noting(_ key: Key, isRequired: Bool = false) -> WitnessingContainer {
        witness.keys.note(key.stringValue, isRequired: isRequired, isFound: base.contains(key))
        return self
    }

    func contains(_ key: Key) -> Bool { noting(key).base.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try noting(key).base.decodeNil(forKey: key) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try noting(key, isRequired: true).base.decode(type, forKey: key)
    }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try noting(key).base.decodeIfPresent(type, forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try noting(key, isRequired: true).base.nestedContainer(keyedBy: type, forKey: key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try noting(key, isRequired: true).base.nestedUnkeyedContainer(forKey: key)
    }

    func superDecoder() throws -> any Decoder { try base.superDecoder() }
    func superDecoder(forKey key: Key) throws -> any Decoder { try noting(key).base.superDecoder(forKey: key) }
}

extension WitnessingContainer {
    // Scalars, which containers decode directly.
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try noting(key, isRequired: true).base.decode(type, forKey: key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try noting(key, isRequired: true).base.decode(type, forKey: key) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try noting(key, isRequired: true).base.decode(type, forKey: key)
    }
}

extension WitnessingContainer {
    // Forwarded, because a custom decoder may decode values other than null as nil.
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

extension EnvelopeResult {
    /// Creates the error of a response without a payload.
    @inline(never)
    func missing<Value: Decodable>(_ type: Value.Type, _ decoder: any PayloadDecoder) -> APIError {
        let fit = text.isEmpty ? TypeFit(decodes: false) : fit(type, text, decoder)
        return missingPayload(type, fitsWhole: fit.decodes && fit.asked?.findsAny == true)
    }
}
