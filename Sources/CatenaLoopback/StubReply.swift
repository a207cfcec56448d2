public import Catena
public import CatenaPlatform

/// The reply of a stub or of a ``LoopbackServer``: a response, a failure, or a response with faults on purpose.
///
/// ```swift
/// stubs.get("/v1/rooms/*").sequence(.status(503), .connectionLost, .reply(data: rooms))
/// stubs.get("/v1/users").reply(.text("[]").header("X-Page", "1").delayed(by: .seconds(2)))
/// server.get("/users/{id}") { request in .json(["id": request.parameters["id"]]) }
/// server.get("/broken") { _ in .text("0123456789").connectionLost(after: 4) }
/// ```
///
/// A server adds `Content-Length` or `Transfer-Encoding` unless a header step has set one of them. Its responses to HEAD and those with status 1xx, 204 or
/// 304 have no body (RFC 9112 §6.3). Use ``raw(_:closing:)-(String,_)`` to break these rules.
public struct StubReply: Sendable {
    package enum Content: Sendable {
        case bytes(Data)
        /// Made for each request, because the bytes may depend on the call's tag.
        case made(@Sendable (StubContext) throws -> Data)
        /// Pieces, each a chunk of its own on a server, then the trailer section (RFC 9112 §7.1).
        case chunks([Data], trailers: HTTPHeaders)
        case repeated(Data, count: Int)
        /// The whole response, byte for byte.
        case raw(Data)
        /// A body that is written while it is sent.
        case stream(LoopbackStream)
        case failure(APIError)
        case silence
    }

    package var content: Content
    package var status: Int
    package var headers = HTTPHeaders()
    package var faults = StubFaults()

    package init(_ content: Content, status: Int = 200, contentType: String? = nil) {
        self.content = content
        self.status = status
        headers["Content-Type"] = contentType
    }
}

// MARK: In the envelope

extension StubReply {
    /// Replies with a payload in the envelope of the call's tag, encoded with the tag's encoder. A server has no tag, and uses the standard envelope.
    ///
    /// - Parameters:
    ///   - code: The business code. Without one, a code that means success.
    ///   - data: The payload.
    ///   - message: The message of the envelope.
    ///   - status: The status of the response.
    public static func reply(
        code: ErrorCode? = nil, data: some Encodable & Sendable, message: String = "", status: Int = 200
    ) -> StubReply {
        StubReply(
            .made { context in
                try context.envelope.wrap(payload: context.payload(data), code: code, message: message)
            }, status: status, contentType: jsonType)
    }

    /// Replies with JSON as the payload, such as a literal of mixed values, in the envelope of the call's tag.
    public static func reply(code: ErrorCode? = nil, data: JSON, message: String = "", status: Int = 200) -> StubReply {
        let payload: some Encodable & Sendable = data
        return reply(code: code, data: payload, message: message, status: status)
    }

    /// Replies with a business code and a message without a payload, in the envelope of the call's tag.
    public static func reply(code: ErrorCode, message: String = "", status: Int = 200) -> StubReply {
        StubReply(
            .made { context in
                try context.envelope.wrap(payload: nil, code: code, message: message)
            }, status: status, contentType: jsonType)
    }
}

extension StubContext {
    /// Returns the text of a payload. An encoder would reorder the members of a dynamic value.
    fileprivate func payload(_ value: some Encodable) throws -> Data { try (value as? JSON)?.encoded ?? encoder.encode(value) }
}

// MARK: As it is

