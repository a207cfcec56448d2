/// Leaves a backend alone that keeps failing.
struct BreakerStage: Stage {
    let policy: CircuitBreakerPolicy

    var name: StageName { .limits }
    var explanation: String {
        "circuit breaker: opens at \(Int(min(max(policy.failureShare, 0), 1) * 100)) % of \(policy.minimumCalls) calls or more"
    }

    /// Passes while the breaker is closed: one that has opened lets a single call try, whose end it waits for.
    func enter(_ call: inout Call) -> StageEntry {
        guard !RefreshScope.isActive else { return .passed }
        let backend = call.execution.backend
        guard backend.sharedBreaker == nil, let permission = backend.breaker?.enterIfClosed() else { return .waits }
        call.permission = permission
        return .passed
    }

    func leave(_ call: Call, _ outcome: Result<HTTPResponse, any Error>) {
        guard let permission = call.permission else { return }
        var failure: (any Error)?
        if case .failure(let error) = outcome { failure = error }
        call.execution.backend.breaker?.leave(permission, failure, blaming: call.blame)
    }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        if RefreshScope.isActive { return try await next(call) }
        let backend = call.execution.backend
        if let shared = backend.sharedBreaker { return try await shared.run(blaming: call.blame) { try await next(call) } }
        guard let breaker = backend.breaker else { return try await next(call) }
        let permission = hasEntered ? call.permission : nil
        return try await breaker.run(permission, blaming: call.blame) { try await next(call) }
    }
}

extension Call {
    /// The error for which the backend of the call's tag is to blame; `nil` if a failure says nothing of it.
    ///
    /// A deadline cancels what runs of the call. It counts against the backend once a request has been sent, and not where the call has spent
    /// its time in a line.
    func blame(_ error: any Error) -> APIError? {
        var error = error as? APIError
        if error == nil || error?.kind == .cancelled {
            guard execution.log.isUnanswered, let deadline = execution.settings.deadline, execution.now - execution.start >= deadline else {
                return nil
            }
            error = .late(deadline)
        }
        return error.flatMap { isAboutBackend($0) && !$0.isOfPlace ? $0 : nil }
    }

    /// Whether an error says something about the backend of the call's tag, and not about somebody to whom the call, a redirect or an
    /// interceptor has led.
    func isAboutBackend(_ error: APIError) -> Bool {
        guard execution.destination == .home || execution.destination == .unknown else { return false }
        return error.origin == nil || error.origin == assembled.address.origin
    }
}
