/// The priority of a call that waits for a limit.
///
/// Calls of the same priority run in the order of their arrival. A lower priority waits as long as higher ones are queued.
public enum CallPriority: Int, Sendable, Comparable, CaseIterable {
    /// Runs after all other calls.
    case low
    /// Runs before calls of low priority and after calls of high priority.
    case normal
    /// Runs before all other calls.
    case high

    public static func < (left: CallPriority, right: CallPriority) -> Bool { left.rawValue < right.rawValue }
}

/// A queue of waiters, ordered by priority and then by arrival. It has no side effects.
///
/// All operations take amortized constant time. Removing a waiter leaves an empty place; the empty places are removed once they are the majority.
package struct PriorityQueue<Waiter: Sendable>: Sendable {
    private struct Line {
        var places: [UInt64] = []
        var head = 0
        /// The number of occupied places from the head on.
        var taken = 0
    }

    private var lines = Array(repeating: Line(), count: CallPriority.allCases.count)
    private var waiters: [UInt64: (waiter: Waiter, priority: CallPriority)] = [:]

    package init() {}

    package var count: Int { waiters.count }

    package var isEmpty: Bool { waiters.isEmpty }

    /// Returns the number of waiters before which a new one of this priority would not run.
    package func count(from priority: CallPriority) -> Int { lines[priority.rawValue...].reduce(0) { $0 + $1.taken } }

    package mutating func append(_ waiter: Waiter, id: UInt64, priority: CallPriority) {
        waiters[id] = (waiter, priority)
        lines[priority.rawValue].places.append(id)
        lines[priority.rawValue].taken += 1
    }

    /// Removes a waiter from any place of the queue.
    package mutating func remove(_ id: UInt64) -> Waiter? {
        guard let (waiter, priority) = waiters.removeValue(forKey: id) else { return nil }
        lines[priority.rawValue].taken -= 1
        sweep(priority.rawValue)
        return waiter
    }

    /// Removes the next waiter and returns it.
    package mutating func popFirst() -> Waiter? {
        guard let index = lines.lastIndex(where: { $0.taken > 0 }) else { return nil }
        while lines[index].head < lines[index].places.count {
            let id = lines[index].places[lines[index].head]
            lines[index].head += 1
            guard let (waiter, _) = waiters.removeValue(forKey: id) else { continue }
            lines[index].taken -= 1
            sweep(index)
            return waiter
        }
        return nil
    }

    private mutating func sweep(_ index: Int) {
        guard lines[index].places.count > 32, lines[index].places.count > 2 * lines[index].taken else { return }
        lines[index].places = lines[index].places[lines[index].head...].filter { waiters[$0] != nil }
        lines[index].head = 0
    }
}
