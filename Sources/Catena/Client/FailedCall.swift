import Foundation

/// Who keeps the failed calls of a client while nobody watches. It is told in the way of each of them, so it only takes note.
package protocol FailureKeeper: AnyObject, Sendable {
    /// A call has failed, of which nothing was noted while it ran.
    func keep(_ call: FailedCall)
}

/// What there is of a call when it has failed, without anybody having watched it: its request as it stood last, and the error.
package struct FailedCall: Sendable {
    fileprivate let task: CallTask
    fileprivate let profile: ResolvedProfile
    fileprivate let envelope: Envelope
    fileprivate let start: Duration
    fileprivate let end: Duration
    fileprivate let attempts: Int
    /// `nil` if it could not be made.
    fileprivate private(set) var request: HTTPRequest?
    fileprivate let error: APIError

    init(_ execution: Execution, _ error: APIError) {
        (task, profile, envelope) = (execution.task, execution.profile, execution.envelope)
        (start, end) = (execution.start, execution.now)
        (request, attempts) = execution.log.last
        self.error = error
    }

    /// Cuts bodies that are too long, and gives how long they are then.
    package mutating func settle(bodyLimit limit: Int) -> Int {
        if let count = request?.bodyCount, count > limit { request?.cutBody(to: limit) }
        return (request?.bodyCount ?? 0) + (error.body?.count ?? 0)
    }
}

extension CallTrace {
    /// What would have been noted of a call, as far as that is known when it has failed.
    package convenience init(_ call: FailedCall) {
        self.init(call.task, start: call.start, call.profile, call.envelope, for: [])
        change { $0.take(call) }
        decided("inspector", "no page was open when it began: of its attempts only the last is shown, and not what it waited for")
    }
}

extension CallTrace.Contents {
    fileprivate mutating func take(_ call: FailedCall) {
        (request, attemptCount) = (call.request, call.attempts)
        if let request, attemptCount > 0 {
            var attempt = CallTrace.Attempt(number: attemptCount, start: call.start, request: request)
            (attempt.end, attempt.failure) = (call.end, call.error)
            attempt.response = call.error.response.map { head in
                let body = call.error.body ?? Data()
                var response = HTTPResponse(status: head.status, headers: head.headers, body: body, address: request.address)
                response.timings = call.error.timings
                return response
            }
            latest = attempt
        }
        end = CallTrace.End(time: call.end, result: .failure(call.error))
    }
}
