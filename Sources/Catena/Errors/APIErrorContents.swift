import Foundation

/// What an ``APIError`` is made of.
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
    var isSilence = false
    var repeatReason: RepeatReason?
    var text: String?
    var category: APIError.Category?
    var retryAfter: Duration?
    var traceID: String?
    var timings: CallTimings?
    var explanation: String?
}

/// The reason for which a request may be sent once more at once, whatever the retry policy says.
enum RepeatReason: Sendable {
    /// The server has said that it has not processed the request (RFC 9113 §8.7), or that it takes it over HTTP/1.1 alone.
    case notProcessed
    /// A kept connection was dead, and brought nothing. An idempotent request does no harm if it has arrived.
    case deadConnection
}
