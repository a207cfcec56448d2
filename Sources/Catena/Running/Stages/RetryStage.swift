/// Retries calls after failures that another attempt may overcome.
struct RetryStage: Stage {
    let policy: RetryPolicy

    var name: StageName { .retry }
    var explanation: String { "retry: up to \(policy.limit) more attempts" + policy.explanation }

    @inline(__always)
    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        let account = call.run.account(for: policy)
        account?.deposit()
        var call = call
        // Counted here, because a second send after a refresh is not a retry.
        var tries = 0
        while true {
            tries += 1
            do {
                return try await next(call)
            } catch {
                let error = call.run.history.annotate(error)
                guard !call.isStopped, let failure = error as? APIError else { throw error }
                let attempt = failed(failure, call, tries)
                let wait: Duration
                switch decide(attempt, call, account) {
                case .retry(let time): wait = time
                case .stop(let reason):
                    call.run.inspected?.decided("retry", reason.words)
                    reportIneffective(reason, of: call)
                    throw reason == .notReplayable ? failure.notTriedAgain : failure
                }
                // At once, because the tag's other calls would be refused during the wait.
                if !call.profile.rateLimits.isEmpty { call.heed(failure) }
                call.run.history.note(failure)
                call.run.inspected?.retries(after: wait, call.shown(failure))
                call.run.emit(.retrying(after: wait, call.shown(failure)), call)
                let network = policy.network(after: attempt)
                if network?.isKnown == false { call.client.report(.unknownNetwork, in: call.run) }
                try await call.wait { [run = call.run, random = attempt.random] in
                    if let network {
                        let isBack = try await network.sleep(for: wait, random: random, on: run.client.clock)
                        if isBack { run.inspected?.decided("retry", "the network is back, so the wait ends early") }
                    } else {
                        try await run.client.clock.sleep(for: wait)
                    }
                    try await run.task.waitWhileSuspended()
                }
                call = try await call.next()
            }
        }
    }

    private func decide(_ failed: FailedAttempt, _ call: Call, _ account: RetryAccount?) -> RetryDecision {
        // The deadline of a call that others have joined does not end their wait.
        let left = call.deadlineLeft
        guard let rules = policy.rules else { return policy.decide(failed, within: left, account: account) }
        if call.run.isWithin(.retry, of: rules) { return policy.withoutRules.decide(failed, within: left, account: account) }
        return call.run.runPlain(.retry, of: rules) { policy.decide(failed, within: left, account: account) }
    }

    /// Reports that the step of this call, and not the policy of its tag, retries no call with this method.
    private func reportIneffective(_ reason: RetryDecision.Reason, of call: Call) {
        guard reason == .notIdempotent, call.run.request.options[\.retry] != nil, policy.methods == nil else { return }
        call.client.report(.retry(call.prepared.method), in: call.run)
    }

    private func failed(_ error: APIError, _ call: Call, _ tries: Int) -> FailedAttempt {
        FailedAttempt(
            error: error, attempt: tries, request: call.prepared,
            hasIdempotencyKey: call.prepared.headers.contains(IdempotencyKey.header), random: call.client.random(), now: call.client.date())
    }
}

extension CallRun {
    /// Returns the retry budget shared by all calls of the tag, or `nil` if retries are unlimited.
    func account(for policy: RetryPolicy) -> RetryAccount? { policy.budget.map { tagState.retries.account(of: $0) } }
}

extension APIError {
    /// The error of a call that the policy would retry, but whose body can be read only once.
    fileprivate var notTriedAgain: APIError {
        var error = self
        let reason = "The call was not tried again, because its body can be read only once. With body(stream:) and a closure it could be."
        error.message = [errorDescription, reason].compactMap { $0 }.joined(separator: " ")
        return error
    }
}
