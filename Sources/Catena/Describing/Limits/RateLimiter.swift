/// The maximum number of calls that may begin in a period.
///
/// ```swift
/// RateLimit(10, per: .seconds(1))                // 10 at once, then one every 100 ms
/// RateLimit(10, per: .seconds(1), burst: 1)      // one every 100 ms from the start
/// ```
public struct RateLimit: Sendable, Equatable {
    /// The maximum number of calls that may begin in each period. Values below one count as one.
    public var count: Int
    /// The length of the period.
    public var period: Duration
    /// The maximum number of calls that may begin at once after a pause.
    public var burst: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - count: The maximum number of calls that may begin in each period.
    ///   - period: The length of the period.
    ///   - burst: The maximum number of calls that may begin at once after a pause, by default `count`.
    public init(_ count: Int, per period: Duration, burst: Int? = nil) {
        self.count = count
        self.period = period
        self.burst = burst ?? count
    }
}

/// Limits the rate at which calls begin. Calls that come too early wait.
package final class RateLimiter: Sendable {
    struct State: Sendable {
        var queue: RateQueue<Waiter<Void>>
    }

    private let clock: any TimerClock
    let state: Monitor<State>
    /// The id of the call that came last.
    private let lastID = AtomicCounter()

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - limits: The limits, all of which apply.
    ///   - queueLimit: The maximum number of calls that wait.
    ///   - longestWait: The maximum wait. A call that would wait longer fails at once.
    package init(_ limits: [RateLimit], queueLimit: Int = .max, longestWait: Duration = .seconds(60), clock: any TimerClock) {
        self.clock = clock
        state = Monitor(State(queue: RateQueue(limits, queueLimit: queueLimit, longestWait: longestWait)))
    }

    /// Waits for the call's turn. Cancelling the task ends the wait at once, and does not use up a turn.
    ///
    /// - Parameter left: The time that the call has left. If its turn comes later, the call fails at once.
    package func enter(priority: CallPriority, within left: Duration? = nil) async throws {
        let id = UInt64(lastID.add(1))
        try await waitCancellably { turn in
            let entry = state.withLock {
                Task.isCancelled ? nil : $0.queue.enter(turn, id: id, priority: priority, within: left, at: clock.now)
            }
            switch entry {
            case .admitted: turn.resume()
            case .queued(let wake): if let wake { schedule(wake) }
            case .rejected(let retryAfter):
                turn.resume(throwing: APIError.rejection(.rateLimited, "More calls than the rate allows", retryAfter: retryAfter))
            case nil: turn.resume(throwing: CancellationError())
            }
        } withdraw: { [self] in
            state.withLock { $0.queue.withdraw(id) }
        }
    }

    /// Lets a call begin without waiting. Returns `false` if it would have to wait.
    func enterIfFree() -> Bool { state.withLock { $0.queue.enterIfFree(at: clock.now) } }

    /// Delays all calls for a time, because the server has asked for it.
    package func hold(for time: Duration) {
        state.withLock { $0.queue.hold(until: clock.now + time) }
    }

    /// Sleeps until the next turn. Starts only when a call waits, because an unneeded sleep would move a test's virtual clock.
    private func schedule(_ delay: Duration) {
        let presence = CurrentCall.presence?.another()
        Task {
            await CurrentCall.$presence.withValue(presence) {
                try? await clock.sleep(for: delay)
                let (admitted, wake) = state.withLock { $0.queue.advance(to: clock.now) }
                for turn in admitted { turn.resume() }
                if let wake { schedule(wake) }
            }
        }
    }
}

/// Admits callers at the rate that all buckets allow, and queues the others. It has no side effects.
struct RateQueue<Waiter: Sendable>: Sendable {
    enum Entry: Equatable {
        case admitted
        /// The caller is queued. If there is a time, the caller must call ``advance(to:)`` after it.
        case queued(wake: Duration?)
        case rejected(retryAfter: Duration)
    }

