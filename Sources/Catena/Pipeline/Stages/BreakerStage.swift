/// Refuses calls to a backend that keeps failing.
struct BreakerStage: Stage {
    let policy: CircuitBreakerPolicy

    var name: StageName { .limits }
    var explanation: String {
        "circuit breaker\(policy.scope == .route ? " of each route" : ""): opens at \(Int(min(max(policy.failureShare, 0), 1) * 100)) % of \(policy.minimumCalls) calls or more"
    }

    /// Passes while the breaker is closed. If it is not, the chain runs the stage: the breaker admits one trial call and waits for its end.
    func enter(_ call: inout Call) -> StageEntry {
        guard !RefreshScope.isActive, let breaker = call.run.breaker else { return .passed }
        guard breaker.shared == nil, let permission = BreakerPermission(ifClosed: breaker.local) else { return .waits }
        call.permission = permission
        return .passed
    }

    func leave(_ call: Call, _ outcome: Result<HTTPResponse, any Error>) {
        guard let permission = call.permission else { return }
        var failure: (any Error)?
        if case .failure(let error) = outcome { failure = error }
        permission.breaker.leave(permission.pass, failure, blaming: call.blame)
    }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        if RefreshScope.isActive { return try await next(call) }
        if hasEntered, let permission = call.permission {
            return try await permission.breaker.run(permission.pass, blaming: call.blame) { try await next(call) }
        }
        guard let breaker = call.run.breaker else { return try await next(call) }
        if let shared = breaker.shared { return try await shared.run(blaming: call.blame) { try await next(call) } }
        return try await breaker.local.run(blaming: call.blame) { try await next(call) }
    }
}

extension Call {
    /// Returns the error for which the backend of the call's tag is to blame, or `nil` if the failure says nothing about the backend.
    ///
    /// A deadline cancels the running call. It is blamed on the backend only after a request was sent, because the time may have been spent
    /// waiting for a limit.
    func blame(_ error: any Error) -> APIError? {
        var error = error as? APIError
        if error == nil || error?.kind == .cancelled {
            guard run.history.isUnanswered, let deadline = run.configuration.deadline, run.now - run.deadlineStart >= deadline
            else {
                return nil
            }
            error = .late(deadline)
        }
        return error.flatMap { isAboutBackend($0) && !$0.isOfPlace ? $0 : nil }
    }

    /// Returns whether an error is about the backend of the call's tag. Errors of other hosts that the call, a redirect or an interceptor has
    /// led to are not.
    func isAboutBackend(_ error: APIError) -> Bool {
        guard run.destination == .home || run.destination == .unknown else { return false }
        return error.origin == nil || error.origin == assembled.address.origin
    }
}
