package import Foundation

/// How closely a payload has to match the type that it is decoded as.
///
/// ```swift
/// forum.decoding = .lenient                                                   // each call of a tag
/// let room = try await API.tag(.forum).get("/rooms/1").decoding(.lenient(.defaults)).value(as: Room.self)
/// ```
///
/// Wherever strict decoding gives a value, lenient decoding gives the same. Only where strict decoding would fail, it takes numbers and
/// truth values for text and text for them, and empty text for nothing; see the guide for the whole list. A type that tries one type
/// after the other in its own `init(from:)` should be decoded strictly, since the first one may fit.
public struct Decoding: Sendable, Hashable {
    /// What lenient decoding does beyond what it always does.
    public struct Leniency: OptionSet, Sendable, Hashable {
        /// The options as bits.
        public let rawValue: Int

        /// Makes options from their bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Takes a key that is missing, or null where a value is needed, for empty text, 0, false or an empty array.
        public static let defaults = Leniency(rawValue: 1)
    }

    let isLenient: Bool
    let fillsMissing: Bool

    /// As `JSONDecoder` does.
    public static let strict = Decoding(isLenient: false, fillsMissing: false)
    /// With the conversions that backends make necessary.
    public static let lenient = Decoding(isLenient: true, fillsMissing: false)

    /// With the conversions that backends make necessary, and more.
    public static func lenient(_ leniency: Leniency) -> Decoding {
        Decoding(isLenient: true, fillsMissing: leniency.contains(.defaults))
    }
}

extension Decoding {
    /// What decodes JSON by the strategies of a decoder: the library's own, unless the decoder does something that only it knows.
    ///
    /// Here alone it is decided. The decoder is asked each time, since it may be changed after a tag has been configured with it.
    func decoder(_ strategies: JSONDecoder) -> any PayloadDecoder {
        isLenient || strategies.hasStandardStrategies ? JSONPayloadDecoder(strategies, self) : strategies
    }
}

extension Decoding {
    /// Whether a decoder with these strategies reads what is no JSON: it does so itself, and only strictly.
    func readsMore(_ strategies: JSONDecoder) -> Bool {
        !isLenient && (strategies.allowsJSON5 || strategies.assumesTopLevelDictionary)
    }
}

extension JSONDecoder {
    /// Whether nothing but the payload and the decoder's settings decides what is decoded.
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
    /// The payload of a response as a call gives it.
    package func value<Value: Decodable & Sendable>(
        of response: HTTPResponse, as type: Value.Type, decoder strategies: JSONDecoder, _ decoding: Decoding = .strict
    ) throws -> Value {
        let decoder = decoding.decoder(strategies)
        var reader = EnvelopeReader(envelope: self, decoded: type)
        reader.fit = { type, reading, bytes in reading.fit(type, bytes, reading.decoder(of: decoder)) }
        if decoding.readsMore(strategies) { reader.readsMore = { true } }
        return try ResultDecoder<Value>.decodable(type).value(try reader.read(response), decoder)
    }
}
