/// What waits for a deadline, and when a timer has to fire for it. The earliest is found at once, whatever the order of arrival.
struct DeadlineQueue<Deadline: Comparable & Sendable, Action: Sendable>: Sendable {
    private struct Entry {
        let deadline: Deadline
        let id: UInt64
    }

    private var heap: [Entry] = []
    private var actions: [UInt64: Action] = [:]
    private var nextID: UInt64 = 0
    /// When the timer will fire. Usually one moment; more if shorter waits came after longer ones, and then each earlier than the one
    /// before it.
    private var wakes: [Deadline] = []

    /// Adds an action. The timer has to be set for its deadline if `mustWake`.
    mutating func add(_ action: Action, at deadline: Deadline) -> (id: UInt64, mustWake: Bool) {
        let id = nextID
        nextID += 1
        actions[id] = action
        push(Entry(deadline: deadline, id: id))
        return (id, mustWake(at: deadline))
    }

    /// Drops an action, and hands it out to be released outside the lock. Its place is swept once most places are empty.
    mutating func remove(_ id: UInt64) -> Action? {
        let action = actions.removeValue(forKey: id)
        sweep()
        return action
    }

    /// Hands out what is due now that the timer has fired, in the order of the deadlines, and when it has to be set for next.
    mutating func fire(_ wake: Deadline, now: Deadline) -> (due: [Action], next: Deadline?) {
        if let index = wakes.lastIndex(of: wake) { wakes.remove(at: index) }
        var due: [Action] = []
        while let first = heap.first, first.deadline <= now || actions[first.id] == nil {
            pop()
            if let action = actions.removeValue(forKey: first.id) { due.append(action) }
        }
        guard let next = heap.first?.deadline, mustWake(at: next) else { return (due, nil) }
        return (due, next)
    }

    /// Notes that the timer will fire at `deadline`, unless it fires earlier anyway. The last wake is the earliest.
    private mutating func mustWake(at deadline: Deadline) -> Bool {
        if let earliest = wakes.last, earliest <= deadline { return false }
        wakes.append(deadline)
        return true
    }

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0, heap[(index - 1) / 2].deadline > heap[index].deadline {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func pop() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].deadline < heap[smallest].deadline {
                smallest = child
            }
            if smallest == index { return }
            heap.swapAt(index, smallest)
            index = smallest
        }
    }

    /// Rebuilds the heap from what is still wanted once most of it is not.
    private mutating func sweep() {
        guard heap.count > 64, heap.count > 2 * actions.count else { return }
        // Ascending order is a heap.
        heap = heap.filter { actions[$0.id] != nil }.sorted { $0.deadline < $1.deadline }
    }
}
