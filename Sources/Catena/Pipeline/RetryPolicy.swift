/// When a failed call is tried again, and how long to wait before.
///
/// ```swift
/// forum.retry = .exponential(limit: 2)
/// ```
///
/// Only idempotent methods are tried again, since a POST that was lost on its way back may have been carried out.
public struct RetryPolicy: Sendable, Equatable {
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

    /// How long to wait before the next attempt; `nil` means that there is none.
    ///
    /// - Parameter random: A number from 0 to 1.
    func wait(after error: APIError, attempt: Int, method: HTTPMethod, random: Double) -> Duration? {
        guard attempt <= limit, method.isIdempotent, mayHelp(error) else { return nil }
        // Divided, not multiplied, because the product may be longer than a `Duration` can be.
        let doublings = 1 << min(max(attempt - 1, 0), 62)
        let longest = base > longestWait / doublings ? longestWait : base * doublings
        let wait = min(longest * min(max(random, 0), 1), longest)
        guard let asked = error.retryAfter else { return wait }
        // To come back before the time would only be refused again.
        return asked <= longestWait ? max(wait, asked) : nil
    }

    private func mayHelp(_ error: APIError) -> Bool {
        if error.category == .retryable { return true }
        if let status = error.status { return statuses.contains(status) }
        return kinds.contains(error.kind)
    }
}
