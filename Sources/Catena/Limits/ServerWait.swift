import Foundation

/// Reads the wait that a server asks its clients for. It has no side effects.
enum ServerWait {
    /// Returns the wait that a response asks for, or `nil` if it asks for none. A moment in the past is a wait of zero.
    ///
    /// - Parameter now: The time of this machine, used if the response has no `Date`.
    static func read(_ headers: HTTPHeaders, status: Int, now: Date) -> Duration? {
        // Compare with the server's clock, because clients' clocks are often wrong.
        let moment = headers["Date"].flatMap { HeaderDate.parse($0, now: now) } ?? now
        if let wait = stated(in: headers, at: moment, now: now) { return wait }
        // Successful responses have these headers, too, and then say when the quota is renewed, not that it is exhausted.
        guard status == 429 || status == 503 || headers.sayUsedUp(status: status) else { return nil }
        if !isLeft("RateLimit-Remaining", in: headers), let wait = headers["RateLimit-Reset"].flatMap(StatedWait.duration) { return wait }
        if let wait = headers["RateLimit"].flatMap({ RateLimitFields.wait($0, policies: headers["RateLimit-Policy"]) }) { return wait }
        if isLeft("X-RateLimit-Remaining", in: headers) { return nil }
        for name in ["X-RateLimit-Retry-After", "X-RateLimit-Reset-After", "X-RateLimit-Reset", "X-Rate-Limit-Reset"] {
            if let wait = headers[name].flatMap(StatedWait.duration) { return sinceEpoch(wait, at: moment) ?? wait }
        }
        return quotas(headers)
    }

    /// Whether a response states a wait by itself, and not only when its quota is renewed.
    static func isStated(in headers: HTTPHeaders) -> Bool {
        let anyMoment = Date(timeIntervalSince1970: 0)
        return stated(in: headers, at: anyMoment, now: anyMoment) != nil
    }

    /// Returns the wait in milliseconds, which is more precise, or else that of `Retry-After`.
    private static func stated(in headers: HTTPHeaders, at moment: Date, now: Date) -> Duration? {
        for name in ["Retry-After-Ms", "X-Ms-Retry-After-Ms"] {
            if let wait = headers[name].flatMap(HeaderSeconds.parse) { return wait / 1000 }
        }
        return StatedWait.retryAfter(headers.values(for: "Retry-After"), at: moment, now: now)
    }

    /// Returns the longest wait for one of several quotas, as AI providers name them.
    private static func quotas(_ headers: HTTPHeaders) -> Duration? {
        ["Requests", "Tokens"].compactMap { quota in
            if isLeft("X-RateLimit-Remaining-\(quota)", in: headers) { return nil }
            return headers["X-RateLimit-Reset-\(quota)"].flatMap(StatedWait.duration)
        }.max()
    }

    /// Whether a header says that a quota is not exhausted.
    private static func isLeft(_ name: String, in headers: HTTPHeaders) -> Bool {
        headers[name].flatMap(HeaderSeconds.parse).map { $0 > .zero } ?? false
    }

    /// Converts a moment in seconds or milliseconds since 1970, which some servers send in place of a duration.
    private static func sinceEpoch(_ value: Duration, at moment: Date) -> Duration? {
        guard value >= .seconds(1_000_000_000) else { return nil }
        let seconds = value >= .seconds(100_000_000_000) ? value / 1000 : value
        return max(seconds - .seconds(moment.timeIntervalSince1970), .zero)
    }
}
