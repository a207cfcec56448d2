import CatenaPlatform

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

/// Parses the forms in which servers state a wait in a header. Pure.
///
/// RFC 9110 §10.2.3 has whole seconds and dates. Servers also send fractions, durations such as `1m30s`, lists, and dates of other forms.
enum StatedWait {
    /// The longest duration in a header, in bytes.
    private static let longestDuration = 40
    /// The units of a duration, as a multiple and a part of a second.
    private static let units: [String: (times: Int, parts: Int)] = [
        "h": (3600, 1), "m": (60, 1), "s": (1, 1), "ms": (1, 1000), "us": (1, 1_000_000), "ns": (1, 1_000_000_000),
    ]

    /// Returns the wait of the lines of a `Retry-After`, of which the longest applies. A moment in the past is a wait of zero.
    ///
    /// - Parameters:
    ///   - moment: The time of the server.
    ///   - now: The time of this machine, which determines the century of a year with two digits.
    static func retryAfter(_ lines: [String], at moment: Date, now: Date) -> Duration? {
        lines.compactMap { line in
            // A date contains a comma, so a line is a list only if it is nothing else.
            wait(line, at: moment, now: now) ?? line.split(separator: ",").compactMap { wait(String($0), at: moment, now: now) }.max()
        }.max()
    }

    /// Returns a duration: seconds, with or without a fraction, or numbers with units such as `1m30s`.
    static func duration(_ text: String) -> Duration? {
        if let seconds = HeaderSeconds.parse(text) { return seconds }
        let text = text.trimmed().lowercased()
        var rest = text.utf8[...]
        guard !rest.isEmpty, rest.count <= longestDuration else { return nil }
        var total = Duration.zero
        while !rest.isEmpty {
            let number = rest.prefix { !isLetter($0) }
            let name = rest[number.endIndex...].prefix(while: isLetter)
            rest = rest[name.endIndex...]
            guard let unit = units[String(Substring(name))], let count = HeaderSeconds.parse(String(Substring(number))) else {
                return nil
            }
            total += count * unit.times / unit.parts
        }
        return total
    }

    private static func wait(_ text: String, at moment: Date, now: Date) -> Duration? {
        duration(text)
            ?? date(text.trimmed(), now: now).map { max(.seconds($0.timeIntervalSince(moment)), .zero) }
    }

    /// Returns a date in one of the three forms of HTTP, with a zone other than GMT, or in the form of RFC 3339.
    private static func date(_ text: String, now: Date) -> Date? {
        if let date = HeaderDate.parse(text, now: now) { return date }
        let words = text.split(separator: " ")
        if let zone = words.last, let offset = offset(zone) {
            return HeaderDate.parse(words.dropLast().joined(separator: " ") + " GMT", now: now)?.addingTimeInterval(-offset)
        }
        // Only a date, because a number alone may be anything.
        guard text.utf8.prefix(4).allSatisfy(isDigit), text.utf8.dropFirst(4).first == UInt8(ascii: "-") else { return nil }
        return LenientDate.date(of: text)
    }

    /// Returns the offset of a zone from UTC in seconds: of `UTC`, `Z`, `+0200` or `-05:30`.
    private static func offset(_ zone: Substring) -> TimeInterval? {
        if ["utc", "ut", "z"].contains(zone.lowercased()) { return 0 }
        guard let sign = zone.first, sign == "+" || sign == "-" else { return nil }
        let digits = zone.dropFirst().filter { $0 != ":" }
        guard digits.utf8.count == 4, digits.utf8.allSatisfy(isDigit), let hours = Int(digits.prefix(2)),
            let minutes = Int(digits.suffix(2)),
            hours < 24, minutes < 60
        else { return nil }
        return Double((hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1))
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
