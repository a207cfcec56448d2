/// When an exchange has to be over by the system's clock, and what its caller is told if it is not.
struct TransferDeadline: Sendable {
    /// Whose limit it is.
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

    /// Made when it is needed: nearly every exchange is over in time.
    var error: APIError {
        switch limit {
        case .attempt(let duration): .late(attempt: duration)
        case .call(let duration): .late(duration)
        }
    }

    /// How long the exchange may take.
    var length: Duration {
        switch limit {
        case .attempt(let duration), .call(let duration): duration
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
