public import Foundation

/// Decodes payloads of a media type. `JSONDecoder` and `PropertyListDecoder` are such; what a property list unfolds to is bounded before it is
/// decoded.
///
/// ```swift
/// feed.decoders["application/xml"] = FeedDecoder()
/// ```
public protocol PayloadDecoder: Sendable {
    /// Decodes a value from a payload's bytes.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

/// Decoders by media type, in lower case and without parameters.
public typealias PayloadDecoders = [String: any PayloadDecoder]

extension JSONDecoder: PayloadDecoder {}

extension PropertyListDecoder: PayloadDecoder {}

extension PayloadDecoders {
    /// The names that servers give property lists.
    static let propertyLists: Set<String> = [
        "application/x-plist", "application/x-apple-binary-plist", "application/plist", "text/x-plist",
    ]

    /// What decodes a payload of a media type. A property list is decoded only if the call or its tag names it: a server that answers in
    /// another format than was meant does not choose the decoder.
    func decoder(of type: String, isNamed: Bool) -> (any PayloadDecoder)? {
        if let decoder = self[type] {
            return (decoder as? PropertyListDecoder).map { CheckedPropertyListDecoder(decoder: $0) } ?? decoder
        }
        guard isNamed, Self.propertyLists.contains(type) else { return nil }
        return CheckedPropertyListDecoder(decoder: PropertyListDecoder())
    }
}

/// A media type without its parameters (RFC 9110 §8.3.1).
struct MediaType {
    /// In lower case.
    let name: String

    init?(_ value: String?) {
        guard let value else { return nil }
        name = value.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// `nil` for JSON, found without a new string, since nearly every answer says that it is JSON.
    init?(foreignTo value: String?) {
        guard let value, value != "application/json", !value.hasPrefix("application/json;") else { return nil }
        self.init(value)
    }
}
