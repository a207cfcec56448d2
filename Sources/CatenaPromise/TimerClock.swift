import Dispatch

/// A source of time for all waits and limits, so that tests need not wait.
package protocol TimerClock: AnyObject, Sendable {
    /// The time since an arbitrary moment. It never decreases.
    var now: Duration { get }

    /// Runs an action later, on a thread of the clock. The action must be short.
    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction

    /// Forgets an action that has not run.
    func cancel(_ id: Int)

    /// Waits. Cancelling the task ends the wait at once.
    func sleep(for delay: Duration) async throws
}

/// An action that a clock will run.
package struct ScheduledAction: Sendable {
    private let clock: any TimerClock
    private let id: Int

    package init(_ id: Int, of clock: any TimerClock) {
        (self.clock, self.id) = (clock, id)
    }

    package func cancel() { clock.cancel(id) }
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

/// The clock of the machine, with any number of waits on one timer.
///
/// Nearly every wait is a time limit that is cancelled again, so cancelling must be cheap. The action is dropped, and its entry in the queue is
/// swept later.
package final class SystemClock: TimerClock {
    package static let shared = SystemClock()

    private let waits = Mutex(DeadlineQueue<Duration, @Sendable () -> Void>())
    private let origin = ContinuousClock.now
    private let queue = DispatchQueue(label: "catena.clock", qos: .userInitiated)

    package var now: Duration { ContinuousClock.now - origin }

    package func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction {
        let now = now
        let deadline = now + max(delay, .zero)
        let (id, mustWake) = waits.withLock { $0.add(action, at: deadline, now: now) }
        if mustWake { wake(at: deadline) }
        return ScheduledAction(id, of: self)
    }

    package func cancel(_ id: Int) {
        let action = waits.withLock { $0.remove(id) }
        _ = consume action
    }

    private func wake(at deadline: Duration) {
        let delay = max(deadline - now, .zero).nanoseconds
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) { [self] in fire(deadline) }
    }

    private func fire(_ wake: Duration) {
        let now = self.now
        let (due, next) = waits.withLock { $0.fire(wake, now: now) }
        if let next { self.wake(at: next) }
        // Actions run on another queue, because they settle promises, whose closures may be slow.
        for action in due { DispatchQueue.global().async(execute: action) }
    }
}

extension Duration {
    /// The whole nanoseconds, at most those of a thousand million seconds, so that sums do not overflow.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(seconds, -1_000_000_000), 1_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
