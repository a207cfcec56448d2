import Foundation

/// An attempt that failed, and what has to be known to decide about the next one.
struct FailedAttempt: Sendable {
    var error: APIError
    /// Counts from 1.
    var attempt: Int
    var method: HTTPMethod
    var hasIdempotencyKey = false
    /// Whether the body can be sent a second time.
    var isReplayable = true
    /// A number from 0 to 1.
    var random: Double
    var now: Date
}

/// What comes after an attempt that failed.
enum RetryDecision: Sendable, Equatable {
    enum Reason: Sendable, Equatable {
        /// There were as many attempts as there may be.
        case limit
        /// Another attempt would end in the same way.
        case hopeless
        /// The request may have been carried out, and to send it again would do so twice.
        case notIdempotent
        /// The body was a stream that has been read.
        case notReplayable
        /// Retries are too large a part of the calls of this tag already.
        case budget
    }

    case retry(after: Duration)
    case stop(Reason)
}

extension RetryPolicy {
    /// The one decision after an attempt.
    ///
    /// - Parameter account: Pays for the retry if there is to be one.
    func decide(_ failed: FailedAttempt, account: RetryAccount? = nil) -> RetryDecision {
        guard failed.attempt <= limit else { return .stop(.limit) }
        let error = failed.error.cause
        // A refresh has a retry policy of its own, and has told all who waited for it.
        guard mayHelp(error), !(failed.error.underlying is RefreshError) else { return .stop(.hopeless) }
        guard failed.method.isIdempotent || failed.hasIdempotencyKey else { return .stop(.notIdempotent) }
        guard failed.isReplayable else { return .stop(.notReplayable) }
        guard account?.withdraw() != false else { return .stop(.budget) }
        let jitter = jitter(before: failed.attempt, random: failed.random)
        guard let asked = error.askedWait(now: failed.now) else { return .retry(after: jitter) }
        // On top of what the server asks for, since it asks all of its clients for the same.
        return .retry(after: min(asked, longestServerWait) + jitter)
    }

    /// A random wait from zero to a length that doubles each time.
    private func jitter(before attempt: Int, random: Double) -> Duration {
        // Divided, not multiplied, because the product may be longer than a `Duration` can be.
        let doublings = 1 << min(max(attempt - 1, 0), 62)
        let longest = base > longestWait / doublings ? longestWait : base * doublings
        return min(longest * min(max(random, 0), 1), longest)
    }

    private func mayHelp(_ error: APIError) -> Bool {
        if error.category == .retryable { return true }
        if codes.contains(error.code) { return true }
        if let status = error.status { return statuses.contains(status) }
        return kinds.contains(error.kind)
    }
}

extension APIError {
    /// How long the server asks to wait, in its envelope or in its headers.
    func askedWait(now: Date) -> Duration? {
        if let retryAfter { return retryAfter }
        guard let status, let headers = response?.headers else { return nil }
        return ServerWait.read(headers, status: status, now: now)
    }

    /// The failure behind an error that only says in which step it came.
    fileprivate var cause: APIError {
        guard kind == .other, status == nil, let cause = underlying as? APIError else { return self }
        return cause.cause
    }
}
