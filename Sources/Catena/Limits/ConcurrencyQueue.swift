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
    private var line = WaitingLine<Waiter>()
    /// How long a stay takes, as a moving average.
    private var usualStay: Duration?

    init(_ limit: ConcurrencyLimit) {
        self.limit = max(1, limit.limit)
        queueLimit = max(0, limit.queueLimit)
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
