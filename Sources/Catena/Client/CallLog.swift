/// How far a call has come, for errors, which may come from outside, and for the response.
final class CallLog: Sendable {
    private struct State {
        var request: HTTPRequest?
        /// How far the attempts have been counted, and how many of them came as far as to be sent.
        var attempt = 0
        var sent = 0
        var failure: APIError?
        var stopped: APIError?
        var cacheKey: RequestKey?
        var likeness = KeyLikeness.unsent
        var sender: CallIdentity?
        var hasEnded = false
        var hasFailed = false
        var left: (any Error)?
    }

    private let tag: Tag?
    private let state = Mutex(State())

    init(tag: Tag?) {
        self.tag = tag
    }

    /// How many times the request was sent or about to be sent: not at all where something else answered, such as a cache.
    var attempts: Int { state.withLock { $0.sent } }

    /// The number of the last attempt.
    var attempt: Int { state.withLock { $0.attempt } }

    /// The request as it stood last.
    var request: HTTPRequest? { state.withLock { $0.request } }

    func note(_ call: Call, isSent: Bool = false) {
        let request = call.prepared
        let former = state.withLock { state in
            state.attempt = max(state.attempt, call.attempt)
            if isSent { state.sent += 1 }
            return state.request.replace(with: request)
        }
        _ = consume former
    }

    func note(_ failure: APIError) {
        state.withLock { $0.failure = failure }
    }

    func note(stopped error: APIError) {
        state.withLock { $0.stopped = error }
    }

    /// Notes under which key the call's response may be kept.
    func note(cacheKey: RequestKey) {
        state.withLock { $0.cacheKey = cacheKey }
    }

    /// Under which key the call's response may be kept; `nil` if the cache had nothing to do with it.
    var cacheKey: RequestKey? { state.withLock { $0.cacheKey } }

    /// Notes how what is sent is to the request that the key is made of. What was different once stays so.
    func note(_ likeness: KeyLikeness) {
        state.withLock { if $0.likeness != .different { $0.likeness = likeness } }
    }

    var likeness: KeyLikeness { state.withLock { $0.likeness } }

    func note(sender: CallIdentity) {
        state.withLock { $0.sender = sender }
    }

    /// In whose name the last attempt went out; `nil` if it had no credential.
    var sender: CallIdentity? { state.withLock { $0.sender } }

    /// Notes that the call has come to an end: whether it is the first one, and the first that is a failure.
    func noteEnd(isFailure: Bool) -> (isFirst: Bool, isFirstFailure: Bool) {
        state.withLock { state in
            defer {
                state.hasEnded = true
                state.hasFailed = state.hasFailed || isFailure
            }
            return (!state.hasEnded, isFailure && !state.hasFailed)
        }
    }

    func note(left error: any Error) {
        state.withLock { $0.left = error }
    }

    /// The error with which the call has ended; `nil` as long as it has not, or has a value.
    var left: (any Error)? { state.withLock { $0.left } }

    /// The error that a handler has dealt with, so that the call ended as if it had been cancelled.
    var stopped: APIError? { state.withLock { $0.stopped } }

    /// The error with what is known about the call.
    ///
    /// - Parameter described: What is known of a request that could not be made.
    func annotate(_ error: any Error, _ described: @autoclosure () -> RequestSummary? = nil) -> any Error {
        if error is CancellationError { return error }
        let (request, attempts) = state.withLock { ($0.request, $0.sent) }
        let described = request == nil ? described() : nil
        guard request != nil || described != nil else { return error }
        var error = APIError.wrapping(error)
        if error.request == nil { error.request = request.map { RequestSummary($0, tag: tag) } ?? described }
        error.attempts = attempts
        return error
    }

    /// An error that ends the call from outside, with the failure of the last attempt beneath it.
    func annotate(late error: APIError) -> APIError {
        var error = error
        error.underlying = state.withLock { $0.failure }
        return APIError.wrapping(annotate(error))
    }
}

extension Optional {
    fileprivate mutating func replace(with value: Wrapped) -> Wrapped? {
        let former = self
        self = value
        return former
    }
}
