import CatenaPromise

/// Keeps what happened, in order, from any thread; a test can wait for it.
package final class Recorder<Event: Sendable>: Sendable {
    private let noted = Monitor<[Event]>([])

    package init() {}

    package func note(_ event: Event) {
        noted.withLock { $0.append(event) }
    }

    package var events: [Event] { noted.withLock { $0 } }
    package var count: Int { noted.withLock { $0.count } }

    /// Waits until at least so many events have been noted. Returns early when the task is cancelled.
    package func reached(_ count: Int) async {
        await noted.wait { $0.count >= count }
    }

    /// Waits until the events meet a condition.
    package func meets(_ condition: @escaping @Sendable ([Event]) -> Bool) async {
        await noted.wait(until: condition)
    }
}

/// Counts from any thread; a test can wait for it.
package final class Counter: Sendable {
    private let counted = Monitor(0)

    package init() {}

    package var count: Int { counted.withLock { $0 } }

    package func increment() {
        counted.withLock { $0 += 1 }
    }

    /// Waits until it has counted at least so far. Returns early when the task is cancelled.
    package func reached(_ count: Int) async {
        await counted.wait { $0 >= count }
    }
}

/// Counts how many of its kind are alive; a test can wait for their end.
package final class Canary: Sendable {
    package final class Cage: Sendable {
        private let count = Monitor(0)

        package init() {}

        package var alive: Int { count.withLock { $0 } }

        fileprivate func add(_ change: Int) { count.withLock { $0 += change } }

        package func canary() -> Canary { Canary(self) }

        /// Waits until no more than so many are alive. Returns early when the task is cancelled.
        package func shrunk(to limit: Int = 0) async {
            await count.wait { $0 <= limit }
        }
    }

    private let cage: Cage

    fileprivate init(_ cage: Cage) {
        self.cage = cage
        cage.add(1)
    }

    deinit { cage.add(-1) }

    /// Something for a closure to capture.
    package func sing() {}
}