extension StubReply {
    /// Replies with a status and no body.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> StubReply {
        var reply = StubReply(.bytes(Data()), status: status)
        reply.headers = headers
        return reply
    }

    /// Replies with this JSON, without an envelope.
    public static func json(_ json: JSON, status: Int = 200) -> StubReply {
        body(json.encoded, status: status, contentType: jsonType)
    }

    /// Replies with a value as JSON, without an envelope, encoded with the tag's encoder. A server sorts the members.
    @_disfavoredOverload
    public static func json(_ value: some Encodable & Sendable, status: Int = 200) -> StubReply {
        StubReply(.made { context in try context.encoder.encode(value) }, status: status, contentType: jsonType)
    }

    /// Replies with bytes of JSON, without an envelope. They are not checked.
    @_disfavoredOverload
    public static func json(_ data: Data, status: Int = 200) -> StubReply {
        body(data, status: status, contentType: jsonType)
    }

    /// Replies with JSON text, without an envelope. The text is not checked.
    public static func json(text: String, status: Int = 200) -> StubReply {
        body(Data(text.utf8), status: status, contentType: jsonType)
    }

    /// Replies with this text, without an envelope.
    public static func text(_ text: String, status: Int = 200, contentType: String = "text/plain; charset=utf-8") -> StubReply {
        body(Data(text.utf8), status: status, contentType: contentType)
    }

    /// Replies with these bytes.
    public static func body(_ data: Data, status: Int = 200, contentType: String = "application/octet-stream") -> StubReply {
        // Count from 0, as the faults do: a slice may begin elsewhere.
        StubReply(.bytes(data.startIndex == 0 ? data : Data(data)), status: status, contentType: contentType)
    }

    /// Replies with the bytes of a file, whose extension determines the media type. A file that cannot be read fails the call.
    public static func file(_ file: URL, status: Int = 200) -> StubReply {
        StubReply(
            .made { _ in try LocalFile.contents(of: file) }, status: status, contentType: mediaTypes[file.pathExtension.lowercased()])
    }

    /// Replies with no body and a `Location`, which is sent unchanged: absolute, relative or malformed.
    public static func redirect(to location: String, status: Int = 302) -> StubReply {
        .status(status, headers: ["Location": location])
    }

    /// Replies with JSON that ends before it is complete.
    public static var malformedJSON: StubReply {
        body(Data(#"{"code": 0, "data": {"#.utf8), contentType: jsonType)
    }

    /// Replies with bytes in these pieces. A server sends each as a chunk, without empty ones, and then the trailers, which a stub does not have.
    public static func chunked(_ chunks: [Data], trailers: HTTPHeaders = [:]) -> StubReply {
        StubReply(.chunks(chunks.filter { !$0.isEmpty }, trailers: trailers), contentType: "application/octet-stream")
    }

    /// Replies with text in these pieces; see ``chunked(_:trailers:)-([Data],_)``.
    public static func chunked(_ chunks: [String], trailers: HTTPHeaders = [:]) -> StubReply {
        chunked(chunks.map { Data($0.utf8) }, trailers: trailers)
    }

    /// Replies with bytes repeated `count` times, which are not stored as a whole. Faults in the body, and another length, do not apply to it.
    public static func repeated(_ data: Data, count: Int) -> StubReply {
        StubReply(.repeated(data, count: max(0, count)), contentType: "application/octet-stream")
    }

    /// Sends bytes verbatim in place of a response. Then the connection is closed, or kept open for the next request. Only a server can reply so.
    ///
    /// ```swift
    /// .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
    /// ```
    public static func raw(_ bytes: Data, closing: Bool = true) -> StubReply {
        let reply = StubReply(.raw(bytes))
        return closing ? reply.closingConnection(announced: false) : reply
    }

    /// Sends text verbatim in place of a response, see ``raw(_:closing:)-(Data,_)``.
    public static func raw(_ text: String, closing: Bool = true) -> StubReply {
        raw(Data(text.utf8), closing: closing)
    }

    /// Replies with a body that is written later. Only a server can reply so.
    package static func streaming(_ stream: LoopbackStream, contentType: String) -> StubReply {
        StubReply(.stream(stream), contentType: contentType)
    }

    private static let jsonType = "application/json"
    private static let mediaTypes = [
        "json": jsonType, "txt": "text/plain; charset=utf-8", "html": "text/html; charset=utf-8", "xml": "application/xml",
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
    ]
}

// MARK: No response

extension StubReply {
    /// Fails with this kind of error, as the network does. A server closes its connection for `connectionLost`, is silent for `timeout`, and has no other
    /// failure: it replies with a status 500 that says so.
    public static func failure(_ kind: APIError.Kind, message: String = "A stub fails.") -> StubReply {
        StubReply(.failure(APIError(kind, message: message)))
    }

    /// Fails like a connection that times out. To test the call's own time limits, use ``unanswered``.
    public static var timeout: StubReply { failure(.timeout, message: "No connection was made in time.") }

    /// Fails like a device without a network.
    public static var offline: StubReply { failure(.offline, message: "There is no network.") }

    /// Fails like a connection that is lost before the response. A server closes it without a byte.
    public static var connectionLost: StubReply { failure(.connectionLost, message: "The connection ended without a response.") }

    /// Fails like an unsuccessful TLS handshake.
    public static var tlsFailure: StubReply { failure(.tls, message: "The secure connection failed.") }

    /// Never responds, so that the time limits of the call apply.
    public static var unanswered: StubReply { StubReply(.silence) }
}

extension StubReply: CustomStringConvertible, CustomReflectable {
    /// The status or the failure, without headers and content.
    public var description: String {
        switch content {
        case .failure(let error): "the failure \(error.kind)"
        case .silence: "no response"
        case .raw(let bytes): "\(bytes.count) raw bytes"
        case .bytes, .made, .chunks, .repeated, .stream: "status \(status)"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
