/// Sends a request again, at once and whatever the retry policy, if the server has certainly not processed it or its connection was dead.
///
/// The second send is like any other: it is prepared and signed again, counted, charged to retry budget and rate, and reported.
struct RepeatStage: Stage {
    var name: StageName { .retry }
    // Omitted from explanations, because every call has this stage.
    var explanation: String { "" }

    func enter(_ call: inout Call) -> StageEntry { .passed }

    func handles(_ error: any Error, of call: Call) -> Bool { (error as? APIError).map { call.mayBeRepeated(after: $0) } == true }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        do {
            return try await next(call)
        } catch let error as APIError {
            guard call.mayBeRepeated(after: error), call.run.history.takeRepeat(), call.pays(for: error) else { throw error }
            call.run.history.note(error)
            call.run.inspected?.decided("repeat", "the server has not processed the request: it is sent once more")
            call.run.emit(.retrying(after: .zero, error), call)
        }
        try Task.checkCancellation()
        var again = try await call.next()
        // A new connection, because other idle ones may be dead too, and on those libcurl does not report a refused stream.
        again.prepared.routing = RequestRouting(onNewConnectionAs: again.prepared.routing)
        return try await next(again)
    }
}

extension Call {
    /// Returns whether the request may be sent again at once after a failure.
    fileprivate func mayBeRepeated(after error: APIError) -> Bool {
        guard let reason = error.repeatReason, prepared.isReplayable else { return false }
        switch reason {
        case .notProcessed: return true
        case .deadConnection: return prepared.method.isIdempotent || prepared.headers.contains(IdempotencyKey.header)
        }
    }

    /// Charges another send to the retry budget and the rate of the tag, and reports the failed one to the circuit breaker.
    fileprivate func pays(for error: APIError) -> Bool {
        let retry = run.configuration.retry
        // Without retries there are no deposits in the budget.
        guard retry.limit <= 0 || run.account(for: retry)?.withdraw() != false else { return false }
        guard !RefreshScope.isActive else { return true }
        if !profile.rateLimits.isEmpty, let rate = run.tagState.rate, !rate.enterIfFree() { return false }
        if profile.circuitBreaker != nil, let breaker = run.breaker?.local, let pass = breaker.enterIfClosed() {
            breaker.leave(pass, error, blaming: blame)
        }
        return true
    }
}
