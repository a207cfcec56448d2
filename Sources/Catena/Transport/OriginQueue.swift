/// Limits the number of simultaneous transfers to one origin. Further transfers wait in the order of their arrival. Pure.
///
/// Transfers wait here and not in libcurl, because libcurl's queue ignores time limits.
struct OriginQueue<Transfer> {
    /// A class, so that each step looks up the origin only once.
    private final class Lane {
        var running = 0
        var waiting: [Transfer?] = []
        var head = 0
    }

    private let limit: Int
    private var lanes: [String: Lane] = [:]

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Returns whether the transfer may start now; otherwise it waits.
    mutating func enter(_ transfer: Transfer, to origin: String) -> Bool {
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

    /// Ends a running transfer, and returns the waiting one that takes its place.
    mutating func leave(_ origin: String) -> Transfer? {
        guard let lane = lanes[origin] else { return nil }
        while lane.head < lane.waiting.count {
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
