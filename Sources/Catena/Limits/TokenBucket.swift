/// A bucket that fills at a steady rate and gives one token to each call. Pure.
///
/// Kept as the moment at which it will be full again, which is exact where counting tokens would have to round (the "generic cell
/// rate algorithm").
struct TokenBucket {
    /// The time that one token takes.
    let interval: Duration
    /// How far the moment of fullness may lie ahead while there still is a token.
    private let tolerance: Duration
    private var full: Duration?

    /// Limits that keep every product within what a `Duration` holds.
    private static let most = 1_000_000_000
    private static let longestPeriod = Duration.seconds(365 * 24 * 3600)

    init(_ limit: RateLimit) {
        interval = min(max(limit.period, .zero), Self.longestPeriod) / min(max(limit.count, 1), Self.most)
        tolerance = interval * (min(max(limit.burst, 1), Self.most) - 1)
    }

    /// How long it takes until there is a token.
    func wait(at now: Duration) -> Duration {
        guard let full else { return .zero }
        return max(full - tolerance - now, .zero)
    }

    mutating func take(at now: Duration) {
        full = max(full ?? now, now) + interval
    }
}
