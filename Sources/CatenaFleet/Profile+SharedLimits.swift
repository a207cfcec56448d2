public import Catena
import CatenaPromise

extension Profile {
    /// The store, such as Redis, in which several machines share the `rateLimits` and the `circuitBreaker` of this tag.
    /// Without a store, and while it cannot be reached, each machine has its own.
    public var sharedLimits: (any SharedStore)? {
        get { (limitFleet as? StoreLimits)?.store }
        set { limitFleet = newValue.map { StoreLimits(store: $0) } }
    }
}

/// The limits that machines share in a store.
private struct StoreLimits: LimitFleet {
    let store: any SharedStore

    var identity: ObjectIdentifier { ObjectIdentifier(store) }

    func breaker(
        _ policy: CircuitBreakerPolicy, of name: String, over local: CircuitBreaker, _ outageHandler: OutageHandler
    ) -> any FleetBreaker {
        SharedCircuitBreaker(policy, of: name, in: SharedAccess(store: store, outageHandler: outageHandler), local: local)
    }

    func rateLimiter(
        _ limits: [RateLimit], of name: String, clock: any TimerClock, _ outageHandler: OutageHandler
    ) -> any FleetRateLimiter {
        SharedRateLimiter(limits, of: name, in: SharedAccess(store: store, outageHandler: outageHandler), clock: clock)
    }
}
