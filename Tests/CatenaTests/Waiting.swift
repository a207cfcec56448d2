@testable import Catena
@testable import CatenaFleet

extension ConcurrencyLimiter {
    /// Waits until so many run and wait as the condition says.
    func reached(_ condition: @escaping @Sendable ((running: Int, waiting: Int)) -> Bool) async {
        await state.wait { condition(($0.queue.running, $0.queue.waiting)) }
    }
}

extension RateLimiter {
    /// Waits until so many wait.
    func waiting(_ count: Int) async {
        await state.wait { $0.queue.waiting == count }
    }
}

extension SharedRateLimiter {
    /// Waits until so many wait.
    func waiting(_ count: Int) async {
        await state.wait { $0.line.count == count }
    }
}

extension SingleFlight {
    /// Waits until so many wait for the results of these keys.
    func waiters(of keys: Key..., count: Int) async { await waiters(of: keys, count: count) }

    func waiters(of keys: [Key], count: Int) async {
        await state.wait { state in keys.reduce(0) { $0 + state.table.waiters(of: $1) } == count }
    }

    /// Waits until nothing is in progress.
    func becameIdle() async {
        await state.wait { $0.table.isEmpty }
    }
}

extension Authentication {
    /// Waits until so many wait for the refresh of the present credential.
    func waiting(_ count: Int) async {
        let generation = state.withLock { $0.credentials.generation }
        await flights.state.wait { $0.table.waiters(of: generation) == count }
    }

    /// Waits until a credential is in use that meets a condition.
    func holds(_ condition: @escaping @Sendable (Scheme.Credential) -> Bool) async {
        await state.wait { $0.credentials.credential.map(condition) == true }
    }
}

extension Client {
    /// Waits until no call is in progress.
    func hasNoCalls() async {
        await registry.state.wait { $0.calls.isEmpty }
    }
}
