import CatenaPlatform

/// Stores failed calls while no watcher is active. The call invokes it synchronously, so implementations must return quickly.
package protocol FailureKeeper: AnyObject, Sendable {
    /// A call without a trace has failed.
    func keep(_ call: FailedCall)
}

/// The data of a failed call that had no trace: the last version of its request, and the error.
package struct FailedCall: Sendable {
    let tag: Tag?
    let callID: UInt64
    let configuration: Box<CallConfiguration>
    let redaction: Redaction
    let start: Duration
    let end: Duration
    let attempts: Int
    /// The request, or `nil` if it could not be created.
    var request: HTTPRequest?
    let error: APIError

    /// Cuts bodies above the limit. Returns their total size afterwards, in bytes.
    package mutating func settle(bodyLimit limit: Int) -> Int {
        if let count = request?.bodyCount, count > limit { request?.cutBody(to: limit) }
        return (request?.bodyCount ?? 0) + (error.body?.count ?? 0)
    }
}

extension InspectedCall {
    /// Creates a trace from the data of a failed call.
    package convenience init(_ call: FailedCall) {
        self.init(call.tag, callID: call.callID, start: call.start, call.configuration, hiding: call.redaction, for: [])
        change { $0.take(call) }
        decided("inspector", "no page was open when it began: of its attempts only the last is shown, and not what it waited for")
    }
}

extension InspectedCall.Contents {
    fileprivate mutating func take(_ call: FailedCall) {
        (request, attemptCount) = (call.request, call.attempts)
        if let request, attemptCount > 0 {
            var attempt = InspectedCall.Attempt(number: attemptCount, start: call.start, request: request)
            (attempt.end, attempt.failure) = (call.end, call.error)
            attempt.response = call.error.response.map { head in
                let body = call.error.body ?? Data()
                var response = HTTPResponse(status: head.status, headers: head.headers, body: body, address: request.address)
                response.timings = call.error.timings
                return response
            }
            latest = attempt
        }
        end = InspectedCall.End(time: call.end, result: .failure(call.error))
    }
}
