/// Lets a bounded number of transfers to one origin run at a time, the others in the order in which they came. Pure.
///
/// The wait is here and not in the library below, whose own queue forgets about time limits.
struct OriginQueue<Transfer> {
    private struct Lane {
        var running = 0
        var waiting: [Transfer?] = []
        var head = 0
    }

    private let limit: Int
    private var lanes: [String: Lane] = [:]

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Whether the transfer may start now; if not, it waits.
    mutating func enter(_ transfer: Transfer, to origin: String) -> Bool {
        if lanes[origin, default: Lane()].running < limit {
            lanes[origin, default: Lane()].running += 1
            return true
        }
        lanes[origin, default: Lane()].waiting.append(transfer)
        return false
    }

    /// Ends a transfer that was running. Gives the one that takes its place.
    mutating func leave(_ origin: String) -> Transfer? {
        guard var lane = lanes.removeValue(forKey: origin) else { return nil }
        while lane.head < lane.waiting.count {
            let next = lane.waiting[lane.head].take()
            lane.head += 1
            if lane.head == lane.waiting.count {
                lane.waiting.removeAll(keepingCapacity: true)
                lane.head = 0
            }
            if let next {
                lanes[origin] = lane
                return next
            }
        }
        lane.running -= 1
        if lane.running > 0 { lanes[origin] = lane }
        return nil
    }
}
