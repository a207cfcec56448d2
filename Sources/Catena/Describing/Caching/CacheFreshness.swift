import CatenaPlatform

/// The age and the freshness lifetime of a response, in seconds (RFC 9111 §4.2).
struct CacheFreshness {
    private let head: CachedResponse.Head
    private let headers: HTTPHeaders
    let control: CacheControl

    init(_ cached: CachedResponse) {
        head = cached.head
        headers = head.headers
        control = CacheControl(headers)
    }

    /// Returns the age of the response (§4.2.3), or `nil` if the clock has been set back since, so that the age is unknown.
    func age(at now: Date) -> TimeInterval? { Self.age(of: head, headers, at: now) }

    /// Returns the age without parsing `Cache-Control`.
    static func age(of head: CachedResponse.Head, _ headers: HTTPHeaders, at now: Date) -> TimeInterval? {
        let resident = now.timeIntervalSince(head.received)
        guard resident >= 0 else { return nil }
        let delay = max(head.received.timeIntervalSince(head.requested), 0)
        let apparent = max(head.received.timeIntervalSince(date(of: head, headers)), 0)
        let told = toldAge(headers)
        return max(apparent, told + delay) + resident
    }

    /// Returns the value of `Age`, which a cache on the way has set (§5.1). The first member counts; one that is no number of seconds is ignored.
    private static func toldAge(_ headers: HTTPHeaders) -> TimeInterval {
        let member = (headers["Age"] ?? "").prefix { $0 != "," }.trimmed()
        guard !member.isEmpty, member.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        return min(Double(member) ?? 0, 2_147_483_648)
    }

    /// Returns the freshness lifetime (§4.2.1). `s-maxage` is ignored, because it applies only to caches that several users share.
    ///
    /// - Parameter guesses: Whether to estimate the lifetime if the server does not state one.
    func lifetime(guesses: Bool) -> TimeInterval {
        if let age = control.seconds("max-age") { return age }
        // An invalid date, such as "0", is in the past (§5.3).
        if let text = headers["Expires"] {
            return max(HeaderDate.parseStrictly(text, now: head.received)?.timeIntervalSince(date) ?? 0, 0)
        }
        guard guesses, let modified = headers["Last-Modified"].flatMap({ HeaderDate.parse($0, now: head.received) }) else { return 0 }
        // A tenth of the time since the last change (§4.2.2), at most a day.
        return min(max(date.timeIntervalSince(modified) / 10, 0), 86_400)
    }

    /// Whether a response of any age is as young and as fresh as a request asks by `max-age` and `min-fresh` (RFC 9111 §5.2.1).
    func suits(_ wishes: CacheControl, guesses: Bool, at now: Date) -> Bool {
        let freshness = wishes.seconds("min-fresh").map { lifetime(guesses: guesses) - $0 } ?? .infinity
        let limit = min(wishes.seconds("max-age") ?? .infinity, freshness)
        return limit == .infinity || age(at: now).map { $0 < limit } ?? false
    }

    private var date: Date { Self.date(of: head, headers) }

    private static func date(of head: CachedResponse.Head, _ headers: HTTPHeaders) -> Date {
        headers["Date"].flatMap { HeaderDate.parse($0, now: head.received) } ?? head.received
    }
}

/// The directives of `Cache-Control` (RFC 9111 §5.2).
struct CacheControl: Equatable {
    private var directives: [String: String?] = [:]

    init(_ headers: HTTPHeaders) {
        var isThere = false
        for field in headers.fields where sameHeaderName(field.name, "Cache-Control") {
            isThere = true
            read(field.value)
        }
        // `Pragma` is the HTTP/1.0 equivalent (§5.4).
        if !isThere, headers["Pragma"]?.lowercased().contains("no-cache") == true {
            directives["no-cache"] = .some(nil)
        }
    }

    func contains(_ name: String) -> Bool { directives[name] != nil }

    /// Whether a directive has no argument, as `max-stale` may.
    func hasNoArgument(_ name: String) -> Bool {
        directives[name].map { $0 == nil } ?? false
    }

    /// Returns the seconds of a directive, or 0 if they are invalid, because a response whose age limit is unreadable is stale (§4.2.1).
    func seconds(_ name: String) -> TimeInterval? {
        guard let argument = directives[name] else { return nil }
        guard let text = argument, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        // Larger values than 2^31 are equivalent (§1.2.2).
        return min(Double(text) ?? 0, 2_147_483_648)
    }

    /// Reads the directives, which are separated by commas outside quotes.
    private mutating func read(_ field: String) {
        var start = field.startIndex
        var isQuoted = false
        for index in field.utf8.indices {
            switch field.utf8[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                take(field[start..<index])
                start = field.utf8.index(after: index)
            default: break
            }
        }
        take(field[start...])
    }

    private mutating func take(_ directive: Substring) {
        let equals = directive.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = directive[..<(equals ?? directive.endIndex)].trimmed().lowercased()
        guard !name.isEmpty else { return }
        let written = equals.map { directive[directive.utf8.index(after: $0)...].trimmed() } ?? ""
        let argument = written.isEmpty ? nil : written.trimmed(of: "\"")
        // If two directives conflict, use the shorter time.
        if let former = directives[name].flatMap({ $0 }).flatMap(Double.init), let later = argument.flatMap(Double.init), former <= later {
            return
        }
        directives[name] = .some(argument)
    }
}
