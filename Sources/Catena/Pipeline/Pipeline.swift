/// Takes a call through its stages, in this order:
///
/// deadline → before → prepare → retry → (common, from the second attempt on) → time limit → redirects → transport → envelope
///
/// The envelope is read inside retry, so that a business code can be a reason for another attempt: one decision for each attempt.
enum Pipeline {
    static func run(_ request: Request, decoding decoded: Any.Type?) async throws -> (Reading, Call) {
        let client = request.client ?? .shared
        let deadline = request.options.deadline ?? client.snapshot.profile(for: request.tag).deadline
        guard let deadline else { return try await attempts(request, decoding: decoded) }
        return try await withTimeLimit(
            deadline, on: client.clock, error: APIError(.timeout, message: "The call took longer than its deadline of \(deadline).")
        ) {
            try await attempts(request, decoding: decoded)
        }
    }

    private static func attempts(
        _ request: Request,
        decoding decoded: Any.Type?
    ) async throws -> (Reading, Call) {
        for before in request.options.before { try await before() }
        var call = try await Call.prepare(request)
        while true {
            do {
                return (try await attempt(call, decoding: decoded), call)
            } catch {
                let error = call.annotate(error)
                try Task.checkCancellation()
                guard let failure = error as? APIError, let wait = call.retryWait(after: failure) else { throw error }
                try await call.client.clock.sleep(for: wait)
                call = try await call.next()
            }
        }
    }

    private static func attempt(
        _ call: Call,
        decoding decoded: Any.Type?
    ) async throws -> Reading {
        let limit = call.request.options.timeout ?? call.profile.timeout
        let interruption = Interruption()
        let timer = call.client.clock.schedule(after: limit) {
            interruption.interrupt(with: APIError(.timeout, message: "The attempt took longer than its limit of \(limit)."))
        }
        defer { timer.cancel() }
        let response = try await Redirects.follow(call, interruption: interruption)
        let envelope = call.request.options.envelope ?? call.profile.envelope
        return try EnvelopeReader(envelope: envelope, decoded: decoded).read(response)
    }
}

extension Call {
    fileprivate func retryWait(after error: APIError) -> Duration? {
        let policy = request.options.retry ?? profile.retry
        return policy.wait(after: error, attempt: attempt, method: prepared.method, random: client.random())
    }
}
