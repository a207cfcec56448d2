import Synchronization

/// How far a call has come, for errors, which may come from outside, and for the answer.
final class CallLog: Sendable {
    private struct State {
        var request: HTTPRequest?
        var attempts = 0
        var failure: APIError?
        var stopped: APIError?
        var cacheKey: RequestKey?
    }

    private let tag: Tag?
    private let state = Mutex(State())

    init(tag: Tag?) {
        self.tag = tag
    }

    /// How many times the request was sent or about to be sent.
    var attempts: Int { state.withLock { $0.attempts } }

    /// The request as it stood last.
    var request: HTTPRequest? { state.withLock { $0.request } }

    func note(_ call: Call) {
        let request = call.prepared
        let former = state.withLock { state in
            state.attempts = max(state.attempts, call.attempt)
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

    /// Notes under which key the call's answer may be kept.
    func note(cacheKey: RequestKey) {
        state.withLock { $0.cacheKey = cacheKey }
    }

    /// Under which key the call's answer may be kept; `nil` if the cache had nothing to do with it.
    var cacheKey: RequestKey? { state.withLock { $0.cacheKey } }

    /// The error that a handler has dealt with, so that the call ended as if it had been cancelled.
    var stopped: APIError? { state.withLock { $0.stopped } }

    /// The error with what is known about the call.
    func annotate(_ error: any Error) -> any Error {
        if error is CancellationError { return error }
        let (request, attempts) = state.withLock { ($0.request, $0.attempts) }
        guard let request else { return error }
        var error = APIError.wrapping(error)
        if error.request == nil { error.request = RequestSummary(request, tag: tag) }
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
