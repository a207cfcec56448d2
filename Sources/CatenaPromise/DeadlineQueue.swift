/// A queue of actions by deadline, which also computes when a timer must fire. Finding the earliest action takes constant time.
struct DeadlineQueue<Deadline: Comparable & Sendable, Action: Sendable>: Sendable {
    private struct Entry: HeapEntry {
        let key: Deadline
        let id: Int

        func moved(to index: Int) {}
    }

    private var heap = BinaryHeap<Entry>()
    private var actions: [Int: Action] = [:]
    private var nextID = 0
    /// The later times at which the timer will fire, each earlier than the one before. Usually one; more if shorter waits were added after longer
    /// ones.
    private var wakes: [Deadline] = []

    /// Adds an action. If `mustWake`, the timer must be set for its deadline.
    mutating func add(_ action: Action, at deadline: Deadline, now: Deadline) -> (id: Int, mustWake: Bool) {
        let id = nextID
        nextID += 1
        actions[id] = action
        heap.add(Entry(key: deadline, id: id))
        return (id, mustWake(at: deadline, now: now))
    }

    /// Removes an action and returns it, to be released outside the lock. Its heap entry is swept once most entries are empty.
    mutating func remove(_ id: Int) -> Action? {
        let action = actions.removeValue(forKey: id)
        sweep()
        return action
    }

    /// Returns the actions that are due after the timer has fired, in the order of their deadlines, and the next time for the timer.
    mutating func fire(_ wake: Deadline, now: Deadline) -> (due: [Action], next: Deadline?) {
        if let index = wakes.lastIndex(of: wake) { wakes.remove(at: index) }
        var due: [Action] = []
        while let first = heap.first, first.key <= now || actions[first.id] == nil {
            heap.remove(at: 0)
            if let action = actions.removeValue(forKey: first.id) { due.append(action) }
        }
        guard let next = heap.first?.key, mustWake(at: next, now: now) else { return (due, nil) }
        return (due, next)
    }

    /// Returns whether the timer must be set for `deadline`, and notes that. The last wake is the earliest.
    private mutating func mustWake(at deadline: Deadline, now: Deadline) -> Bool {
        // A wake that is due may come late by any time, because the timer stands still while the machine sleeps.
        while let earliest = wakes.last, earliest <= now { wakes.removeLast() }
        if let earliest = wakes.last, earliest <= deadline { return false }
        wakes.append(deadline)
        return true
    }

    /// Rebuilds the heap once most of its entries have no action.
    private mutating func sweep() {
        guard heap.count > 64, heap.count > 2 * actions.count else { return }
        heap.keep { actions[$0.id] != nil }
    }
}
