import Catena
import CatenaPromise

/// Limits the rate at which the calls of several machines begin. Calls that come too early wait.
///
/// Each machine has its own queue and reserves at most one future turn. The turn goes to the first call in the queue when it is due, so priorities
/// are kept and a cancelled call costs no turn. While the store cannot be reached, each machine uses its local limiter.
final class SharedRateLimiter: FleetRateLimiter {
    struct State: Sendable {
        var line = PriorityQueue<Waiter<Turn>>()
        var isServing = false
        /// Whether the last turn had to be waited for, so that the calls in line cannot begin at once.
        var isDrained = false
    }

    private enum Entry {
        /// The call is in line. If it is the first, it begins the service.
        case queued(isFirst: Bool)
        case rejected(retryAfter: Duration)
        case cancelled
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
    /// Empty buckets, which tell how long a line takes at least.
    private let buckets: [TokenBucket]
    private let local: RateLimiter
    private let clock: any TimerClock
    let state = Monitor(State())
    /// The id of the call that came last.
    private let lastID = AtomicCounter()

    init(_ limits: [RateLimit], of name: String, in access: SharedAccess, clock: any TimerClock) {
        self.access = access
        self.limits = limits
        buckets = limits.map { TokenBucket($0) }
        self.clock = clock
        key = "rate:\(name)"
        local = RateLimiter(limits, clock: clock)
    }

    func enter(priority: CallPriority, within left: Duration? = nil) async throws {
        let id = UInt64(lastID.add(1))
        let turn = try await waitCancellably { (waiter: Waiter<Turn>) in
            let entry: Entry = state.withLock { state in
                if Task.isCancelled { return .cancelled }
                let (others, isDrained) = (state.line.count(from: priority), state.isDrained)
                let expected = buckets.map { $0.leastWait(behind: others, isDrained: isDrained) }.max() ?? .zero
                guard expected <= Self.longestWait, left.map({ expected < $0 }) != false else { return .rejected(retryAfter: expected) }
                state.line.append(waiter, id: id, priority: priority)
                defer { state.isServing = true }
                return .queued(isFirst: !state.isServing)
            }
            switch entry {
            case .queued(let isFirst): if isFirst { serve() }
            case .rejected(let wait): waiter.resume(throwing: Self.rejection(retryAfter: wait))
            case .cancelled: waiter.resume(throwing: CancellationError())
            }
        } withdraw: { [self] in
            state.withLock { $0.line.remove(id) }
        }
        if turn == .local { try await local.enter(priority: priority, within: left) }
    }

    private static func rejection(retryAfter wait: Duration) -> APIError {
        .rejection(.rateLimited, "More calls than the rate of all machines allows", retryAfter: wait)
    }

    /// Delays the calls of all machines for a time, because the server has asked for it.
    func hold(for time: Duration) {
        local.hold(for: time)
        Task { _ = await change { rates, now in rates.hold(for: time, at: now) } }
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
                        resume(.max, with: .failure(Self.rejection(retryAfter: wait)))
                    case (let turns, let wait)?:
                        state.withLock { $0.isDrained = wait > .zero }
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
            if !state.isServing { state.isDrained = false }
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
            let lifetime = (limits.map(\.period).max() ?? .zero) + SharedRates.longestPause
            let isDone = try await store.replace(
                reading[0], with: try SharedValue.seal(rates, for: key), for: key, lifetime: min(lifetime, .seconds(86400 * 30)))
            return isDone ? .done(value) : .lost
        }
    }
}
