/// The instant at which an exchange must have ended, and the error that its caller then receives.
struct TransferDeadline: Sendable {
    /// The time limit that sets the deadline.
    enum Limit: Sendable {
        case attempt(Duration)
        case call(Duration)
    }

    let instant: ContinuousClock.Instant
    let limit: Limit

    init(_ instant: ContinuousClock.Instant, _ limit: Limit) {
        self.instant = instant
        self.limit = limit
    }

    /// The error for a missed deadline. Computed on demand, because nearly every exchange ends in time.
    var error: APIError {
        switch limit {
        case .attempt(let duration): .late(attempt: duration)
        case .call(let duration): .late(duration)
        }
    }

    /// The duration of the limit.
    var length: Duration {
        switch limit {
        case .attempt(let duration), .call(let duration): duration
        }
    }

    /// The instant as nanoseconds since a fixed moment of this process, for comparisons.
    var nanoseconds: Int64 { Self.nanoseconds(of: instant) }

    static func nanoseconds(of instant: ContinuousClock.Instant) -> Int64 {
        let (seconds, attoseconds) = (instant - origin).components
        // Clamp the seconds to avoid an overflow. A billion seconds is more than any deadline needs.
        return min(max(seconds, -1_000_000_000), 1_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    private static let origin = ContinuousClock.now
}
