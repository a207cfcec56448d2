import Foundation

/// When a failed call is tried again, and how long to wait before.
///
/// ```swift
/// forum.retry = .exponential(limit: 2)
/// ```
///
/// Only idempotent methods are tried again, since a POST that was lost on its way back may have been carried out; any method is that
/// has an idempotency key. What the server asks for with `Retry-After` or a `RateLimit` header is waited for.
public struct RetryPolicy: Sendable, Hashable {
    /// How many times a call is tried again after the first attempt.
    public var limit: Int
    /// The longest first wait; each further one is up to twice as long.
    public var base: Duration
    /// No wait is longer than this.
    public var longestWait: Duration
    /// The HTTP statuses after which another attempt may help.
    public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    /// The kinds of failure after which another attempt may help.
    public var kinds: Set<APIError.Kind> = [.timeout, .offline, .dns, .connect, .connectionLost]
    /// The business codes after which another attempt may help, whatever the status.
    public var codes: Set<ErrorCode> = []
    /// No wait that the server asks for is longer than this; the random one comes on top.
    public var longestServerWait: Duration = .seconds(60)
    /// How many of all calls of a tag may be retries; `nil` sets no bound.
    public var budget: RetryBudget? = .standard

    /// No second attempt.
    public static let none = RetryPolicy(limit: 0, base: .zero, longestWait: .zero)

    /// Waits that double each time, drawn at random from zero to that length ("full jitter"), so that clients that failed together
    /// do not come back together.
    public static func exponential(
        limit: Int,
        base: Duration = .milliseconds(500),
        longestWait: Duration = .seconds(30)
    ) -> RetryPolicy {
        RetryPolicy(limit: limit, base: base, longestWait: longestWait)
    }
}
