import Foundation

/// How old a response is and how old it may become, in seconds (RFC 9111 §4.2). Pure.
struct CacheFreshness {
    private let head: CachedResponse.Head
    private let headers: HTTPHeaders
    let control: CacheControl

    init(_ cached: CachedResponse) {
        head = cached.head
        headers = head.headers
        control = CacheControl(headers)
    }

    /// How old the response is (§4.2.3); `nil` if the clock was set back since, so that nobody can tell.
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

    /// How old the response may become (§4.2.1). `s-maxage` is for caches that several users share, which this is not.
    ///
    /// - Parameter guesses: Whether it may be guessed where the server does not say.
    func lifetime(guesses: Bool) -> TimeInterval {
        if let age = control.seconds("max-age") { return age }
        // A date that has not the form of one, such as "0", is in the past (§5.3).
        if let text = headers["Expires"] {
            return max(HeaderDate.parseStrictly(text, now: head.received)?.timeIntervalSince(date) ?? 0, 0)
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

/// The directives of `Cache-Control` (RFC 9111 §5.2).
struct CacheControl: Equatable {
    private var directives: [String: String?] = [:]

    init(_ headers: HTTPHeaders) {
        var isThere = false
        for field in headers.fields where sameHeaderName(field.name, "Cache-Control") {
            isThere = true
            read(field.value)
        }
        // What HTTP/1.0 had in its place (§5.4).
        if !isThere, headers["Pragma"]?.lowercased().contains("no-cache") == true {
            directives["no-cache"] = .some(nil)
        }
    }

    func contains(_ name: String) -> Bool { directives[name] != nil }

    /// Whether a directive stands alone, as `max-stale` may.
    func hasNoArgument(_ name: String) -> Bool {
        directives[name].map { $0 == nil } ?? false
    }

    /// The seconds of a directive. What is no number counts as none: a response whose age limit cannot be read is stale (§4.2.1).
    func seconds(_ name: String) -> TimeInterval? {
        guard let argument = directives[name] else { return nil }
        guard let text = argument, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        // Beyond 2^31 all are the same (§1.2.2).
        return min(Double(text) ?? 0, 2_147_483_648)
    }

    /// Reads the directives, between which commas stand that are in no quotes.
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
        let name = Self.trimmed(directive[..<(equals ?? directive.endIndex)], of: " \t").lowercased()
        guard !name.isEmpty else { return }
        let written = equals.map { Self.trimmed(directive[directive.utf8.index(after: $0)...], of: " \t") } ?? ""
        let argument = written.isEmpty ? nil : String(Self.trimmed(written, of: "\""))
        // Of two that contradict each other the shorter time counts.
        if let former = directives[name].flatMap({ $0 }).flatMap(Double.init), let later = argument.flatMap(Double.init), former <= later {
            return
        }
        directives[name] = .some(argument)
    }

    private static func trimmed(_ text: Substring, of ends: StaticString) -> Substring {
        func isEnd(_ byte: UInt8) -> Bool { ends.withUTF8Buffer { $0.contains(byte) } }
        guard let first = text.utf8.firstIndex(where: { !isEnd($0) }), let last = text.utf8.lastIndex(where: { !isEnd($0) }) else {
            return text[text.endIndex...]
        }
        return text[first...last]
    }
}
