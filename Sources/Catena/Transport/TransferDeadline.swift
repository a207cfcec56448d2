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

    /// The instant in nanoseconds since a moment of this process, for comparing.
    var nanoseconds: Int64 { Self.nanoseconds(of: instant) }

    static func nanoseconds(of instant: ContinuousClock.Instant) -> Int64 {
        let (seconds, attoseconds) = (instant - origin).components
        // Far enough ahead, and no overflow.
        return min(max(seconds, -1_000_000_000), 1_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    private static let origin = ContinuousClock.now
}
