import Foundation

/// What a request to this service hands on to the backends: who asks, and until when.
struct Caller: Sendable {
    /// The caller of the task, which the common headers read.
    @TaskLocal static var current: Caller?

    /// Identifies the request in the logs of all that take part in it.
    let requestID: String
    /// When the caller stops waiting.
    let deadline: ContinuousClock.Instant

    init(requestID: String?, patience: Duration) {
        self.requestID = requestID ?? UUID().uuidString
        deadline = .now + patience
    }

    var remaining: Duration { max(deadline - .now, .zero) }
}
