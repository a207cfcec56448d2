package import CatenaPromise

/// Receives the availability of a shared store: an error, or `nil` after a successful operation.
package struct OutageHandler: Sendable {
    /// The clock for the time limit of the store's operations and for the pauses between tries.
    package let clock: any TimerClock
    /// Returns a random number from 0 to 1, which determines the pause between two tries.
    package var random: @Sendable () -> Double
    package let note: @Sendable (any AnyObject & Sendable, (any Error)?) -> Void

    package init(
        clock: any TimerClock, random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        note: @escaping @Sendable (any AnyObject & Sendable, (any Error)?) -> Void
    ) {
        self.clock = clock
        self.random = random
        self.note = note
    }

    /// A handler that ignores all events.
    package static let silent = OutageHandler(clock: SystemClock.shared) { _, _ in }
}

/// The limits that a fleet of machines shares, in place of those of this machine. The product CatenaFleet has the only type.
package protocol LimitFleet: Sendable {
    /// Distinguishes the fleets of different stores.
    var identity: ObjectIdentifier { get }

    /// Creates a circuit breaker of the fleet.
    ///
    /// - Parameters:
    ///   - name: The name of the breaker in the fleet.
    ///   - local: The breaker of this machine.
    func breaker(
        _ policy: CircuitBreakerPolicy, of name: String, over local: CircuitBreaker, _ outageHandler: OutageHandler
    ) -> any FleetBreaker

    /// Creates a rate limiter of the fleet.
    func rateLimiter(
        _ limits: [RateLimit], of name: String, clock: any TimerClock, _ outageHandler: OutageHandler
    ) -> any FleetRateLimiter
}

/// A circuit breaker that a fleet of machines shares.
package protocol FleetBreaker: AnyObject, Sendable {
    var status: CircuitBreakerStatus { get }

    func run<Value>(blaming blame: (any Error) -> APIError?, _ body: () async throws -> Value) async throws -> Value
}

/// A rate limiter that a fleet of machines shares.
package protocol FleetRateLimiter: AnyObject, Sendable {
    /// Waits for the call's turn.
    ///
    /// - Parameter left: The time that the call has left. If its turn comes later, the call fails at once.
    func enter(priority: CallPriority, within left: Duration?) async throws

    /// Delays the calls of all machines for a time, because the server has asked for it.
    func hold(for time: Duration)
}

/// The fleet of a tag's limits, and the name of the tag in it.
struct TagFleet: Sendable {
    let name: String
    let limits: any LimitFleet
    let outageHandler: OutageHandler

    func breaker(_ policy: CircuitBreakerPolicy, of route: String? = nil, over local: CircuitBreaker) -> any FleetBreaker {
        limits.breaker(policy, of: route.map { "\(name) route:\($0)" } ?? name, over: local, outageHandler)
    }

    func rateLimiter(_ rates: [RateLimit], clock: any TimerClock) -> any FleetRateLimiter {
        limits.rateLimiter(rates, of: name, clock: clock, outageHandler)
    }
}
