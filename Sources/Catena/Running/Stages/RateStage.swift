/// Limits the rate at which calls begin. Their retries are not counted.
struct RateStage: Stage {
    let limits: [RateLimit]

    var name: StageName { .limits }
    var explanation: String { "rate: " + limits.map { "\($0.count) calls per \($0.period)" }.joined(separator: ", ") }

    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        // A token refresh does not wait, because other calls wait for it.
        let call = call.run.isPartOfRefresh ? call : try await admitted(call)
        do {
            return try await next(call)
        } catch let error as APIError {
            call.heed(error)
            throw error
        }
    }

    private func admitted(_ call: Call) async throws -> Call {
        let (tagState, priority, start) = (call.run.tagState, call.configuration.priority, call.client.clock.now)
        let left = call.deadlineLeft
        if let shared = tagState.sharedRate {
            try await call.wait { try await shared.enter(priority: priority, within: left) }
        } else {
            guard let rate = tagState.rate, !rate.enterIfFree() else { return call }
            try await call.wait { try await rate.enter(priority: priority, within: left) }
        }
        var call = call
        call.queued += call.client.clock.now - start
        return call
    }
}

extension Call {
    /// Delays new calls of the tag by the wait that a rate-limit response to an attempt asks for, because the server would refuse them as well.
    func heed(_ error: APIError) {
        guard error.isRateLimit, !run.isPartOfRefresh, isAboutBackend(error), let wait = error.askedWait(now: client.date()) else {
            return
        }
        let tagState = run.tagState
        if let shared = tagState.sharedRate { shared.hold(for: wait) } else { tagState.rate?.hold(for: wait) }
    }
}
