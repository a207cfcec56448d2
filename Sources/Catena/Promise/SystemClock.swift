import Dispatch
import Synchronization

/// The clock of the machine: any number of waits on one timer.
///
/// Nearly every wait is a time limit that is given up again, so giving up is what has to be cheap: the action is dropped, and its
/// place in the heap is swept once most places are empty.
package final class SystemClock: TimerClock {
    package static let shared = SystemClock()

    fileprivate struct Entry {
        let deadline: Duration
        let id: UInt64
    }

    fileprivate struct State {
        var heap: [Entry] = []
        var actions: [UInt64: @Sendable () -> Void] = [:]
        var nextID: UInt64 = 0
        /// When the timer will fire. Usually one moment, more if shorter waits came after longer ones.
        var wakes: Set<Duration> = []
    }

    private let state = Mutex(State())
    private let origin = ContinuousClock.now
    private let queue = DispatchQueue(label: "catena.clock", qos: .userInitiated)

    package var now: Duration { ContinuousClock.now - origin }

    package func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction {
        let deadline = now + max(delay, .zero)
        let (id, mustArm) = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            state.actions[id] = action
            state.push(Entry(deadline: deadline, id: id))
            return (id, state.arm(for: deadline))
        }
        if mustArm { wake(at: deadline) }
        return ScheduledAction { [self] in cancel(id) }
    }

    private func cancel(_ id: UInt64) {
        let action = state.withLock { state in
            let action = state.actions.removeValue(forKey: id)
            state.sweep()
            return action
        }
        _ = consume action
    }

    private func wake(at deadline: Duration) {
        let delay = max(deadline - now, .zero).components
        let nanoseconds = min(delay.seconds, 1_000_000_000) * 1_000_000_000 + delay.attoseconds / 1_000_000_000
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [self] in fire(deadline) }
    }

    private func fire(_ wake: Duration) {
        let now = self.now
        let (due, next) = state.withLock { state -> ([@Sendable () -> Void], Duration?) in
            var due: [@Sendable () -> Void] = []
            while let first = state.heap.first, first.deadline <= now || state.actions[first.id] == nil {
                state.pop()
                if let action = state.actions.removeValue(forKey: first.id) { due.append(action) }
            }
            state.wakes.remove(wake)
            guard let next = state.heap.first?.deadline, state.arm(for: next) else { return (due, nil) }
            return (due, next)
        }
        if let next { self.wake(at: next) }
        // Not here: an action settles promises, and the closures that hang on them may take their time.
        for action in due { DispatchQueue.global().async(execute: action) }
    }
}

extension SystemClock.State {
    /// Notes that the timer will fire at `deadline`, unless it fires earlier anyway.
    fileprivate mutating func arm(for deadline: Duration) -> Bool {
        if wakes.contains(where: { $0 <= deadline }) { return false }
        wakes.insert(deadline)
        return true
    }

    fileprivate mutating func push(_ entry: SystemClock.Entry) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0, heap[(index - 1) / 2].deadline > heap[index].deadline {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    fileprivate mutating func pop() {
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
    fileprivate mutating func sweep() {
        guard heap.count > 64, heap.count > 2 * actions.count else { return }
        // Ascending order is a heap.
        heap = heap.filter { actions[$0.id] != nil }.sorted { $0.deadline < $1.deadline }
    }
}
