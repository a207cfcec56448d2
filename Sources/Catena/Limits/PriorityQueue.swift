/// Which of the calls that wait for their turn goes first.
///
/// Calls of one priority go in the order in which they came. A lower one waits for as long as there are higher ones.
public enum CallPriority: Int, Sendable, Comparable, CaseIterable {
    /// Goes after all other calls.
    case low
    /// Goes before the low ones and after the high ones.
    case normal
    /// Goes before all other calls.
    case high

    public static func < (left: CallPriority, right: CallPriority) -> Bool { left.rawValue < right.rawValue }
}

/// Those who wait for their turn: by priority, then in the order in which they came. Pure.
///
/// Joining, leaving and being called cost the same however long the line is: who leaves is only forgotten, and the empty place is
/// swept once most places are empty.
struct PriorityQueue<Waiter: Sendable>: Sendable {
    private struct Lane {
        var places: [UInt64] = []
        var head = 0
        /// How many of the places from the head on are taken.
        var taken = 0
    }

    private var lanes = Array(repeating: Lane(), count: CallPriority.allCases.count)
    private var waiters: [UInt64: (waiter: Waiter, priority: CallPriority)] = [:]

    var count: Int { waiters.count }

    var isEmpty: Bool { waiters.isEmpty }

    mutating func append(_ waiter: Waiter, id: UInt64, priority: CallPriority) {
        waiters[id] = (waiter, priority)
        lanes[priority.rawValue].places.append(id)
        lanes[priority.rawValue].taken += 1
    }

    /// Takes somebody out of the line, wherever he stands.
    mutating func remove(_ id: UInt64) -> Waiter? {
        guard let (waiter, priority) = waiters.removeValue(forKey: id) else { return nil }
        lanes[priority.rawValue].taken -= 1
        sweep(priority.rawValue)
        return waiter
    }

    /// Calls whoever is next.
    mutating func popFirst() -> Waiter? {
        guard let index = lanes.lastIndex(where: { $0.taken > 0 }) else { return nil }
        while lanes[index].head < lanes[index].places.count {
            let id = lanes[index].places[lanes[index].head]
            lanes[index].head += 1
            guard let (waiter, _) = waiters.removeValue(forKey: id) else { continue }
            lanes[index].taken -= 1
            sweep(index)
            return waiter
        }
        return nil
    }

    private mutating func sweep(_ index: Int) {
        guard lanes[index].places.count > 32, lanes[index].places.count > 2 * lanes[index].taken else { return }
        lanes[index].places = lanes[index].places[lanes[index].head...].filter { waiters[$0] != nil }
        lanes[index].head = 0
    }
}
