/// How many calls may begin in a period.
///
/// ```swift
/// RateLimit(10, per: .seconds(1))                // 10 at once, then one every 100 ms
/// RateLimit(10, per: .seconds(1), burst: 1)      // one every 100 ms from the start
/// ```
public struct RateLimit: Sendable, Equatable {
    /// How many calls may begin in each period; less than one counts as one.
    public var count: Int
    /// The length of the period.
    public var period: Duration
    /// How many calls may begin at once after a pause.
    public var burst: Int

    /// Makes a limit on how many calls may begin in a period.
    ///
    /// - Parameters:
    ///   - count: How many calls may begin in each period.
    ///   - period: The length of the period.
    ///   - burst: How many calls may begin at once after a pause: as many as in a whole period unless given.
    public init(_ count: Int, per period: Duration, burst: Int? = nil) {
        self.count = count
        self.period = period
        self.burst = burst ?? count
    }
}

/// Lets calls begin at a bounded rate; those that come too early wait.
final class RateLimiter: Sendable {
    struct State: Sendable {
        var queue: RateQueue<Waiter<Void>>
        var nextID: UInt64 = 0
    }

    private let clock: any TimerClock
    let state: Monitor<State>

    /// - Parameters:
    ///   - limits: All of them hold.
    ///   - queueLimit: How many calls may wait.
    ///   - longestWait: A call that would wait longer is turned away at once.
    init(_ limits: [RateLimit], queueLimit: Int = .max, longestWait: Duration = .seconds(60), clock: any TimerClock) {
        self.clock = clock
        state = Monitor(State(queue: RateQueue(limits, queueLimit: queueLimit, longestWait: longestWait)))
    }

    /// Waits for the turn. Cancelling the task ends the wait at once and costs nobody else anything.
    func enter(priority: CallPriority) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await waitCancellably { turn in
            let entry = state.withLock { Task.isCancelled ? nil : $0.queue.enter(turn, id: id, priority: priority, at: clock.now) }
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

    /// Lets a call begin if it need not wait for its turn; gives whether it may.
    func enterIfFree() -> Bool { state.withLock { $0.queue.enterIfFree(at: clock.now) } }

    /// Lets nothing begin for a while, since the server has asked for that.
    func hold(for time: Duration) {
        state.withLock { $0.queue.hold(until: clock.now + time) }
    }

    /// Sleeps, since somebody waits for it: a limit that may never strike would not move the clock of a test.
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

/// Lets callers in at the rate that all buckets allow, the others in their turn. Pure.
struct RateQueue<Waiter: Sendable>: Sendable {
    enum Entry: Equatable {
        case admitted
        /// The caller waits; if there is a time, ``advance(to:)`` is due after it.
        case queued(wake: Duration?)
        case rejected(retryAfter: Duration)
    }

    private var buckets: [TokenBucket]
    private let queueLimit: Int
    private let longestWait: Duration
    private var line = PriorityQueue<Waiter>()
    /// Nobody is let in before this moment.
    private var held = Duration.zero
    private var isWakeDue = false

    init(_ limits: [RateLimit], queueLimit: Int, longestWait: Duration) {
        buckets = limits.map(TokenBucket.init)
        self.queueLimit = max(0, queueLimit)
        self.longestWait = longestWait
    }

    var waiting: Int { line.count }

    mutating func enter(_ waiter: Waiter, id: UInt64, priority: CallPriority, at now: Duration) -> Entry {
        if enterIfFree(at: now) { return .admitted }
        let expected = wait(at: now, behind: line.count)
        guard line.count < queueLimit, expected <= longestWait else { return .rejected(retryAfter: expected) }
        line.append(waiter, id: id, priority: priority)
        defer { isWakeDue = true }
        return .queued(wake: isWakeDue ? nil : wait(at: now))
    }

    /// Lets a caller in whose turn it is already; gives whether it is.
    mutating func enterIfFree(at now: Duration) -> Bool {
        guard line.isEmpty, wait(at: now) == .zero else { return false }
        take(at: now)
        return true
    }

    /// Takes somebody out of the line; `nil` if he does not stand in it.
    mutating func withdraw(_ id: UInt64) -> Waiter? { line.remove(id) }

    /// Gives those whose turn has come, and the time after which the next one is due.
    mutating func advance(to now: Duration) -> (admitted: [Waiter], wake: Duration?) {
        var admitted: [Waiter] = []
        while wait(at: now) == .zero, let next = line.popFirst() {
            take(at: now)
            admitted.append(next)
        }
        isWakeDue = !line.isEmpty
        return (admitted, isWakeDue ? wait(at: now) : nil)
    }

    /// Lets nobody in for a while, since the server has asked for that.
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

/// A bucket that fills at a steady rate and gives one token to each call. Pure.
///
/// Kept as the moment at which it will be full again, which is exact where counting tokens would have to round (the "generic cell
/// rate algorithm").
struct TokenBucket {
    /// The time that one token takes.
    let interval: Duration
    /// How far the moment of fullness may lie ahead while there still is a token.
    private let tolerance: Duration
    private(set) var full: Duration?

    /// Limits that keep every product within what a `Duration` holds.
    private static let most = 1_000_000_000
    private static let longestPeriod = Duration.seconds(365 * 24 * 3600)

    init(_ limit: RateLimit) {
        interval = min(max(limit.period, .zero), Self.longestPeriod) / min(max(limit.count, 1), Self.most)
        tolerance = interval * (min(max(limit.burst, 1), Self.most) - 1)
    }

    /// A bucket that goes on, unless its moment of fullness is further ahead than a wait until `latest` can have brought about.
    init(_ limit: RateLimit, full: Duration?, notAfter latest: Duration) {
        self.init(limit)
        if let full, full <= latest + tolerance + interval { self.full = full }
    }

    /// How long it takes until there is a token.
    func wait(at now: Duration) -> Duration {
        guard let full else { return .zero }
        return max(full - tolerance - now, .zero)
    }

    mutating func take(at now: Duration) {
        full = max(full ?? now, now) + interval
    }
}
