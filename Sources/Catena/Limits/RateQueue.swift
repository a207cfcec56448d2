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
    private var line = WaitingLine<Waiter>()
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
        if line.isEmpty, wait(at: now) == .zero {
            take(at: now)
            return .admitted
        }
        let expected = wait(at: now, behind: line.count)
        guard line.count < queueLimit, expected <= longestWait else { return .rejected(retryAfter: expected) }
        line.append(waiter, id: id, priority: priority)
        defer { isWakeDue = true }
        return .queued(wake: isWakeDue ? nil : wait(at: now))
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
