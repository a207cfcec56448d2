/// When an exchange has to be over by the system's clock, and what its caller is told if it is not.
package struct TransferDeadline: Sendable {
    /// Whose limit it is.
    package enum Limit: Sendable {
        case attempt(Duration)
        case call(Duration)
    }

    package let instant: ContinuousClock.Instant
    package let limit: Limit

    package init(_ instant: ContinuousClock.Instant, _ limit: Limit) {
        self.instant = instant
        self.limit = limit
    }

    /// Made when it is needed: nearly every exchange is over in time.
    var error: APIError {
        switch limit {
        case .attempt(let duration): .late(attempt: duration)
        case .call(let duration): .late(duration)
        }
    }
}
