/// Sends a request again, at once and whatever the retry policy, if the server has certainly not processed it or its connection was dead.
///
/// The second send is like any other: it is prepared and signed again, counted and reported. It is no retry, so that neither the retry budget nor the rate,
/// for which a call counts once, can refuse it.
struct RepeatStage: Stage {
    var name: StageName { .retry }
    // Omitted from explanations, because every call has this stage.
    var explanation: String { "" }

    @inline(__always)
    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        do {
            return try await next(call)
        } catch let error as APIError {
            guard call.mayBeRepeated(after: error), call.run.history.takeRepeat() else { throw error }
            call.reportToBreaker(error)
            call.run.history.note(error)
            call.run.inspected?.decided("repeat", "the server has not processed the request: it is sent once more")
            call.run.emit(.retrying(after: .zero, call.shown(error)), call)
        }
        try call.throwIfStopped()
        var again = try await call.next()
        // A new connection, because other idle ones may be dead too, and on those libcurl does not report a refused stream.
        again.prepared.routing = RequestRouting(onNewConnectionAs: again.prepared.routing)
        return try await next(again)
    }
}

extension Call {
    /// Whether the method or a key makes a second request harmless.
    private var mayBeCarriedOutTwice: Bool { prepared.method.isIdempotent || prepared.headers.contains(IdempotencyKey.header) }

    /// Returns whether the server has answered the request itself, with a redirect to another method whose target has failed. The request must not be
    /// sent again because of that failure, unless it may be carried out twice.
    func isDone(before error: APIError) -> Bool { error.contents.redirection?.hasChangedMethod == true && !mayBeCarriedOutTwice }

    /// Returns whether the request may be sent again at once after a failure.
    fileprivate func mayBeRepeated(after error: APIError) -> Bool {
        guard let reason = error.contents.repeatReason, prepared.isReplayable else { return false }
        switch reason {
        case .notProcessed: return !isDone(before: error)
        case .deadConnection: return mayBeCarriedOutTwice
        }
    }

    /// Reports a failed send to the circuit breaker.
    fileprivate func reportToBreaker(_ error: APIError) {
        guard !run.isPartOfRefresh, profile.circuitBreaker != nil, let breaker = run.breaker?.local, let pass = breaker.enterIfClosed()
        else { return }
        breaker.leave(pass, error, blaming: blame)
    }
}
