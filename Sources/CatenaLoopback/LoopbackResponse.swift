public import Catena
public import Foundation

/// A response of a ``LoopbackServer``: a correct one, or one with faults on purpose.
///
/// ```swift
/// server.get("/users/{id}") { request in .json(["id": request.parameters["id"]]) }
/// server.get("/moved") { _ in .redirect(to: "/users/1") }
/// server.get("/broken") { _ in .text("0123456789").truncated(after: 4) }
/// ```
///
/// `Content-Length` or `Transfer-Encoding` is added unless ``headers`` has one of them. Responses to HEAD and responses with status 1xx, 204 or
/// 304 have no body (RFC 9112 §6.3). Use ``raw(_:closing:)-(String,_)`` to break these rules.
public struct LoopbackResponse: Sendable {
    /// The form of the body on the wire.
    public enum Body: Sendable {
        /// One piece, with a `Content-Length`.
        case fixed(Data)
        /// Chunks, each sent as given, then the trailer section (RFC 9112 §7.1). Empty chunks are omitted, because they would end the body.
        case chunked([Data], trailers: HTTPHeaders)
        /// Bytes repeated `count` times, with a `Content-Length`, for large bodies in little memory. Faults in the body do not apply to it.
        case repeated(Data, count: Int)
        /// The whole response, byte for byte, instead of status line, headers and body.
        case raw(Data)
    }

    /// The status code. Any number is sent unchanged.
    public var status: Int

    /// The reason phrase, or `nil` for the standard one.
    public var reason: String?

    /// The header fields, sent in this order.
    public var headers: HTTPHeaders

    /// The body.
    public var body: Body

    var faults = LoopbackFaults()
    /// The stream that writes the body, in place of ``body``.
    var stream: LoopbackStream?

    /// Makes a response.
    public init(status: Int = 200, reason: String? = nil, headers: HTTPHeaders = [:], body: Body = .fixed(Data())) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
    }

    /// Returns a copy with this header in place of those with the same name.
    public func header(_ name: String, _ value: String) -> Self {
        var copy = self
        copy.headers[name] = value
        return copy
    }

    /// Returns a copy with this header in addition to those with the same name.
    public func addHeader(_ name: String, _ value: String) -> Self {
        var copy = self
        copy.headers.add(value, for: name)
        return copy
    }
}

extension LoopbackResponse {
    /// An empty response.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> Self {
        Self(status: status, headers: headers)
    }

    /// Plain text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> Self {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// Bytes with their media type.
    public static func data(_ data: Data, contentType: String = "application/octet-stream", status: Int = 200) -> Self {
        Self(status: status, headers: ["Content-Type": contentType], body: .fixed(data))
    }

    /// JSON from a value, with sorted keys. If the value cannot be encoded, the status is 500 and the body states the reason.
    public static func json(_ value: some Encodable, status: Int = 200) -> Self {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return json(try encoder.encode(value), status: status)
        } catch {
            return text("the value could not be encoded: \(error)", status: 500)
        }
    }

    /// JSON with sorted keys, such as a literal of mixed values.
    public static func json(_ value: JSON, status: Int = 200) -> Self {
        let value: some Encodable = value
        return json(value, status: status)
    }

    /// A JSON object from a literal whose values may be variables, with sorted keys. `nil` becomes null.
    @_disfavoredOverload
    public static func json(_ members: KeyValuePairs<String, (any ParameterValue)?>, status: Int = 200) -> Self {
        json(JSON(literal: members), status: status)
    }

    /// Explains the error of a literal that contains a value that is not a param.
    @available(*, unavailable, message: "a value in it is no ParameterValue: write an object in it as `JSON([…])`")
    @_disfavoredOverload
    public static func json(_ members: [String: Any], status: Int = 200) -> Self { Self(status: status) }

    /// Explains the error of a literal that contains a value that is not a param.
    @available(*, unavailable, message: "a value in it is no ParameterValue: write an object in it as `JSON([…])`")
    @_disfavoredOverload
    public static func json(_ elements: [Any], status: Int = 200) -> Self { Self(status: status) }

    /// Existing JSON, sent unchanged. It need not be valid.
    public static func json(text: String, status: Int = 200) -> Self {
        json(Data(text.utf8), status: status)
    }

    /// Existing JSON, sent unchanged. It need not be valid.
    public static func json(_ data: Data, status: Int = 200) -> Self {
        self.data(data, contentType: "application/json", status: status)
    }

    /// An empty response with a `Location`, which is sent unchanged: absolute, relative or malformed.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        Self(status: status, headers: ["Location": location])
    }

    /// A body in chunks.
    public static func chunked(_ chunks: [Data], trailers: HTTPHeaders = [:]) -> Self {
        Self(headers: ["Content-Type": "application/octet-stream"], body: .chunked(chunks, trailers: trailers))
    }

    /// A body in chunks of text.
    public static func chunked(_ chunks: [String], trailers: HTTPHeaders = [:]) -> Self {
        chunked(chunks.map { Data($0.utf8) }, trailers: trailers)
    }

    /// A body of bytes repeated `count` times, which are not stored as a whole.
    public static func repeated(_ data: Data, count: Int) -> Self {
        Self(headers: ["Content-Type": "application/octet-stream"], body: .repeated(data, count: max(0, count)))
    }

    /// Bytes sent verbatim in place of a response. Then the connection is closed, or kept open for the next request.
    ///
    /// ```swift
    /// .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
    /// ```
    public static func raw(_ bytes: Data, closing: Bool = true) -> Self {
        let response = Self(body: .raw(bytes))
        return closing ? response.closingConnection(announced: false) : response
    }

    /// Text sent verbatim in place of a response, see ``raw(_:closing:)-(Data,_)``.
    public static func raw(_ text: String, closing: Bool = true) -> Self {
        raw(Data(text.utf8), closing: closing)
    }

    /// No response: the connection stays open until the client disconnects or the server stops.
    public static var unanswered: Self {
        var response = Self()
        response.faults.isUnanswered = true
        return response
    }

    /// No response: the connection is closed without a byte.
    public static var closed: Self {
        Self().truncatedHead(after: 0)
    }
}
