import Catena
import CatenaPromise

/// Limits the rate at which the calls of several machines begin. Calls that come too early wait.
///
/// Each machine has its own queue and reserves at most one future turn. The turn goes to the first call in the queue when it is due, so priorities
/// are kept and a cancelled call costs no turn. While the store cannot be reached, each machine uses its local limiter.
final class SharedRateLimiter: FleetRateLimiter {
    struct State: Sendable {
        var line = PriorityQueue<Waiter<Turn>>()
        var nextID: UInt64 = 0
        var isServing = false
    }

    enum Turn: Sendable {
        case shared
        /// The store cannot be reached.
        case local
    }

    private static let longestWait = Duration.seconds(60)
    private let access: SharedAccess
    private let key: String
    private let limits: [RateLimit]
    private let local: RateLimiter
    private let clock: any TimerClock
    let state = Monitor(State())

    init(_ limits: [RateLimit], of name: String, in access: SharedAccess, clock: any TimerClock) {
        self.access = access
        self.limits = limits
        self.clock = clock
        key = "rate:\(name)"
        local = RateLimiter(limits, clock: clock)
    }

    func enter(priority: CallPriority) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let turn = try await waitCancellably { (waiter: Waiter<Turn>) in
            let begins: Bool? = state.withLock { state in
                if Task.isCancelled { return nil }
                state.line.append(waiter, id: id, priority: priority)
                defer { state.isServing = true }
                return !state.isServing
            }
            switch begins {
            case true?: serve()
            case false?: break
            case nil: waiter.resume(throwing: CancellationError())
            }
        } withdraw: { [self] in
            state.withLock { $0.line.remove(id) }
        }
        if turn == .local { try await local.enter(priority: priority) }
    }

    /// Delays the calls of all machines for a time, because the server has asked for it.
    func hold(for time: Duration) {
        local.hold(for: time)
        Task { _ = await change { rates, now in rates.hold(until: now + time) } }
    }

    /// Serves the queue until it is empty.
    private func serve() {
        let presence = CurrentCall.presence?.another()
        Task {
            await CurrentCall.$presence.withValue(presence) {
                while let most = mostTurns() {
                    let taken = await change { rates, now in
                        rates.take(limits, most: most, longestWait: Self.longestWait, at: now)
                    }
                    switch taken {
                    case nil: resume(.max, with: .success(.local))
                    case (0, let wait)?:
                        let error = APIError.rejection(.rateLimited, "More calls than the rate of all machines allows", retryAfter: wait)
                        resume(.max, with: .failure(error))
                    case (let turns, let wait)?:
                        try? await clock.sleep(for: wait)
                        resume(turns, with: .success(.shared))
                    }
                }
            }
        }
    }

    /// Returns the number of waiting calls, or `nil` if there are none, which ends the service.
    private func mostTurns() -> Int? {
        state.withLock { state in
            state.isServing = !state.line.isEmpty
            return state.isServing ? state.line.count : nil
        }
    }

    private func resume(_ count: Int, with result: Result<Turn, any Error>) {
        let waiters = state.withLock { state in
            (0..<min(count, state.line.count)).compactMap { _ in state.line.popFirst() }
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    /// Changes the shared rates. Returns `nil` if the store cannot be reached or other machines won every try.
    private func change<Value: Sendable>(_ body: (inout SharedRates, Duration) -> Value) async -> Value? {
        await access.change { store in
            let reading = try await store.read([key])
            var rates = SharedValue.open(reading[0], of: key, as: SharedRates.self) ?? SharedRates()
            let value = body(&rates, reading.time)
            let lifetime = (limits.map(\.period).max() ?? .zero) + Self.longestWait * 2
            let isDone = try await store.replace(
                reading[0], with: try SharedValue.seal(rates, for: key), for: key, lifetime: min(lifetime, .seconds(86400 * 30)))
            return isDone ? .done(value) : .lost
        }
    }
}
