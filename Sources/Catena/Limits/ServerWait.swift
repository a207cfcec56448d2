import Foundation

/// How long a server asks its clients to wait. Pure.
enum ServerWait {
    /// The wait that a response asks for; `nil` if it asks for none. What is in the past is no wait.
    ///
    /// - Parameter now: The time of this machine, used where the response does not say what time it is.
    static func read(_ headers: HTTPHeaders, status: Int, now: Date) -> Duration? {
        // A server's moment is compared with the server's clock: those of its clients are often wrong.
        let moment = headers["Date"].flatMap { HeaderDate.parse($0, now: now) } ?? now
        if let text = headers["Retry-After"], let wait = retryAfter(text, at: moment, now: now) { return wait }
        // These come with successes, too, and then say when the allowance is renewed, not that it is used up.
        guard status == 429 || status == 503 else { return nil }
        if let wait = headers["RateLimit-Reset"].flatMap(seconds) { return wait }
        if let wait = headers["RateLimit"].flatMap(rateLimit) { return wait }
        for name in ["X-RateLimit-Retry-After", "X-RateLimit-Reset", "X-Rate-Limit-Reset"] {
            if let wait = headers[name].flatMap(seconds) { return sinceEpoch(wait, at: moment) ?? wait }
        }
        return nil
    }

    /// Seconds or a date (RFC 9110 §10.2.3).
    private static func retryAfter(_ text: String, at moment: Date, now: Date) -> Duration? {
        if let wait = seconds(text) { return wait }
        return HeaderDate.parse(text, now: now).map { max(.seconds($0.timeIntervalSince(moment)), .zero) }
    }

    /// The reset time of `RateLimit`: `"default";r=0;t=30` in its present form, `limit=10, remaining=0, reset=30` in older ones. Of
    /// several the longest.
    private static func rateLimit(_ text: String) -> Duration? {
        text.split { $0 == "," || $0 == ";" }.compactMap { item -> Duration? in
            let parts = item.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts[0] == "t" || parts[0] == "reset" else { return nil }
            return seconds(parts[1])
        }.max()
    }

    /// Some servers write the moment itself instead of the time until then, in seconds or milliseconds since 1970.
    private static func sinceEpoch(_ value: Duration, at moment: Date) -> Duration? {
        guard value >= .seconds(1_000_000_000) else { return nil }
        let seconds = value >= .seconds(100_000_000_000) ? value / 1000 : value
        return max(seconds - .seconds(moment.timeIntervalSince1970), .zero)
    }

    /// Digits, with a fraction perhaps. Whatever else `Double` would read is none of it.
    private static func seconds(_ text: String) -> Duration? {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty, text.utf8.count <= 20, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let value = Double(text)
        else { return nil }
        return .seconds(min(value, 1e15))
    }
}
