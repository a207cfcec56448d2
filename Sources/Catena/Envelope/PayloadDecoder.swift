public import Foundation

/// Decodes payloads of a media type. `JSONDecoder` and `PropertyListDecoder` are such.
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
    /// Property lists, under the names that servers give them.
    static let builtIn: PayloadDecoders = [
        "application/x-plist": PropertyListDecoder(), "application/x-apple-binary-plist": PropertyListDecoder(),
        "application/plist": PropertyListDecoder(), "text/x-plist": PropertyListDecoder(),
    ]
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
