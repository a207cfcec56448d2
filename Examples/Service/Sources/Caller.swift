import Foundation

/// The part of a request that the service passes to the backends: its ID and its deadline.
struct Caller: Sendable {
    /// The caller of the current task. The common headers read it.
    @TaskLocal static var current: Caller?

    /// The ID of the request in the logs of all services involved.
    let requestID: String
    /// The time at which the caller stops waiting.
    let deadline: ContinuousClock.Instant

    init(requestID: String?, patience: Duration) {
        self.requestID = requestID ?? UUID().uuidString
        deadline = .now + patience
    }

    var remaining: Duration { max(deadline - .now, .zero) }
}
