import Synchronization

/// Takes a call through its stages, in this order:
///
/// deadline → before → prepare → retry → (common, from the second attempt on) → time limit → redirects → transport → envelope
///
/// The envelope is read inside retry, so that a business code can be a reason for another attempt: one decision for each attempt. What
/// an attempt is to bring, a whole answer or only its head, is the goal's to say.
enum Pipeline {
    static func run<Goal: Attempt>(_ execution: Execution, until goal: Goal) async throws -> (Goal.Value, Call) {
        guard let deadline = execution.deadline else {
            return try await attempts(execution, nil, until: goal)
        }
        let progress = Progress()
        let late: @Sendable () -> APIError = { progress.annotate(APIError.late(deadline)) }
        return try await withTimeLimit(deadline, on: execution.client.clock, error: late()) {
            try await attempts(execution, progress, until: goal)
        }
    }

    private static func attempts<Goal: Attempt>(
        _ execution: Execution,
        _ progress: Progress?,
        until goal: Goal
    ) async throws -> (Goal.Value, Call) {
        for before in execution.request.options.before {
            do {
                try await before()
            } catch {
                throw Call.failure(of: "before", error)
            }
        }
        try await execution.request.options.control?.passage()
        var call = try await Call.prepare(execution)
        while true {
            progress?.note(call)
            do {
                return (try await goal.run(call), call)
            } catch {
                let error = call.annotate(error)
                try Task.checkCancellation()
                guard let failure = error as? APIError, let wait = call.retryWait(after: failure) else { throw error }
                progress?.note(failure)
                try await call.client.clock.sleep(for: wait)
                try await execution.request.options.control?.passage()
                do {
                    call = try await call.next()
                } catch {
                    throw call.annotate(error)
                }
            }
        }
    }
}

/// How far a call has come, for an error that ends it from outside.
private final class Progress: Sendable {
    private let state = Mutex<(call: Call?, failure: APIError?)>((nil, nil))

    func note(_ call: Call) {
        let former = state.withLock { state in
            let former = state.call
            state.call = call
            return former
        }
        _ = consume former
    }

    func note(_ failure: APIError) {
        state.withLock { $0.failure = failure }
    }

    /// The error with what is known about the call, and with the failure of the last attempt beneath it.
    func annotate(_ error: APIError) -> APIError {
        let (call, failure) = state.withLock { $0 }
        var error = error
        error.underlying = failure
        return call.map { APIError.wrapping($0.annotate(error)) } ?? error
    }
}

extension Call {
    fileprivate func retryWait(after error: APIError) -> Duration? {
        let policy = execution.request.options.retry ?? profile.retry
        return policy.wait(after: error, attempt: attempt, method: prepared.method, random: client.random())
    }
}
