/// Limits the rate at which calls begin. Their retries are not counted.
struct RateStage: Stage {
    let limits: [RateLimit]

    var name: StageName { .limits }
    var explanation: String { "rate: " + limits.map { "\($0.count) calls per \($0.period)" }.joined(separator: ", ") }

    func enter(_ call: inout Call) -> StageEntry {
        // A token refresh does not wait, because other calls wait for it.
        if RefreshScope.isActive { return .passed }
        let tagState = call.run.tagState
        return tagState.sharedRate == nil && tagState.rate?.enterIfFree() == true ? .passed : .waits
    }

    func leave(_ call: Call, _ outcome: Result<HTTPResponse, any Error>) {
        if case .failure(let error as APIError) = outcome { call.heed(error) }
    }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        var call = call
        if !hasEntered, !RefreshScope.isActive { try await wait(&call) }
        do {
            return try await next(call)
        } catch let error as APIError {
            call.heed(error)
            throw error
        }
    }

    private func wait(_ call: inout Call) async throws {
        let start = call.client.clock.now
        let tagState = call.run.tagState
        let priority = call.configuration.priority
        if let shared = tagState.sharedRate {
            try await shared.enter(priority: priority)
        } else {
            try await tagState.rate?.enter(priority: priority)
        }
        call.queued += call.client.clock.now - start
    }

}

extension Call {
    /// The maximum delay of new calls after a response, because a server may ask for hours.
    private static let longestHold = Duration.seconds(60)

    /// Delays new calls of the tag by the wait that a rate-limit response to an attempt asks for, because the server would refuse them as well.
    func heed(_ error: APIError) {
        guard error.isRateLimit, !RefreshScope.isActive, isAboutBackend(error), let wait = error.askedWait(now: client.date()) else {
            return
        }
        let hold = min(wait, Self.longestHold)
        let tagState = run.tagState
        if let shared = tagState.sharedRate { shared.hold(for: hold) } else { tagState.rate?.hold(for: hold) }
    }
}
