import Synchronization

/// Leaves a backend alone that keeps failing.
final class CircuitBreaker: Sendable {
    private let policy: CircuitBreakerPolicy
    private let clock: any TimerClock
    private let state: Mutex<CircuitBreakerState>

    init(_ policy: CircuitBreakerPolicy, clock: any TimerClock) {
        self.policy = policy
        self.clock = clock
        state = Mutex(CircuitBreakerState(policy))
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Runs `body` if the backend is not to be left alone, and learns from how it ends.
    ///
    /// - Parameter isHeeded: Whether an error is one of the backend's.
    func run<Value>(heeding isHeeded: (APIError) -> Bool = { _ in true }, _ body: () async throws -> Value) async throws -> Value {
        let pass: CircuitBreakerState.Pass
        switch state.withLock({ $0.enter(at: clock.now) }) {
        case .admitted(let admitted): pass = admitted
        case .rejected(let retryAfter):
            throw APIError.rejection(.circuitOpen, "The backend has failed too often and is left alone", retryAfter: retryAfter)
        }
        do {
            let value = try await body()
            leave(pass, .well)
            return value
        } catch {
            let isForeign = (error as? APIError).map { !isHeeded($0) } ?? false
            leave(pass, isForeign ? .unknown : .of(error, codes: policy.codes))
            throw error
        }
    }

    private func leave(_ pass: CircuitBreakerState.Pass, _ health: CallHealth) {
        state.withLock { $0.leave(pass, health, at: clock.now) }
    }
}
