public import Catena
public import Foundation

/// A request as it arrived at a ``LoopbackServer``.
public struct RecordedRequest: Sendable {
    /// A name and its value, percent-decoded, with `+` read as a space. The value is `nil` if there was no `=`.
    public struct Item: Sendable, Hashable {
        /// The name, decoded.
        public let name: String

        /// The value, decoded.
        public let value: String?

        /// Makes an item to compare with.
        public init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// The method. Standard ones are in upper case; ``head`` contains the original text.
    public let method: HTTPMethod

    /// The request target, exactly as sent (RFC 9112 §3.2).
    public let target: String

    /// The target's path, still percent-encoded.
    public let path: String

    /// The header fields in the order of arrival.
    public let headers: HTTPHeaders

    /// The body without its framing, or its beginning if it is longer than ``LoopbackServer/Limits/recordedBodyBytes``.
    public let body: Data

    /// The number of bytes of the body.
    public let bodyLength: Int

    /// The request line and the header section, byte for byte, with the empty line that ends them.
    public let head: Data

    /// The number of the connection, counted from 1 in the order of acceptance.
    public let connection: Int

    /// The texts that matched the `{name}` segments of the route, percent-decoded.
    public internal(set) var parameters: [String: String] = [:]

    /// The number of this request to its route, counted from 1: `$0.visit < 3 ? .status(503) : .text("ok")`. 0 if no route matched.
    public internal(set) var visit = 0

    /// The items of the query, in order.
    public var query: [Item] {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        return Self.items(target[target.index(after: mark)...])
    }

    /// Returns the first value of a query item.
    public func query(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// The body as text; bytes that are not UTF-8 become U+FFFD.
    public var bodyText: String {
        String(decoding: body, as: UTF8.self)
    }

    /// The items of an `application/x-www-form-urlencoded` body, in order.
    public var form: [Item] {
        Self.items(Substring(bodyText))
    }

    /// Decodes the JSON body as a value. Throws a `DecodingError` if it cannot.
    public func json<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: body)
    }

    package static func items(_ text: Substring) -> [Item] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Item(formDecoded(parts[0]), parts.count == 2 ? formDecoded(parts[1]) : nil)
        }
    }

    /// Decodes `+` as a space, as servers do, so that a test detects an encoder that leaves a `+` unencoded.
    private static func formDecoded(_ text: Substring) -> String {
        PercentDecoding.decode(text, plusIsSpace: true)
    }
}
