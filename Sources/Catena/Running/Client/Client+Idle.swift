extension Client {
    /// Waits until no call is running, and until observers, logs and recordings have received everything about the calls.
    ///
    /// For a program that ends after its last call:
    ///
    /// ```swift
    /// client.shutdown()
    /// await client.waitUntilIdle()
    /// ```
    ///
    /// Without ``shutdown()``, it also waits for calls that begin meanwhile. A stream is running until it has been read or dropped.
    /// It does not wait for closures of `then`, `catch` and `finally`. ``waitUntilIdle(for:)`` has a time limit, and cancelling the waiting task ends the
    /// wait. Do not call it in a handler or interceptor, whose own call would wait for itself.
    public func waitUntilIdle() async {
        await active.waitUntilOwnIdle()
    }

    /// Waits until no call is running, as ``waitUntilIdle()`` does, but only for a limited time.
    ///
    /// ```swift
    /// client.shutdown()
    /// if await !client.waitUntilIdle(for: .seconds(10)) { client.calls.cancelAll() }
    /// ```
    ///
    /// The calls continue when the time has passed.
    ///
    /// - Parameter limit: The longest time to wait. With zero, it returns at once whether a call is running.
    /// - Returns: Whether the client is idle: `false` if the time has passed, or if the waiting task was cancelled.
    public func waitUntilIdle(for limit: Duration) async -> Bool {
        let client = active
        // Without time, only whether a call is running can be said.
        guard limit > .zero else { return client.registry.state.withLock { $0.calls.isEmpty } && client.expectedEnds.withLock { $0 == 0 } }
        do {
            try await withTimeLimit(limit, on: client.clock, error: APIError(.timeout)) {
                await client.waitUntilOwnIdle()
                try Task.checkCancellation()
            }
            return true
        } catch {
            return false
        }
    }

    private func waitUntilOwnIdle() async {
        repeat {
            await registry.state.wait { $0.calls.isEmpty }
            // A cancelled call leaves the registry immediately, and observers are notified a little later.
            await expectedEnds.wait { $0 == 0 }
            // Between two calls of a batch, the registry is empty.
        } while !Task.isCancelled && registry.state.withLock { !$0.calls.isEmpty }
        for queue in [observation] + logQueues.all {
            // Through a promise, so that cancelling this task ends the wait even if a sink never returns.
            _ = await Promise { await queue.finish() }.result
        }
    }
}

/// The queues on which a client writes logs and recordings. Queues without users are released.
package final class ObservationQueues: Sendable {
    private let known = Mutex<[@Sendable () -> ObservationQueue?]>([])

    var all: [ObservationQueue] { known.withLock { $0 }.compactMap { $0() } }

    package func add(_ queue: ObservationQueue) {
        known.withLock { known in
            known.removeAll { known in known().map { $0 === queue } ?? true }
            known.append { [weak queue] in queue }
        }
    }
}
