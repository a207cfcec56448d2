import Foundation

/// One attempt of a call, as logs and archives show it.
struct RecordedCall: Sendable {
    var request: HTTPRequest
    var tag: Tag?
    var attempt = 1
    /// When the attempt began.
    var started: Date
    var timings = CallTimings()
    var response: HTTPResponse?
    /// Why the attempt failed; there may be a response nevertheless.
    var error: APIError?
}
