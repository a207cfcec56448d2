/// A source of time for all waits and limits, so that tests need not wait.
package protocol TimerClock: AnyObject, Sendable {
    /// The time since an arbitrary moment. It never decreases.
    var now: Duration { get }

    /// Runs an action later, on a thread of the clock. The action must be short.
    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction

    /// Waits. Cancelling the task ends the wait at once.
    func sleep(for delay: Duration) async throws
}

/// An action that a clock will run.
package struct ScheduledAction: Sendable {
    package let cancel: @Sendable () -> Void

    package init(cancel: @escaping @Sendable () -> Void) {
        self.cancel = cancel
    }
}

extension TimerClock {
    package func sleep(for delay: Duration) async throws {
        guard delay > .zero else { return try Task.checkCancellation() }
        let (promise, resolver) = Promise<Void>.pending()
        let action = schedule(after: delay) { resolver.fulfill(()) }
        defer { action.cancel() }
        try await promise.value
    }
}
