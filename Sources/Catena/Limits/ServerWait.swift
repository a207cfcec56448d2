import Foundation

/// Reads the wait that a server asks its clients for. It has no side effects.
enum ServerWait {
    /// Returns the wait that a response asks for, or `nil` if it asks for none. A moment in the past is a wait of zero.
    ///
    /// - Parameter now: The time of this machine, used if the response has no `Date`.
    static func read(_ headers: HTTPHeaders, status: Int, now: Date) -> Duration? {
        // Compare with the server's clock, because clients' clocks are often wrong.
        let moment = headers["Date"].flatMap { HeaderDate.parse($0, now: now) } ?? now
        if let text = headers["Retry-After"], let wait = retryAfter(text, at: moment, now: now) { return wait }
        // Successful responses have these headers, too, and then say when the quota is renewed, not that it is exhausted.
        guard status == 429 || status == 503 || headers.sayUsedUp(status: status) else { return nil }
        if !isLeft("RateLimit-Remaining", in: headers), let wait = headers["RateLimit-Reset"].flatMap(HeaderSeconds.parse) { return wait }
        if let wait = headers["RateLimit"].flatMap({ RateLimitFields.wait($0, policies: headers["RateLimit-Policy"]) }) { return wait }
        if isLeft("X-RateLimit-Remaining", in: headers) { return nil }
        for name in ["X-RateLimit-Retry-After", "X-RateLimit-Reset", "X-Rate-Limit-Reset"] {
            if let wait = headers[name].flatMap(HeaderSeconds.parse) { return sinceEpoch(wait, at: moment) ?? wait }
        }
        return nil
    }

    /// Whether a header says that a quota is not exhausted.
    private static func isLeft(_ name: String, in headers: HTTPHeaders) -> Bool {
        headers[name].flatMap(HeaderSeconds.parse).map { $0 > .zero } ?? false
    }

    /// Parses seconds or a date (RFC 9110 §10.2.3).
    private static func retryAfter(_ text: String, at moment: Date, now: Date) -> Duration? {
        if let wait = HeaderSeconds.parse(text) { return wait }
        return HeaderDate.parse(text, now: now).map { max(.seconds($0.timeIntervalSince(moment)), .zero) }
    }

    /// Converts a moment in seconds or milliseconds since 1970, which some servers send in place of a duration.
    private static func sinceEpoch(_ value: Duration, at moment: Date) -> Duration? {
        guard value >= .seconds(1_000_000_000) else { return nil }
        let seconds = value >= .seconds(100_000_000_000) ? value / 1000 : value
        return max(seconds - .seconds(moment.timeIntervalSince1970), .zero)
    }
}
