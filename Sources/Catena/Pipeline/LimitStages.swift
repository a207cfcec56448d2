/// Leaves a backend alone that keeps failing.
struct BreakerStage: Stage {
    let breaker: CircuitBreaker
    /// In its place, where several machines share it.
    let shared: SharedCircuitBreaker?
    let policy: CircuitBreakerPolicy

    var name: StageName { .limits }
    var explanation: String {
        "circuit breaker: opens at \(Int(min(max(policy.failureShare, 0), 1) * 100)) % of \(policy.minimumCalls) calls or more"
    }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse {
        if let shared { return try await shared.run(heeding: call.isAboutBackend) { try await next(call) } }
        return try await breaker.run(heeding: call.isAboutBackend) { try await next(call) }
    }
}

extension Call {
    /// Whether an error says something about the backend of the call's tag, and not about somebody to whom the call, a redirect or an
    /// interceptor has led.
    func isAboutBackend(_ error: APIError) -> Bool {
        guard execution.destination == .home || execution.destination == .unknown else { return false }
        return error.origin == nil || error.origin == assembled.address.origin
    }
}

/// Lets calls begin at a bounded rate.
struct RateStage: Stage {
    let limiter: RateLimiter
    /// In its place, where several machines share it.
    let shared: SharedRateLimiter?
    let limits: [RateLimit]

    private static let longestHold = Duration.seconds(60)

    var name: StageName { .limits }
    var explanation: String { "rate: " + limits.map { "\($0.count) calls per \($0.period)" }.joined(separator: ", ") }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse {
        var call = call
        let start = call.client.clock.now
        let priority = call.execution.request.options.priority
        if let shared { try await shared.enter(priority: priority) } else { try await limiter.enter(priority: priority) }
        call.queued += call.client.clock.now - start
        do {
            return try await next(call)
        } catch let error as APIError where error.isRateLimit {
            // The limits here are more than the server allows, and whoever comes now would be refused as well.
            if call.isAboutBackend(error), let wait = error.askedWait(now: call.client.date()) {
                let hold = min(wait, Self.longestHold)
                if let shared { shared.hold(for: hold) } else { limiter.hold(for: hold) }
            }
            throw error
        }
    }
}

/// Lets a bounded number of calls run at a time.
struct ConcurrencyStage: Stage {
    let limiter: ConcurrencyLimiter
    let limit: ConcurrencyLimit

    var name: StageName { .limits }
    var explanation: String { "concurrency: \(limit.limit) calls at a time" }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse {
        var call = call
        let start = call.client.clock.now
        let place = try await limiter.enter(priority: call.execution.request.options.priority)
        call.queued += call.client.clock.now - start
        do {
            let response = try await next(call)
            // The body of a stream is still to come, and takes the place along.
            if case .body(let body) = response.received { body.whenOver { place.leave() } } else { place.leave() }
            return response
        } catch {
            place.leave()
            throw error
        }
    }
}
