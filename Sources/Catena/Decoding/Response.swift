public import Foundation

/// A value with everything that is known about the response that it came from.
public struct Response<Value: Sendable>: Sendable {
    /// The value that the call asked for.
    public let payload: Value
    /// The HTTP status.
    public let status: Int
    /// The headers of the response.
    public let headers: HTTPHeaders
    /// The code of the envelope, if there is one.
    public let code: ErrorCode?
    /// The message of the envelope; "" if there is none.
    public let message: String
    /// The id by which the backend finds the call in its logs, if the envelope has one.
    public let traceID: String?
    /// What is at the places that ``Envelope/extras(_:)`` names, by place.
    public let extras: [String: JSON]
    /// The whole body as it came.
    public let body: Data
    private let address: HTTPAddress
    /// Where the response came from.
    public let source: ResponseSource
    /// How long the parts of the exchange took, if the transport measures it.
    public let timings: CallTimings?
    /// How many times the request was sent.
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
        timings = response.timings
        self.attempts = attempts
    }

    /// The address that the response came from, after redirects.
    public var url: URL { address.url }

    /// Not there: the value of a response is its ``payload``.
    @available(*, unavailable, renamed: "payload", message: "a response has its value as payload")
    public var value: Value { payload }
}

extension Response: CustomStringConvertible {
    /// Status, code, message and address on one line, without secrets and without the value.
    public var description: String {
        var parts = ["status \(status)"]
        if let code { parts.append("code \(code)") }
        if !message.isEmpty { parts.append(message) }
        parts.append(headers.shown.current.redact(address))
        return headers.shown.current.line(parts.joined(separator: " · "))
    }
}

extension Response: CustomReflectable {
    /// Without the value, which is of a type of which nothing is known.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description, "headers": headers, "body": "\(body.count) bytes", "attempts": attempts])
    }
}
