/// The circuit breaker of a call, and the one that machines share in its place.
struct CallBreaker: Sendable {
    let local: CircuitBreaker
    let shared: (any FleetBreaker)?

    var status: CircuitBreakerStatus { shared?.status ?? local.status }
}

/// The circuit breakers of a tag each of whose routes has its own.
final class RouteBreakers: Sendable {
    /// The maximum number of routes. A path that contains values as text, and not by interpolation, makes each value a route.
    static let most = 1000

    private struct State {
        var recency = RecencyIndex<String>()
        var breakers: [String: CallBreaker] = [:]
    }

    private let policy: CircuitBreakerPolicy
    private let clock: any TimerClock
    private let fleet: TagFleet?
    private let state = Mutex(State())

    /// - Parameter fleet: The fleet that shares the breakers.
    init(_ policy: CircuitBreakerPolicy, clock: any TimerClock, sharing fleet: TagFleet?) {
        self.policy = policy
        self.clock = clock
        self.fleet = fleet
    }

    /// Returns the breaker of a route. Returns `nil` if there are too many routes and all of them are open.
    func breaker(of route: String) -> CallBreaker? {
        let (breaker, removed) = state.withLock { state -> (CallBreaker?, CallBreaker?) in
            if let known = state.breakers[route] {
                state.recency.touch(route)
                return (known, nil)
            }
            var removed: CallBreaker?
            if state.breakers.count >= Self.most {
                // An open breaker stays, because forgetting it would send calls to a route that fails.
                guard let oldest = state.recency.leastRecent(where: { state.breakers[$0]?.status == .closed }) else { return (nil, nil) }
                state.recency.remove(oldest)
                removed = state.breakers.removeValue(forKey: oldest)
            }
            let made = made(route)
            state.breakers[route] = made
            state.recency.insert(route, size: 1)
            return (made, removed)
        }
        // Freed outside the lock.
        _ = consume removed
        return breaker
    }

    /// Returns the status of a route, or the worst status of all routes. Returns `nil` if no call has used one.
    func status(of route: String?) -> CircuitBreakerStatus? {
        let breakers = state.withLock { state in route.map { state.breakers[$0].map { [$0] } ?? [] } ?? Array(state.breakers.values) }
        let statuses = breakers.map(\.status)
        return [CircuitBreakerStatus.open, .halfOpen, .closed].first { statuses.contains($0) }
    }

    private func made(_ route: String) -> CallBreaker {
        let local = CircuitBreaker(policy, clock: clock, route: route)
        return CallBreaker(local: local, shared: fleet?.breaker(policy, of: route, over: local))
    }
}

extension CallRun {
    /// The circuit breaker of the call, or `nil` if it has none.
    var breaker: CallBreaker? {
        let state = tagState
        if let routes = state.routeBreakers { return routes.breaker(of: request.location.route) }
        return state.breaker.map { CallBreaker(local: $0, shared: state.sharedBreaker) }
    }
}
