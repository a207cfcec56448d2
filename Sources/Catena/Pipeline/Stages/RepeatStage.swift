/// Sends a request once more that the server surely has not processed, or that has met a dead connection: at once, whatever the retry policy says.
///
/// It is a sending like any other: prepared and signed anew, counted, paid for by the retry budget and the rate, and told.
struct RepeatStage: Stage {
    var name: StageName { .retry }
    // Each call has it, so that it is not worth a line.
    var explanation: String { "" }

    func enter(_ call: inout Call) -> StageEntry { .passed }

    func handles(_ error: any Error, of call: Call) -> Bool { (error as? APIError).map { call.mayBeRepeated(after: $0) } == true }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        do {
            return try await next(call)
        } catch let error as APIError {
            guard call.mayBeRepeated(after: error), call.execution.log.takeRepeat(), call.pays(for: error) else { throw error }
            call.execution.log.note(error)
            call.execution.trace?.decided("repeat", "the server has not processed the request: it is sent once more")
            call.execution.emit(.retrying(after: .zero, error), call)
        }
        try Task.checkCancellation()
        var again = try await call.next()
        // Others that are kept may be dead as well, and on one of them libcurl does not tell a stream that is refused.
        again.prepared.routing = RequestRouting(onNewConnectionAs: again.prepared.routing)
        return try await next(again)
    }
}

extension Call {
    /// Whether the request may be sent once more at once after a failure.
    fileprivate func mayBeRepeated(after error: APIError) -> Bool {
        guard let reason = error.repeatReason, prepared.isReplayable else { return false }
        switch reason {
        case .notProcessed: return true
        case .deadConnection: return prepared.method.isIdempotent || prepared.headers.contains(IdempotencyKey.header)
        }
    }

    /// Takes from the retry budget and the rate of the tag for one more sending, and has the breaker learn of the one that has failed.
    fileprivate func pays(for error: APIError) -> Bool {
        let retry = execution.settings.retry
        // Without retries nothing is paid in.
        guard retry.limit <= 0 || execution.account(for: retry)?.withdraw() != false else { return false }
        guard !RefreshScope.isActive else { return true }
        if !profile.rateLimits.isEmpty, let rate = execution.backend.rate, !rate.enterIfFree() { return false }
        if profile.circuitBreaker != nil, let breaker = execution.backend.breaker, let pass = breaker.enterIfClosed() {
            breaker.leave(pass, error, blaming: blame)
        }
        return true
    }
}
