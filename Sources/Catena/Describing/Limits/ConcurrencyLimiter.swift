/// The maximum number of concurrent calls, and of calls that wait.
///
/// ```swift
/// ConcurrencyLimit(4, maxWaiting: 100)
/// ```
public struct ConcurrencyLimit: Sendable, Equatable {
    /// The maximum number of concurrent calls. Values below one count as one.
    public var limit: Int
    /// The maximum number of calls that wait. Further calls fail with ``APIError/Kind/overloaded``.
    public var maxWaiting: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of concurrent calls.
    ///   - maxWaiting: The maximum number of calls that wait.
    public init(_ limit: Int, maxWaiting: Int = .max) {
        self.limit = limit
        self.maxWaiting = maxWaiting
    }
}

extension ConcurrencyLimit: ExpressibleByIntegerLiteral {
    /// Creates a limit from a number: `maxConcurrentCalls = 20`. Numbers below one count as one.
    public init(integerLiteral value: Int) { self.init(value) }
}

/// Limits the number of concurrent calls.
final class ConcurrencyLimiter: Sendable {
    struct State: Sendable {
        var queue: ConcurrencyQueue<Waiter<Void>>
    }

    private let clock: any TimerClock
    let state: Monitor<State>
    /// The id of the call that came last.
    private let lastID = AtomicCounter()

    init(_ limit: ConcurrencyLimit, clock: any TimerClock) {
        self.clock = clock
        state = Monitor(State(queue: ConcurrencyQueue(limit)))
    }

    /// The numbers of running and waiting calls.
    var load: (running: Int, waiting: Int) { state.withLock { ($0.queue.running, $0.queue.waiting) } }

    /// Waits for a place. Cancelling the task ends the wait at once.
    func enter(priority: CallPriority) async throws -> ConcurrencyPlace {
        try await wait(priority)
        return ConcurrencyPlace(of: self)
    }

    /// Takes a place without waiting, or returns `nil` if none is free.
    func enterIfFree() -> ConcurrencyPlace? { state.withLock { $0.queue.enterIfFree() } ? ConcurrencyPlace(of: self) : nil }

    /// The time of the clock, for the duration of a stay.
    fileprivate var now: Duration { clock.now }

    fileprivate func leave(after stay: Duration) {
        let next = state.withLock { $0.queue.leave(after: stay) }
        next?.resume()
    }

    private func wait(_ priority: CallPriority) async throws {
        let id = UInt64(lastID.add(1))
        try await waitCancellably { turn in
            let entry = state.withLock { Task.isCancelled ? nil : $0.queue.enter(turn, id: id, priority: priority) }
            switch entry {
            case .admitted: turn.resume()
            case .queued: break
            case .rejected(let retryAfter):
                turn.resume(throwing: APIError.rejection(.overloaded, "Too many calls wait already", retryAfter: retryAfter))
            case nil: turn.resume(throwing: CancellationError())
            }
        } withdraw: { [self] in
            state.withLock { $0.queue.withdraw(id) }
        }
    }
}

/// A place among the running calls. It is given up once, by `leave()` or when it is released, because a call may be stopped just as it gets
/// its place.
final class ConcurrencyPlace: Sendable {
    private let hasLeft = AtomicFlag()
    private let limiter: ConcurrencyLimiter
    private let start: Duration

    fileprivate init(of limiter: ConcurrencyLimiter) {
        (self.limiter, start) = (limiter, limiter.now)
    }

    deinit { leave() }

    func leave() {
        guard !hasLeft.set() else { return }
        limiter.leave(after: limiter.now - start)
    }
}

/// Admits a limited number of entries and queues the others. It has no side effects.
struct ConcurrencyQueue<Waiter: Sendable>: Sendable {
    enum Entry: Equatable {
        case admitted
        case queued
        /// The queue is full. The time is an estimate from earlier stays, or `nil` before the first one has ended.
        case rejected(retryAfter: Duration?)
    }

    private let limit: Int
    private let queueLimit: Int
    private(set) var running = 0
    private var line = PriorityQueue<Waiter>()
    /// The moving average of the duration of a stay.
    private var usualStay: Duration?

    init(_ limit: ConcurrencyLimit) {
        self.limit = max(1, limit.limit)
        queueLimit = max(0, limit.maxWaiting)
    }

    var waiting: Int { line.count }

    mutating func enter(_ waiter: Waiter, id: UInt64, priority: CallPriority) -> Entry {
        if running < limit {
            running += 1
            return .admitted
        }
        guard line.count < queueLimit else {
            return .rejected(retryAfter: usualStay.map { $0 * (line.count / limit + 1) })
        }
        line.append(waiter, id: id, priority: priority)
        return .queued
    }

    /// Admits a caller without queueing it. Returns `false` if no place is free.
    mutating func enterIfFree() -> Bool {
        guard running < limit else { return false }
        running += 1
        return true
    }

    /// Removes a waiter from the queue and returns it, or `nil` if it is not queued.
    mutating func withdraw(_ id: UInt64) -> Waiter? { line.remove(id) }

    /// Ends a stay. Returns the waiter that takes over the place, or `nil` if none is queued.
    mutating func leave(after stay: Duration) -> Waiter? {
        usualStay = usualStay.map { $0 + .nanoseconds((stay - $0).nanoseconds / 8) } ?? stay
        if let next = line.popFirst() { return next }
        running -= 1
        return nil
    }
}
