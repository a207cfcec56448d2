import Synchronization

/// A number that only grows, and can be awaited: what lets a test wait for the server without sleeping.
final class ServerCounter: Sendable {
    private struct Waiter {
        let threshold: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value = 0
        var isFinished = false
        var nextWaiter = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state = Mutex(State())

    var value: Int {
        state.withLock { $0.value }
    }

    func increment() {
        let reached = state.withLock { state -> [Waiter] in
            state.value += 1
            guard !state.waiters.isEmpty else { return [] }
            let value = state.value
            let reached = state.waiters.filter { $0.value.threshold <= value }
            for waiter in reached.keys { state.waiters[waiter] = nil }
            return Array(reached.values)
        }
        for waiter in reached { waiter.continuation.resume() }
    }

    /// Lets everybody go who waits now or later: the value will not grow any more.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Waits until the value is at least `threshold`. Returns early when the task is cancelled or the counter is finished.
    func reach(_ threshold: Int) async {
        let identifier = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // A cancellation before this line is seen here, a later one finds the waiter below: none is lost.
                    if state.value >= threshold || state.isFinished || Task.isCancelled { return true }
                    state.waiters[identifier] = Waiter(threshold: threshold, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: identifier) }
            waiter?.continuation.resume()
        }
    }
}
