public import CatenaPlatform

/// Decodes payloads of a media type. `JSONDecoder` and `PropertyListDecoder` conform. The expanded size of a property list is limited before
/// decoding.
///
/// ```swift
/// feed.decoders["application/xml"] = FeedDecoder()
/// ```
public protocol PayloadDecoder: Sendable {
    /// Decodes a value from a payload's bytes.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

/// The decoders by media type, in lower case and without parameters.
public typealias PayloadDecoders = [String: any PayloadDecoder]

extension JSONDecoder: PayloadDecoder {}

extension PropertyListDecoder: PayloadDecoder {}

extension PayloadDecoders {
    /// The media types that servers use for property lists.
    static let propertyLists: Set<String> = [
        "application/x-plist", "application/x-apple-binary-plist", "application/plist", "text/x-plist",
    ]

    /// Returns the decoder for a media type. Property lists are decoded only if the call or its tag names the type, so that a server cannot choose
    /// the decoder.
    func decoder(of type: String, isNamed: Bool) -> (any PayloadDecoder)? {
        if let decoder = self[type] {
            return (decoder as? PropertyListDecoder).map { CheckedPropertyListDecoder(decoder: $0) } ?? decoder
        }
        guard isNamed, Self.propertyLists.contains(type) else { return nil }
        return CheckedPropertyListDecoder(decoder: PropertyListDecoder())
    }
}

/// Removes null members from a part of a response before decoding it.
struct NullRemovingDecoder: PayloadDecoder {
    let base: any PayloadDecoder

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try base.decode(type, from: Self.withoutNulls(data))
    }

    /// Returns the text without null members, or unchanged if it is not JSON.
    static func withoutNulls(_ text: Data) -> Data {
        (try? JSON(parsing: text)).map { JSON(removingNulls: $0).encoded } ?? text
    }
}

/// A media type without its parameters (RFC 9110 §8.3.1).
struct MediaType {
    static let json = "application/json"

    /// The name in lower case.
    let name: String

    init?(_ value: String?) {
        guard let value else { return nil }
        name = value.prefix { $0 != ";" }.trimmed().lowercased()
    }

    /// Returns `nil` for JSON. Checks that first without creating a string, because nearly every response is JSON.
    init?(foreignTo value: String?) {
        guard let value, value != Self.json, !value.hasPrefix("application/json;") else { return nil }
        self.init(value)
        if name == Self.json { return nil }
    }
}

/// The media types that a call accepts.
struct AcceptedTypes: Sendable {
    /// The types, such as `application/json`, `text/*` or `*/*`, in lower case.
    let types: [String]

    init(_ types: [String]) {
        self.types = types.compactMap { MediaType($0)?.name }
    }

    /// Returns an error if the call does not accept the media type of a successful response. A response without a body may be of any type.
    func refusal(of response: HTTPResponse, isEmpty: Bool) -> APIError? {
        let type = MediaType(response.headers["Content-Type"])?.name
        guard response.isSuccess, !isEmpty, !takes(type) else { return nil }
        var error = APIError(
            .decoding,
            message: "The response is \(type ?? "of no type"), but the call accepts \(types.joined(separator: ", ")) only."
        )
        error.attach(response)
        return error
    }

    /// Whether a type is listed by name, not by a pattern.
    func names(_ type: String) -> Bool { types.contains(type) }

    private func takes(_ type: String?) -> Bool {
        types.contains { accepted in
            accepted == "*/*" || accepted == type || accepted.hasSuffix("/*") && type?.hasPrefix(accepted.dropLast()) == true
        }
    }
}

/// A property list decoder that validates the bytes before decoding, because a small property list can expand to a huge one.
package struct CheckedPropertyListDecoder: PayloadDecoder {
    let decoder: PropertyListDecoder

    package init(decoder: PropertyListDecoder) {
        self.decoder = decoder
    }

    package func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try PropertyListCheck.check(data)
        return try decoder.decode(type, from: data)
    }
}
