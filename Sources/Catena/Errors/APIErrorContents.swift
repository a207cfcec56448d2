import Foundation

/// The stored members of an ``APIError``.
struct APIErrorContents: Sendable {
    var kind: APIError.Kind
    var code: ErrorCode
    var message: ErrorMessage
    var status: Int?
    var request: RequestSummary?
    var response: ResponseSummary?
    var body: Data?
    var attempts = 0
    var underlying: (any Error)?
    var own: (any Error)?
    var origin: String?
    var isInactivity = false
    var repeatReason: RepeatReason?
    var text: String?
    var category: APIError.Category?
    var retryAfter: Duration?
    var traceID: String?
    var timings: CallTimings?
    var explanation: String?
    /// The challenges of a response with status 401, as sent. Unlike ``response`` they are not redacted, because an answer contains them.
    var challenges: [String]?
}

/// The reason to repeat a request at once, regardless of the retry policy.
enum RepeatReason: Sendable {
    /// The server has stated that it did not process the request (RFC 9113 §8.7), or that it requires HTTP/1.1.
    case notProcessed
    /// A reused connection was dead and delivered no response. An idempotent request may be repeated even if it has arrived.
    case deadConnection
}