    private var buckets: [TokenBucket]
    private let queueLimit: Int
    private let longestWait: Duration
    private var line = PriorityQueue<Waiter>()
    /// The moment before which no caller is admitted.
    private var held = Duration.zero
    private var isWakeDue = false

    init(_ limits: [RateLimit], queueLimit: Int, longestWait: Duration) {
        buckets = limits.map(TokenBucket.init)
        self.queueLimit = max(0, queueLimit)
        self.longestWait = longestWait
    }

    var waiting: Int { line.count }

    mutating func enter(_ waiter: Waiter, id: UInt64, priority: CallPriority, within left: Duration? = nil, at now: Duration) -> Entry {
        if enterIfFree(at: now) { return .admitted }
        let expected = wait(at: now, behind: line.count(from: priority))
        guard line.count < queueLimit, expected <= longestWait, left.map({ expected < $0 }) != false else {
            return .rejected(retryAfter: expected)
        }
        line.append(waiter, id: id, priority: priority)
        defer { isWakeDue = true }
        return .queued(wake: isWakeDue ? nil : wait(at: now))
    }

    /// Admits a caller without queueing it. Returns `false` if it has to wait.
    mutating func enterIfFree(at now: Duration) -> Bool {
        guard line.isEmpty, wait(at: now) == .zero else { return false }
        take(at: now)
        return true
    }

    /// Removes a waiter from the queue and returns it, or `nil` if it is not queued.
    mutating func withdraw(_ id: UInt64) -> Waiter? { line.remove(id) }

    /// Returns the waiters whose turn has come, and the time until the next turn is due.
    mutating func advance(to now: Duration) -> (admitted: [Waiter], wake: Duration?) {
        var admitted: [Waiter] = []
        while wait(at: now) == .zero, let next = line.popFirst() {
            take(at: now)
            admitted.append(next)
        }
        isWakeDue = !line.isEmpty
        return (admitted, isWakeDue ? wait(at: now) : nil)
    }

    /// Admits no caller before this moment, because the server has asked for it.
    mutating func hold(until moment: Duration) {
        held = max(held, moment)
    }

    private func wait(at now: Duration, behind others: Int = 0) -> Duration {
        buckets.reduce(max(held - now, .zero)) { longest, bucket in max(longest, bucket.wait(at: now) + bucket.interval * others) }
    }

    private mutating func take(at now: Duration) {
        for index in buckets.indices { buckets[index].take(at: now) }
    }
}

/// A token bucket, which fills at a steady rate and provides one token per call. It has no side effects.
///
/// Stores the moment at which it will be full again, because counting tokens would need rounding (the "generic cell rate algorithm").
package struct TokenBucket {
    /// The time in which one token is added.
    let interval: Duration
    /// The maximum time until the bucket is full at which it still contains a token.
    private let tolerance: Duration
    package private(set) var full: Duration?

    /// Limits that keep every product within the range of `Duration`.
    private static let most = 1_000_000_000
    private static let longestPeriod = Duration.seconds(365 * 24 * 3600)

    package init(_ limit: RateLimit) {
        interval = min(max(limit.period, .zero), Self.longestPeriod) / min(max(limit.count, 1), Self.most)
        tolerance = interval * (min(max(limit.burst, 1), Self.most) - 1)
    }

    /// Creates a bucket from a stored moment. Ignores a moment that is later than a wait until `latest` allows.
    package init(_ limit: RateLimit, full: Duration?, notAfter latest: Duration) {
        self.init(limit)
        if let full, full <= latest + tolerance + interval { self.full = full }
    }

    /// Returns the least time until a token is available for a caller behind others.
    ///
    /// - Parameter isDrained: Whether the bucket has no tokens in reserve.
    package func leastWait(behind others: Int, isDrained: Bool) -> Duration {
        max(interval * others - (isDrained ? .zero : tolerance), .zero)
    }

    /// Returns the time until a token is available.
    package func wait(at now: Duration) -> Duration {
        guard let full else { return .zero }
        return max(full - tolerance - now, .zero)
    }

    package mutating func take(at now: Duration) {
        full = max(full ?? now, now) + interval
    }
}
