public import CatenaPlatform

/// A value with the response that it was decoded from.
public struct Response<Value: Sendable>: Sendable {
    /// The value that the call asked for.
    public let payload: Value
    /// The HTTP status.
    public let status: Int
    /// The headers of the response.
    public let headers: HTTPHeaders
    /// The code of the envelope, if there is one.
    public let code: ErrorCode?
    /// The message of the envelope, or `""` if there is none.
    public let message: String
    /// The id of the call in the backend's logs, if the envelope contains one.
    public let traceID: String?
    /// The values at the places that ``Envelope/extras(_:)`` names, by place.
    public let extras: [String: JSON]
    /// The whole body as received.
    public let body: Data
    private let address: HTTPAddress
    /// The source of the response, such as the network or a cache.
    public let source: ResponseSource
    /// The reason why a cached response was used, or `nil` if the response is not from the cache.
    public let freshness: ResponseFreshness?
    /// The durations of the exchange's phases, if the transport measures them.
    public let timings: CallTimings?
    /// The number of times that the request was sent.
    public let attempts: Int

    init(payload: Value, _ reading: EnvelopeResult, attempts: Int) {
        self.payload = payload
        let response = reading.response
        status = response.status
        headers = response.headers
        code = reading.code
        message = reading.message
        traceID = reading.traceID
        extras = reading.extras
        body = response.body
        address = response.address
        source = response.source
        freshness = response.freshness
        timings = response.timings
        self.attempts = attempts
    }

    /// The URL that the response came from, after redirects.
    public var url: URL { address.url }

    /// Not there: the value of a response is its ``payload``.
    @available(*, unavailable, renamed: "payload", message: "a response has its value as payload")
    public var value: Value { payload }
}

extension Response: CustomStringConvertible {
    /// Status, code, message and URL on one line, without secrets and without the value.
    public var description: String {
        var parts = ["status \(status)"]
        if let code { parts.append("code \(code)") }
        if !message.isEmpty { parts.append(message) }
        parts.append(headers.shown.current.redact(address))
        return headers.shown.current.line(parts.joined(separator: " · "))
    }
}

extension Response: CustomReflectable {
    /// A mirror without the value, because its type is unknown and may contain secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description, "headers": headers, "body": "\(body.count) bytes", "attempts": attempts])
    }
}
