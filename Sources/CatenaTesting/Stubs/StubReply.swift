public import Catena
public import Foundation

/// The reply of a stub: a response or a failure.
///
/// ```swift
/// stubs.get("/v1/rooms/*").sequence(.status(503), .connectionLost, .reply(data: rooms))
/// stubs.get("/v1/users").reply(.text("[]").header("X-Page", "1").delayed(by: .seconds(2)))
/// ```
public struct StubReply: Sendable {
    enum Content: Sendable {
        /// Made for each call, because the bytes may depend on the call's tag.
        case bytes(@Sendable (StubContext) throws -> Data)
        case failure(APIError)
        case silence
    }

    let content: Content
    var status = 200
    var headers = HTTPHeaders()
    var delay = Duration.zero
    /// The size of a piece of the body in bytes, and the delay before each piece.
    var pieces: (size: Int, interval: Duration)?
    var cut: (position: Int, isNoticed: Bool)?
    var contentLength: Int?

    init(_ content: Content, status: Int = 200, contentType: String? = nil) {
        self.content = content
        self.status = status
        headers["Content-Type"] = contentType
    }
}

// MARK: Answers

extension StubReply {
    /// Replies with a payload in the envelope of the call's tag, encoded with the tag's encoder.
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
            .bytes { context in
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
            .bytes { context in
                try context.envelope.wrap(payload: nil, code: code, message: message)
            }, status: status, contentType: jsonType)
    }

    /// Replies with a status and no body.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> StubReply {
        var reply = StubReply(.bytes { _ in Data() }, status: status)
        reply.headers = headers
        return reply
    }

    /// Replies with this JSON, without an envelope.
    public static func json(_ json: JSON, status: Int = 200) -> StubReply {
        StubReply(.bytes { _ in json.encoded }, status: status, contentType: jsonType)
    }

    /// Replies with a value as JSON, without an envelope, encoded with the tag's encoder.
    @_disfavoredOverload
    public static func json(_ value: some Encodable & Sendable, status: Int = 200) -> StubReply {
        StubReply(.bytes { context in try context.encoder.encode(value) }, status: status, contentType: jsonType)
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
        StubReply(.bytes { _ in data }, status: status, contentType: contentType)
    }

    /// Replies with the bytes of a file, whose extension determines the media type. A file that cannot be read fails the call.
    public static func file(_ file: URL, status: Int = 200) -> StubReply {
        StubReply(.bytes { _ in try Data(contentsOf: file) }, status: status, contentType: mediaTypes[file.pathExtension.lowercased()])
    }

    /// Replies with JSON that ends before it is complete.
    public static var malformedJSON: StubReply {
        body(Data(#"{"code": 0, "data": {"#.utf8), contentType: jsonType)
    }

    private static let jsonType = "application/json"
    private static let mediaTypes = [
        "json": jsonType, "txt": "text/plain; charset=utf-8", "html": "text/html; charset=utf-8", "xml": "application/xml",
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
    ]
}

// MARK: No response

extension StubReply {
    /// Fails with this kind of error, as the network does.
    public static func failure(_ kind: APIError.Kind, message: String = "A stub fails.") -> StubReply {
        StubReply(.failure(APIError(kind, message: message)))
    }

    /// Fails like a connection that times out. To test the call's own time limits, use ``unanswered``.
    public static var timeout: StubReply { failure(.timeout, message: "No connection was made in time.") }

    /// Fails like a device without a network.
    public static var offline: StubReply { failure(.offline, message: "There is no network.") }

    /// Fails like a connection that is lost before the response.
    public static var connectionLost: StubReply { failure(.connectionLost, message: "The connection ended without a response.") }

    /// Fails like an unsuccessful TLS handshake.
    public static var tlsFailure: StubReply { failure(.tls, message: "The secure connection failed.") }

    /// Never responds, so that the time limits of the call apply.
    public static var unanswered: StubReply { StubReply(.silence) }
}

// MARK: Steps

extension StubReply {
    /// Returns a copy with this header, which replaces headers of the same name.
    public func header(_ name: String, _ value: String) -> StubReply { changed { $0.headers[name] = value } }

    /// Returns a copy that is delayed, on the call's clock.
    public func delayed(by delay: Duration) -> StubReply { changed { $0.delay = delay } }

    /// Returns a copy whose body arrives in pieces of `size` bytes, with a delay before each, on the call's clock.
    public func chunked(by size: Int, every interval: Duration = .zero) -> StubReply { changed { $0.pieces = (max(size, 1), interval) } }

    /// Returns a copy whose connection is lost after `bytes` bytes of the body.
    public func connectionLost(after bytes: Int) -> StubReply { changed { $0.cut = (max(bytes, 0), true) } }

    /// Returns a copy whose body ends after `bytes` bytes as if it were complete, as is possible without a `Content-Length`.
    public func truncated(after bytes: Int) -> StubReply { changed { $0.cut = (max(bytes, 0), false) } }

    /// Returns a copy with another `Content-Length` than the body's. Bytes beyond it are not read, and missing bytes fail the call.
    public func withContentLength(_ length: Int) -> StubReply { changed { $0.contentLength = max(length, 0) } }

    private func changed(_ change: (inout StubReply) -> Void) -> StubReply {
        var copy = self
        change(&copy)
        return copy
    }
}

extension StubContext {
    /// Returns the text of a payload. An encoder would reorder the members of a dynamic value.
    fileprivate func payload(_ value: some Encodable) throws -> Data { try (value as? JSON)?.encoded ?? encoder.encode(value) }
}
