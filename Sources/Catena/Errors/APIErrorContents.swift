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
    var text: String?
    var category: APIError.Category?
    var retryAfter: Duration?
    var traceID: String?
    var timings: CallTimings?
    var explanation: String?
}
