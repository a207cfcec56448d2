package import CatenaPlatform

/// The strictness with which payloads are decoded.
///
/// ```swift
/// forum.decoding = .lenient                                                   // all calls of a tag
/// let room = try await API.tag(.forum).get("/rooms/1").set(\.decoding, .lenient(.defaults)).value(as: Room.self)
/// ```
///
/// Lenient decoding returns the same values as strict decoding wherever the latter succeeds. Where strict decoding would fail, it converts between
/// strings, numbers and Booleans, and treats empty strings as nil; the guide lists all conversions. Decode a type strictly if its `init(from:)` tries
/// several types in turn, because lenient decoding may accept the first one.
public struct Decoding: Sendable, Hashable {
    /// Additional conversions of lenient decoding.
    public struct Leniency: OptionSet, Sendable, Hashable {
        /// The raw bits of the options.
        public let rawValue: Int

        /// Creates options from their raw bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Replaces a missing key, or a null that is not optional, with an empty string, 0, false or an empty array.
        public static let defaults = Leniency(rawValue: 1)
    }

    let isLenient: Bool
    let fillsMissing: Bool

    /// Decodes like `JSONDecoder`.
    public static let strict = Decoding(isLenient: false, fillsMissing: false)
    /// Decodes with the conversions that backends commonly require.
    public static let lenient = Decoding(isLenient: true, fillsMissing: false)

    /// Decodes with the conversions that backends commonly require, and with additional ones.
    public static func lenient(_ leniency: Leniency) -> Decoding {
        Decoding(isLenient: true, fillsMissing: leniency.contains(.defaults))
    }
}

extension Decoding {
    /// Returns the library's decoder with these strategies, or the `JSONDecoder` itself if it has features that the library's decoder lacks.
    ///
    /// Evaluated for each decoding, because the decoder may be changed after a tag has been configured with it.
    func decoder(_ strategies: JSONDecoder) -> any PayloadDecoder {
        isLenient || strategies.hasStandardStrategies ? JSONPayloadDecoder(strategies, self) : strategies
    }
}

extension Decoding {
    /// Whether a decoder with these strategies also accepts input that is not JSON, such as JSON5. It then decodes strictly.
    func readsMore(_ strategies: JSONDecoder) -> Bool {
        !isLenient && (strategies.allowsJSON5 || strategies.assumesTopLevelDictionary)
    }
}

extension JSONDecoder {
    /// Whether the library's decoder supports all settings of this decoder.
    fileprivate var hasStandardStrategies: Bool {
        guard type(of: self) == JSONDecoder.self, !allowsJSON5, !assumesTopLevelDictionary else { return false }
        switch dateDecodingStrategy {
        case .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601: break
        default: return false
        }
        switch dataDecodingStrategy {
        case .deferredToData, .base64: break
        default: return false
        }
        switch keyDecodingStrategy {
        case .useDefaultKeys, .convertFromSnakeCase: return true
        default: return false
        }
    }
}

extension Envelope {
    /// Decodes the payload of a response in the same way as a call.
    package func value<Value: Decodable & Sendable>(
        of response: HTTPResponse, as type: Value.Type, decoder strategies: JSONDecoder, _ decoding: Decoding = .strict
    ) throws -> Value {
        let decoder = decoding.decoder(strategies)
        var reader = EnvelopeReader(envelope: self, decoded: type)
        reader.fit = EnvelopeReader.fit(by: decoder)
        if decoding.readsMore(strategies) { reader.readsMore = { true } }
        return try ResultDecoder<Value>.decodable(type).value(try reader.read(response)) { decoder }
    }
}

/// An enum with a case for unknown raw values, which backends may add. Lenient decoding uses that case; strict decoding fails.
///
/// ```swift
/// enum Role: String, UnknownCaseDecodable {
///     case admin, member, other
///     static let unknownCase = Role.other
/// }
///
/// forum.decoding = .lenient
/// ```
public protocol UnknownCaseDecodable: Decodable {
    /// The case for unknown raw values.
    static var unknownCase: Self { get }
}
