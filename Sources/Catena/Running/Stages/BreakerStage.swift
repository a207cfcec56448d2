/// Refuses calls to a backend that keeps failing.
struct BreakerStage: Stage {
    let policy: CircuitBreakerPolicy

    var name: StageName { .limits }
    var explanation: String {
        "circuit breaker\(policy.scope == .route ? " of each route" : ""): opens at \(Int(min(max(policy.failureShare, 0), 1) * 100)) % of \(policy.minimumCalls) calls or more"
    }

    @inline(__always)
    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        // A token refresh is not refused, because other calls wait for it.
        guard !call.run.isPartOfRefresh, let breaker = call.run.breaker else { return try await next(call) }
        guard let shared = breaker.shared else { return try await breaker.local.run(blaming: call.blame) { try await next(call) } }
        return try await call.wait { try await shared.run(blaming: call.blame) { try await next(call) } }
    }
}

extension Call {
    /// Returns the error for which the backend of the call's tag is to blame, or `nil` if the failure says nothing about the backend.
    ///
    /// A deadline cancels the running call. It is blamed on the backend only after a request was sent, because the time may have been spent
    /// waiting for a limit.
    func blame(_ error: any Error) -> APIError? {
        var error = error as? APIError
        // Nothing was sent, or the backend has answered.
        if let refresh = error?.underlying as? RefreshError { return refresh.original.flatMap { blame($0) } }
        if error == nil || error?.kind == .cancelled {
            guard run.history.isUnanswered, let deadline = run.configuration.deadline, run.now - run.deadlineStart >= deadline
            else {
                return nil
            }
            error = run.stopper.error as? APIError ?? .late(deadline)
        }
        return error.flatMap { isAboutBackend($0) && !$0.isOfPlace ? $0 : nil }
    }

    /// Returns whether an error is about the backend of the call's tag. Errors of other hosts that the call, a redirect or an interceptor has
    /// led to are not.
    func isAboutBackend(_ error: APIError) -> Bool {
        guard run.destination == .home || run.destination == .unknown else { return false }
        return error.contents.origin == nil || error.contents.origin == assembled.address.origin
    }
}
