/// Lets a bounded number of transfers to one origin run at a time, the others in the order in which they came. Pure.
///
/// The wait is here and not in the library below, whose own queue forgets about time limits.
struct OriginQueue<Transfer> {
    /// A class, so that an origin is looked up once for each step.
    private final class Lane {
        var running = 0
        var waiting: [Transfer?] = []
        var head = 0
    }

    private var lanes: [String: Lane] = [:]

    /// How many to the origin run.
    func running(to origin: String) -> Int { lanes[origin]?.running ?? 0 }

    /// Whether the transfer may start now; if not, it waits.
    mutating func enter(_ transfer: Transfer, to origin: String, limit: Int) -> Bool {
        let lane = lanes[origin] ?? addLane(for: origin)
        if lane.running < limit {
            lane.running += 1
            return true
        }
        lane.waiting.append(transfer)
        return false
    }

    private mutating func addLane(for origin: String) -> Lane {
        let lane = Lane()
        lanes[origin] = lane
        return lane
    }

    /// Ends a transfer that was running. Gives the one that takes its place, if there are not more than the limit, which may have become less.
    mutating func leave(_ origin: String, limit: Int) -> Transfer? {
        guard let lane = lanes[origin] else { return nil }
        while lane.running <= limit, lane.head < lane.waiting.count {
            let next = lane.waiting[lane.head].take()
            lane.head += 1
            if lane.head == lane.waiting.count {
                lane.waiting.removeAll(keepingCapacity: true)
                lane.head = 0
            }
            if let next { return next }
        }
        lane.running -= 1
        if lane.running == 0 { lanes[origin] = nil }
        return nil
    }
}
