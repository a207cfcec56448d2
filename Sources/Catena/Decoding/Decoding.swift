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
        public let rawValue: Int

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
    /// What decodes JSON by the strategies of a decoder: the decoder itself, and leniently the library's own. Here alone it is decided.
    func decoder(_ strategies: JSONDecoder) -> any PayloadDecoder {
        isLenient ? JSONPayloadDecoder(strategies, self) : strategies
    }
}

extension Envelope {
    /// The payload of a response as a call gives it.
    package func value<Value: Decodable & Sendable>(
        of response: HTTPResponse, as type: Value.Type, decoder: JSONDecoder, _ decoding: Decoding = .strict
    ) throws -> Value {
        let decoder = decoding.decoder(decoder)
        var reader = EnvelopeReader(envelope: self, decoded: type)
        reader.notesPlaces = decoder is JSONPayloadDecoder
        return try ResultDecoder<Value>.decodable(type).value(try reader.read(response), decoder)
    }
}
