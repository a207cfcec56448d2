/// What the calls of one tag have in common while they are under way: their limits and the calls that others may join.
final class BackendState: Sendable {
    /// What the limits are made from.
    struct Policies: Sendable, Equatable {
        var circuitBreaker: CircuitBreakerPolicy?
        var rateLimits: [RateLimit]
        var maxConcurrentCalls: ConcurrencyLimit?
        /// The store in which all but the concurrency is shared.
        var shared: ObjectIdentifier?

        init(_ profile: ResolvedProfile) {
            circuitBreaker = profile.circuitBreaker
            rateLimits = profile.rateLimits
            maxConcurrentCalls = profile.maxConcurrentCalls
            shared = profile.sharedLimits.map { ObjectIdentifier($0) }
        }
    }

    let policies: Policies
    let breaker: CircuitBreaker?
    let rate: RateLimiter?
    let sharedBreaker: SharedCircuitBreaker?
    let sharedRate: SharedRateLimiter?
    let concurrency: ConcurrencyLimiter?
    let retries: RetryAccounts
    let flights: SingleFlight<DedupeKey, SharedResponse>

    /// - Parameters:
    ///   - former: The state until now; of it goes on what is made from the same policy.
    ///   - shared: Where, and under which name, the machines of a fleet share their limits.
    init(
        _ policies: Policies,
        clock: any TimerClock,
        after former: BackendState?,
        sharing shared: (name: String, access: SharedAccess)?
    ) {
        self.policies = policies
        retries = former?.retries ?? RetryAccounts()
        flights = former?.flights ?? SingleFlight()
        let breaker =
            former?.policies.circuitBreaker == policies.circuitBreaker && former != nil
            ? former?.breaker : policies.circuitBreaker.map { CircuitBreaker($0, clock: clock) }
        self.breaker = breaker
        rate =
            former?.policies.rateLimits == policies.rateLimits
            ? former?.rate : policies.rateLimits.isEmpty ? nil : RateLimiter(policies.rateLimits, clock: clock)
        concurrency =
            former?.policies.maxConcurrentCalls == policies.maxConcurrentCalls && former != nil
            ? former?.concurrency : policies.maxConcurrentCalls.map { ConcurrencyLimiter($0, clock: clock) }
        let isSharedAlike = former?.policies.shared == policies.shared
        sharedBreaker =
            isSharedAlike && former?.policies.circuitBreaker == policies.circuitBreaker
            ? former?.sharedBreaker
            : shared.flatMap { shared in
                policies.circuitBreaker.flatMap { policy in
                    breaker.map { SharedCircuitBreaker(policy, of: shared.name, in: shared.access, local: $0) }
                }
            }
        sharedRate =
            isSharedAlike && former?.policies.rateLimits == policies.rateLimits
            ? former?.sharedRate
            : shared.flatMap { shared in
                policies.rateLimits.isEmpty
                    ? nil : SharedRateLimiter(policies.rateLimits, of: shared.name, in: shared.access, clock: clock)
            }
    }

    /// What pays for the retries of all calls with a policy; `nil` if nothing bounds them.
    func account(for retry: RetryPolicy) -> RetryAccount? { retry.budget.flatMap { retries.account(of: $0) } }
}

/// The states of a client's tags.
final class BackendStateStore: Sendable {
    private let states = Mutex<[Tag?: BackendState]>([:])

    func state(of tag: Tag?, _ policies: BackendState.Policies, clock: any TimerClock, sharing access: () -> SharedAccess?) -> BackendState
    {
        states.withLock { states in
            let former = states[tag]
            if let former, former.policies == policies { return former }
            let name = tag.map { "tag:\($0.name)" } ?? "untagged"
            let state = BackendState(policies, clock: clock, after: former, sharing: access().map { (name, $0) })
            states[tag] = state
            return state
        }
    }

    /// The state of a tag as it is, without making one.
    func known(_ tag: Tag?) -> BackendState? { states.withLock { $0[tag] } }
}

extension Client {
    /// The status of the circuit breaker of a tag, which is kept as long as the client; see ``Profile/circuitBreaker``.
    ///
    /// ```swift
    /// if client.circuitBreakerStatus(of: .forum) == .open { show("The forum is out of order.") }
    /// ```
    ///
    /// - Parameter tag: The tag; `nil` for the calls without one.
    /// - Returns: The status; `nil` if the tag has no circuit breaker, or no call has used it yet.
    public func circuitBreakerStatus(of tag: Tag?) -> CircuitBreakerStatus? {
        active.backends.known(tag).flatMap { $0.sharedBreaker?.status ?? $0.breaker?.status }
    }
}

extension Execution {
    /// What this call has in common with the others of its tag: to its end the one with which it began.
    var backend: BackendState {
        foundBackend.value {
            client.backends.state(of: request.tag, BackendState.Policies(profile), clock: client.clock) {
                profile.sharedLimits.map { SharedAccess(store: $0, watch: client.diagnostics.sharedWatch) }
            }
        }
    }
}
