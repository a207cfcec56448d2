/// A state behind a lock, for whose changes others can wait.
///
/// While nobody waits, that costs one look at an empty table for each change.
@usableFromInline
package final class Monitor<State: Sendable>: Sendable {
    @usableFromInline
    struct Waiter: Sendable {
        let condition: @Sendable (State) -> Bool
        @usableFromInline let continuation: CheckedContinuation<Void, Never>
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

        /// Removes those whose condition the state meets.
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

    /// Runs `body` with the lock held; whoever waited for what it makes of the state goes on after that.
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
    /// - Parameter condition: Is asked under the lock: it has to look at the state alone.
    package func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        let number = content.withLock { content in
            content.lastWaiter += 1
            return content.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = content.withLock { content in
                    // A cancellation before this line is seen here, a later one finds the waiter below: none is lost.
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
