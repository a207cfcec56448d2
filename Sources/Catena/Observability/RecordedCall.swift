package import Foundation

/// One attempt of a call, as logs and archives show it.
package struct RecordedCall: Sendable {
    package var request: HTTPRequest
    package var tag: Tag?
    package var attempt = 1
    /// When the attempt began.
    package var started: Date
    package var timings = CallTimings()
    package var response: HTTPResponse?
    /// Why the attempt failed; there may be a response nevertheless.
    var error: APIError?

    package init(
        request: HTTPRequest, tag: Tag? = nil, attempt: Int = 1, started: Date, timings: CallTimings = CallTimings(),
        response: HTTPResponse? = nil, error: APIError? = nil
    ) {
        self.request = request
        self.tag = tag
        self.attempt = attempt
        self.started = started
        self.timings = timings
        self.response = response
        self.error = error
    }
}
