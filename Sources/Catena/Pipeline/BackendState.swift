import Synchronization

/// What the calls of one tag have in common while they are under way: their limits and the calls that others may join.
final class BackendState: Sendable {
    /// What the state is made from; another policy begins anew.
    struct Policies: Sendable, Equatable {
        var breaker: CircuitBreakerPolicy?
        var rates: [RateLimit] = []
        var concurrency: ConcurrencyLimit?
        var budget: RetryBudget?
    }

    let policies: Policies
    let breaker: CircuitBreaker?
    let rate: RateLimiter?
    let concurrency: ConcurrencyLimiter?
    let retries: RetryAccount?
    let flights: SingleFlight<RequestKey, HTTPResponse>

    init(_ policies: Policies, clock: any TimerClock, flights: SingleFlight<RequestKey, HTTPResponse> = SingleFlight()) {
        self.policies = policies
        self.flights = flights
        breaker = policies.breaker.map { CircuitBreaker($0, clock: clock) }
        rate = policies.rates.isEmpty ? nil : RateLimiter(policies.rates, clock: clock)
        concurrency = policies.concurrency.map { ConcurrencyLimiter($0, clock: clock) }
        retries = policies.budget.map { RetryAccount($0) }
    }
}

/// The states of a client's tags.
final class BackendStates: Sendable {
    private let states = Mutex<[Tag?: BackendState]>([:])

    func state(of tag: Tag?, _ policies: BackendState.Policies, clock: any TimerClock) -> BackendState {
        states.withLock { states in
            let former = states[tag]
            if let former, former.policies == policies { return former }
            let state = BackendState(policies, clock: clock, flights: former?.flights ?? SingleFlight())
            states[tag] = state
            return state
        }
    }
}

extension Execution {
    /// What this call has in common with the others of its tag.
    var backend: BackendState {
        let retry = request.options.retry ?? profile.retry
        let policies = BackendState.Policies(
            breaker: profile.breaker, rates: profile.rates, concurrency: profile.concurrency, budget: retry.limit > 0 ? retry.budget : nil)
        return client.backends.state(of: request.tag, policies, clock: client.clock)
    }
}
