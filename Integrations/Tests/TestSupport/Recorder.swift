import Dispatch
import NIOConcurrencyHelpers

/// Records events in order, from any thread.
package final class Recorder<Event: Sendable>: Sendable {
    private let noted = NIOLockedValueBox<[Event]>([])

    package init() {}

    package func note(_ event: Event) {
        noted.withLockedValue { $0.append(event) }
    }

    package var events: [Event] { noted.withLockedValue { $0 } }
    package var count: Int { noted.withLockedValue { $0.count } }
}

/// Suspends the task and resumes it on another thread.
package func suspendOnce() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume() }
    }
}
