/// The state that the active calls of one tag share: limits, retry budgets, and requests in flight that identical calls may join.
final class TagState: Sendable {
    /// The settings from which the limits are created.
    struct Policies: Sendable, Equatable {
        var circuitBreaker: CircuitBreakerPolicy?
        var rateLimits: [RateLimit]
        var maxConcurrentCalls: ConcurrencyLimit?
        /// The store in which machines share the circuit breaker and the rate limits, but not the concurrency limit.
        var shared: ObjectIdentifier?

        init(_ profile: ProfileLayers) {
            circuitBreaker = profile.circuitBreaker
            rateLimits = profile.rateLimits ?? []
            maxConcurrentCalls = profile.maxConcurrentCalls
            shared = profile.limitFleet?.identity
        }
    }

    private let shared: Box<Policies>
    var policies: Policies { shared.value }
    let breaker: CircuitBreaker?
    let rate: RateLimiter?
    let sharedBreaker: (any FleetBreaker)?
    /// The breakers of the tag's routes, in place of a breaker for all of its calls.
    let routeBreakers: RouteBreakers?
    let sharedRate: (any FleetRateLimiter)?
    let concurrency: ConcurrencyLimiter?
    let retries: RetryAccounts
    let flights: SingleFlight<DedupeKey, SharedResponse>
    let changingFields: ChangingFields

    /// - Parameters:
    ///   - former: The previous state. Limiters whose policy has not changed are reused.
    ///   - fleet: The fleet that shares the limits.
    init(
        _ shared: Box<Policies>,
        clock: any TimerClock,
        after former: TagState?,
        sharing fleet: TagFleet?
    ) {
        self.shared = shared
        let policies = shared.value
        retries = former?.retries ?? RetryAccounts()
        flights = former?.flights ?? SingleFlight()
        changingFields = former?.changingFields ?? ChangingFields()
        let ofTag = policies.circuitBreaker.flatMap { $0.scope == .tag ? $0 : nil }
        let ofRoutes = policies.circuitBreaker.flatMap { $0.scope == .route ? $0 : nil }
        // Without a former state, only a policy that is `nil` counts as kept, and its limiter is `nil` too.
        let keepsBreaker = former?.policies.circuitBreaker == policies.circuitBreaker
        let keepsRate = former?.policies.rateLimits == policies.rateLimits
        let keepsPlaces = former?.policies.maxConcurrentCalls == policies.maxConcurrentCalls
        let isSharedAlike = former?.policies.shared == policies.shared
        let breaker = keepsBreaker ? former?.breaker : ofTag.map { CircuitBreaker($0, clock: clock) }
        self.breaker = breaker
        rate = keepsRate ? former?.rate : policies.rateLimits.isEmpty ? nil : RateLimiter(policies.rateLimits, clock: clock)
        concurrency = keepsPlaces ? former?.concurrency : policies.maxConcurrentCalls.map { ConcurrencyLimiter($0, clock: clock) }
        sharedBreaker =
            isSharedAlike && keepsBreaker
            ? former?.sharedBreaker
            : fleet.flatMap { fleet in
                ofTag.flatMap { policy in breaker.map { fleet.breaker(policy, over: $0) } }
            }
        routeBreakers =
            isSharedAlike && keepsBreaker
            ? former?.routeBreakers : ofRoutes.map { RouteBreakers($0, clock: clock, sharing: fleet) }
        sharedRate =
            isSharedAlike && keepsRate
            ? former?.sharedRate : policies.rateLimits.isEmpty ? nil : fleet?.rateLimiter(policies.rateLimits, clock: clock)
    }

    /// Returns whether the limits are those of the policies.
    fileprivate func hasPolicies(_ policies: Box<Policies>) -> Bool { shared === policies || shared.value == policies.value }
}

/// The states of a client's tags.
final class TagStateStore: Sendable {
    private let states = Mutex<[Tag?: TagState]>([:])

    func state(
        of tag: Tag?, _ policies: Box<TagState.Policies>, clock: any TimerClock, sharing fleet: (_ name: String) -> TagFleet?
    ) -> TagState {
        let (state, former): (TagState, TagState?) = states.withLock { states in
            let former = states[tag]
            if let former, former.hasPolicies(policies) { return (former, nil) }
            let name = tag.map { "tag:\($0.name)" } ?? "untagged"
            let state = TagState(policies, clock: clock, after: former, sharing: fleet(name))
            states[tag] = state
            return (state, former)
        }
        // Release the former state after the lock, because it may hold the last reference to a store of the app.
        return withExtendedLifetime(former) { state }
    }

    /// Returns the existing state of a tag, or `nil` if no call has needed one.
    func known(_ tag: Tag?) -> TagState? { states.withLock { $0[tag] } }
}

extension CallRun {
    /// The state shared with the other calls of the tag. A call keeps the state that it began with.
    var tagState: TagState {
        // Tags without a profile have that of calls without a tag, and states of their own.
        profile === snapshot.untagged ? foundTagState.value { findTagState() } : profile.tagState.value { findTagState() }
    }

    private func findTagState() -> TagState {
        client.tagStates.state(of: request.tag, profile.policies, clock: client.clock) { name in
            profile.limitFleet.map { TagFleet(name: name, limits: $0, outageHandler: client.diagnostics.outageHandler) }
        }
    }
}
