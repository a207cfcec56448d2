import CatenaPromise

/// Records events in order, from any thread. A test can wait for them.
package final class Recorder<Event: Sendable>: Sendable {
    private let noted = Monitor<[Event]>([])

    package init() {}

    package func note(_ event: Event) {
        noted.withLock { $0.append(event) }
    }

    package var events: [Event] { noted.withLock { $0 } }
    package var count: Int { noted.withLock { $0.count } }

    /// Waits until at least this many events have been recorded. Returns early if the task is cancelled.
    package func reached(_ count: Int) async {
        await noted.wait { $0.count >= count }
    }

    /// Waits until the events meet a condition.
    package func meets(_ condition: @escaping @Sendable ([Event]) -> Bool) async {
        await noted.wait(until: condition)
    }
}

/// A counter for any thread. A test can wait for a count.
package final class Counter: Sendable {
    private let counted = Monitor(0)

    package init() {}

    package var count: Int { counted.withLock { $0 } }

    package func increment() {
        counted.withLock { $0 += 1 }
    }

    /// Waits until the count is at least this number. Returns early if the task is cancelled.
    package func reached(_ count: Int) async {
        await counted.wait { $0 >= count }
    }
}

/// An object whose cage counts the living objects. A test can wait for their release.
package final class Canary: Sendable {
    package final class Cage: Sendable {
        private let count = Monitor(0)

        package init() {}

        package var alive: Int { count.withLock { $0 } }

        fileprivate func add(_ change: Int) { count.withLock { $0 += change } }

        package func canary() -> Canary { Canary(self) }

        /// Waits until at most this many objects are alive. Returns early if the task is cancelled.
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

    /// Does nothing. A closure that calls it captures the object.
    package func sing() {}
}
