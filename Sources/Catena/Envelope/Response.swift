public import Foundation

/// A value with everything that is known about the answer that it came from.
public struct Response<Value: Sendable>: Sendable {
    public let value: Value
    /// The HTTP status.
    public let status: Int
    public let headers: HTTPHeaders
    /// The code of the envelope, if there is one.
    public let code: ErrorCode?
    /// The message of the envelope; "" if there is none.
    public let message: String
    /// The whole body as it came.
    public let body: Data
    /// The address that answered, after redirects.
    public let url: URL
    /// How many times the request was sent.
    public let attempts: Int
}

extension Response: CustomStringConvertible {
    /// Status, code, message and address on one line, without secrets and without the value.
    public var description: String {
        var parts = ["status \(status)"]
        if let code { parts.append("code \(code)") }
        if !message.isEmpty { parts.append(message) }
        parts.append(url.absoluteString)
        return Redaction.standard.line(parts.joined(separator: " · "))
    }
}
