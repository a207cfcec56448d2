/// How many calls may be active at the same time, and how many may wait.
///
/// ```swift
/// ConcurrencyLimit(4, maxWaiting: 100)
/// ```
public struct ConcurrencyLimit: Sendable, Equatable {
    /// How many calls may run at a time; less than one counts as one.
    public var limit: Int
    /// How many more may wait; further ones fail with ``APIError/Kind/overloaded``.
    public var maxWaiting: Int

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - limit: How many calls may run at a time.
    ///   - maxWaiting: How many more may wait.
    public init(_ limit: Int, maxWaiting: Int = .max) {
        self.limit = limit
        self.maxWaiting = maxWaiting
    }
}

/// Lets a bounded number of calls run at a time.
final class ConcurrencyLimiter: Sendable {
    struct State: Sendable {
        var queue: ConcurrencyQueue<Waiter<Void>>
        var nextID: UInt64 = 0
    }

    private let clock: any TimerClock
    let state: Monitor<State>

    init(_ limit: ConcurrencyLimit, clock: any TimerClock) {
        self.clock = clock
        state = Monitor(State(queue: ConcurrencyQueue(limit)))
    }

    /// How many run and how many wait.
    var load: (running: Int, waiting: Int) { state.withLock { ($0.queue.running, $0.queue.waiting) } }

    /// Waits for a place. Cancelling the task ends the wait at once.
    func enter(priority: CallPriority) async throws -> ConcurrencyPlace {
        try await wait(priority)
        return place()
    }

    /// Takes a place if there is one that nobody waits for.
    func enterIfFree() -> ConcurrencyPlace? { state.withLock { $0.queue.enterIfFree() } ? place() : nil }

    private func place() -> ConcurrencyPlace {
        ConcurrencyPlace { [self, start = clock.now] in
            let next = state.withLock { $0.queue.leave(after: clock.now - start) }
            next?.resume()
        }
    }

    private func wait(_ priority: CallPriority) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
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

/// A place among the calls that run, until it is given back. Several may see that its call has ended; the place is given back once.
final class ConcurrencyPlace: Sendable {
    private let hasLeft = AtomicFlag()
    private let leaving: @Sendable () -> Void

    init(leaving: @escaping @Sendable () -> Void) {
        self.leaving = leaving
    }

    func leave() {
        guard !hasLeft.set() else { return }
        leaving()
    }
}

/// Lets a bounded number in at a time, the others in their turn. Pure.
struct ConcurrencyQueue<Waiter: Sendable>: Sendable {
    enum Entry: Equatable {
        case admitted
        case queued
        /// Too many wait already. The time is a guess from how long those before took; `nil` if none has ended yet.
        case rejected(retryAfter: Duration?)
    }

    private let limit: Int
    private let queueLimit: Int
    private(set) var running = 0
    private var line = PriorityQueue<Waiter>()
    /// How long a stay takes, as a moving average.
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

    /// Lets somebody in who does not wait; gives whether there was a place.
    mutating func enterIfFree() -> Bool {
        guard running < limit else { return false }
        running += 1
        return true
    }

    /// Takes somebody out of the line; `nil` if he does not stand in it.
    mutating func withdraw(_ id: UInt64) -> Waiter? { line.remove(id) }

    /// Ends a stay. Gives the one who takes the place.
    mutating func leave(after stay: Duration) -> Waiter? {
        usualStay = usualStay.map { $0 + (stay - $0) / 8 } ?? stay
        if let next = line.popFirst() { return next }
        running -= 1
        return nil
    }
}
