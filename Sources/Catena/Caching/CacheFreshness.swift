import Foundation

/// How old an answer is and how old it may become, in seconds (RFC 9111 §4.2). Pure.
struct CacheFreshness {
    private let head: CachedResponse.Head
    private let headers: HTTPHeaders
    let control: CacheControl

    init(_ cached: CachedResponse) {
        head = cached.head
        headers = head.headers
        control = CacheControl(headers)
    }

    /// How old the answer is (§4.2.3); `nil` if the clock was set back since, so that nobody can tell.
    func age(at now: Date) -> TimeInterval? { Self.age(of: head, headers, at: now) }

    /// The same, for who has nothing else to ask.
    static func age(of head: CachedResponse.Head, _ headers: HTTPHeaders, at now: Date) -> TimeInterval? {
        let resident = now.timeIntervalSince(head.received)
        guard resident >= 0 else { return nil }
        let delay = max(head.received.timeIntervalSince(head.requested), 0)
        let apparent = max(head.received.timeIntervalSince(date(of: head, headers)), 0)
        let told = toldAge(headers)
        return max(apparent, told + delay) + resident
    }

    /// What a cache on the way says (§5.1): of several members the first counts, and one that is no number of seconds is ignored.
    private static func toldAge(_ headers: HTTPHeaders) -> TimeInterval {
        let member = (headers["Age"] ?? "").prefix { $0 != "," }.trimmingCharacters(in: .whitespaces)
        guard !member.isEmpty, member.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        return min(Double(member) ?? 0, 2_147_483_648)
    }

    /// How old the answer may become (§4.2.1). `s-maxage` is for caches that several users share, which this is not.
    ///
    /// - Parameter guesses: Whether it may be guessed where the server does not say.
    func lifetime(guesses: Bool) -> TimeInterval {
        if let age = control.seconds("max-age") { return age }
        // A date that cannot be read, such as "0", is in the past (§5.3).
        if let text = headers["Expires"] {
            return max(HeaderDate.parse(text, now: head.received)?.timeIntervalSince(date) ?? 0, 0)
        }
        guard guesses, let modified = headers["Last-Modified"].flatMap({ HeaderDate.parse($0, now: head.received) }) else { return 0 }
        // A tenth of the time since the last change (§4.2.2), a day at most.
        return min(max(date.timeIntervalSince(modified) / 10, 0), 86_400)
    }

    private var date: Date { Self.date(of: head, headers) }

    private static func date(of head: CachedResponse.Head, _ headers: HTTPHeaders) -> Date {
        headers["Date"].flatMap { HeaderDate.parse($0, now: head.received) } ?? head.received
    }
}
