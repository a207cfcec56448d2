/// A state behind a lock. Tasks can wait until it meets a condition.
///
/// Without waiters, a change costs one check of an empty table.
@usableFromInline
package final class Monitor<State: Sendable>: Sendable {
    /// A class, because each copy of a continuation requests its metadata at run time.
    @usableFromInline
    package final class Waiter: Sendable {
        let condition: @Sendable (State) -> Bool
        @usableFromInline let continuation: CheckedContinuation<Void, Never>

        init(condition: @escaping @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>) {
            self.condition = condition
            self.continuation = continuation
        }
    }

    @usableFromInline
    struct Content: Sendable {
        @usableFromInline var state: State
        @usableFromInline var waiters: [UInt64: Waiter] = [:]
        var lastWaiter: UInt64 = 0

        @usableFromInline
        init(state: State) {
            self.state = state
        }

        /// Removes and returns the waiters whose condition the state meets.
        @usableFromInline
        mutating func takeReady() -> [Waiter] {
            let ready = waiters.filter { $0.value.condition(state) }
            for number in ready.keys { waiters[number] = nil }
            return Array(ready.values)
        }
    }

    @usableFromInline let content: Mutex<Content>

    @inlinable
    package init(_ state: State) {
        content = Mutex(Content(state: state))
    }

    /// Runs `body` with the lock held, and then resumes the tasks whose condition the state now meets.
    @inlinable
    package func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, ready) = content.withLock { content -> (Result, [Waiter]) in
            let result = body(&content.state)
            return (result, content.waiters.isEmpty ? [] : content.takeReady())
        }
        for waiter in ready { waiter.continuation.resume() }
        return result
    }

    /// Waits until the state meets a condition. Returns early when the task is cancelled.
    ///
    /// - Parameter condition: Returns whether to stop waiting. Runs under the lock, so it must only read the state.
    package func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        let number = content.withLock { content in
            content.lastWaiter += 1
            return content.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = content.withLock { content in
                    // A cancellation before this line is seen here, and a later one finds the waiter below, so that none is missed.
                    if Task.isCancelled || condition(content.state) { return true }
                    content.waiters[number] = Waiter(condition: condition, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            content.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
    }
}
