import Synchronization

/// Takes a call through its stages, in this order:
///
/// deadline → before → prepare → retry → (common, from the second attempt on) → time limit → redirects → transport → envelope
///
/// The envelope is read inside retry, so that a business code can be a reason for another attempt: one decision for each attempt.
enum Pipeline {
    static func run(_ execution: Execution, decoding decoded: Any.Type?) async throws -> (Reading, Call) {
        guard let deadline = execution.request.options.deadline ?? execution.profile.deadline else {
            return try await attempts(execution, nil, decoding: decoded)
        }
        let progress = Progress()
        let late: @Sendable () -> APIError = {
            progress.annotate(APIError(.timeout, message: "The call took longer than its deadline of \(deadline)."))
        }
        return try await withTimeLimit(deadline, on: execution.client.clock, error: late()) {
            try await attempts(execution, progress, decoding: decoded)
        }
    }

    private static func attempts(_ execution: Execution, _ progress: Progress?, decoding decoded: Any.Type?) async throws -> (Reading, Call)
    {
        for before in execution.request.options.before {
            do {
                try await before()
            } catch {
                throw Call.failure(of: "before", error)
            }
        }
        var call = try await Call.prepare(execution)
        while true {
            progress?.note(call)
            do {
                return (try await attempt(call, decoding: decoded), call)
            } catch {
                let error = call.annotate(error)
                try Task.checkCancellation()
                guard let failure = error as? APIError, let wait = call.retryWait(after: failure) else { throw error }
                progress?.note(failure)
                try await call.client.clock.sleep(for: wait)
                do {
                    call = try await call.next()
                } catch {
                    throw call.annotate(error)
                }
            }
        }
    }

    private static func attempt(_ call: Call, decoding decoded: Any.Type?) async throws -> Reading {
        let options = call.execution.request.options
        let limit = options.timeout ?? call.profile.timeout
        let interruption = Interruption()
        let timer = call.client.clock.schedule(after: limit) {
            interruption.interrupt(with: APIError(.timeout, message: "The attempt took longer than its limit of \(limit)."))
        }
        defer { timer.cancel() }
        let silence = Silence(call.silenceLimits, on: call.client.clock) { interruption.interrupt(with: $0) }
        defer { silence?.end() }
        let response = try await Redirects.follow(call, interruption: interruption, silence: silence)
        let envelope = options.envelope ?? call.profile.envelope
        return try EnvelopeReader(envelope: envelope, decoded: decoded).read(response)
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
    fileprivate var silenceLimits: Silence.Limits {
        let options = execution.request.options
        return Silence.Limits(
            firstByte: options.firstByteTimeout ?? profile.firstByteTimeout, idle: options.idleTimeout ?? profile.idleTimeout)
    }

    fileprivate func retryWait(after error: APIError) -> Duration? {
        let policy = execution.request.options.retry ?? profile.retry
        return policy.wait(after: error, attempt: attempt, method: prepared.method, random: client.random())
    }
}
