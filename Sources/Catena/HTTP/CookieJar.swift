import Foundation

/// Keeps the cookies that servers set and sends them back, in memory.
///
/// There is none unless a profile has one, and each has its own:
///
/// ```swift
/// API.configure(.forum) { $0.cookieJar = CookieJar() }
/// ```
///
/// A `Cookie` header that a call or a common closure sets is sent instead of the jar's. What the jar sends is chosen anew for every
/// redirect.
public final class CookieJar: Sendable {
    /// How many cookies are kept in all, and of one domain, as browsers do it (RFC 6265 §6.1). The oldest of the domain with too many go,
    /// so that no server can push out what belongs to another.
    static let mostCookies = 3000
    static let mostCookiesOfDomain = 180
    /// In bytes: the longest `Cookie` header that is sent. Servers refuse heads of 8 KB and more, many of them; cookies beyond that length
    /// stay in the jar, the longest paths and the oldest go first.
    static let longestHeader = 16 * 1024

    private let now: @Sendable () -> Date
    private let kept = Mutex<[Cookie]>([])

    /// An empty jar.
    public convenience init() {
        self.init(now: { Date() })
    }

    init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    /// What is in the jar and has not ended, the oldest first.
    public var cookies: [Cookie] {
        let time = now()
        return kept.withLock { $0.filter { ($0.expires ?? .distantFuture) > time } }
    }

    /// Puts a cookie in, unless it contains what cannot be sent, in place of one with the same name, host and path.
    public func set(_ cookie: Cookie) {
        put([cookie], at: now())
    }

    /// Takes all cookies out, for example after signing out.
    public func removeAll() {
        kept.withLock { $0 = [] }
    }

    /// The `Cookie` header for a request: the longest paths first, then the oldest (RFC 6265 §5.4).
    func header(for address: HTTPAddress) -> String? {
        let time = now()
        let fitting = kept.withLock { $0.filter { $0.belongs(to: address, at: time) } }
        if fitting.isEmpty { return nil }
        let ordered = fitting.enumerated().sorted {
            ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
        }
        return Self.header(of: ordered.map { $0.element })
    }

    /// As many of the cookies as fit, in their order.
    private static func header(of cookies: [Cookie]) -> String? {
        var header = ""
        for cookie in cookies {
            let separator = header.isEmpty ? "" : "; "
            let length = separator.utf8.count + cookie.name.utf8.count + 1 + cookie.value.utf8.count
            if header.utf8.count + length <= longestHeader { header += "\(separator)\(cookie.name)=\(cookie.value)" }
        }
        return header.isEmpty ? nil : header
    }

    /// Keeps what a response sets.
    func store(_ headers: HTTPHeaders, from address: HTTPAddress) {
        let lines = headers.values(for: "Set-Cookie")
        if lines.isEmpty { return }
        let time = now()
        put(lines.compactMap { Cookie(parsing: $0, from: address, at: time) }, at: time, isTrusted: address.scheme == "https")
    }

    /// - Parameter isTrusted: Whether they come over https, or from the app itself.
    private func put(_ cookies: [Cookie], at time: Date, isTrusted: Bool = true) {
        kept.withLock { kept in
            for cookie in cookies where cookie.isWellFormed {
                if !isTrusted, kept.contains(where: { cookie.hides($0) }) { continue }
                // A cookie keeps its place when its value changes, for servers look at the order.
                let index = kept.firstIndex { $0.isSame(as: cookie) }
                let hasEnded = (cookie.expires ?? .distantFuture) <= time
                switch (index, hasEnded) {
                case (let index?, false): kept[index] = cookie
                case (let index?, true): kept.remove(at: index)
                case (nil, false): kept.append(cookie)
                case (nil, true): break
                }
            }
            kept.removeAll { ($0.expires ?? .distantFuture) <= time }
            Self.evict(from: &kept)
        }
    }

    /// Takes out the oldest of those domains that have too many.
    private static func evict(from kept: inout [Cookie]) {
        var counts = kept.reduce(into: [:]) { $0[$1.domain, default: 0] += 1 }
        func evict(_ count: Int, of domain: String) {
            var left = count
            kept.removeAll { cookie in
                guard left > 0, cookie.domain == domain else { return false }
                left -= 1
                return true
            }
            counts[domain, default: 0] -= count
        }
        for (domain, count) in counts where count > mostCookiesOfDomain { evict(count - mostCookiesOfDomain, of: domain) }
        while kept.count > mostCookies, let largest = counts.max(by: { $0.value < $1.value }) { evict(1, of: largest.key) }
    }
}

extension HTTPRequest {
    /// The request with the jar's cookies, unless it has some of its own.
    func adding(_ jar: CookieJar?) -> HTTPRequest {
        guard let jar, !headers.contains("Cookie"), let cookies = jar.header(for: address) else { return self }
        var request = self
        request.headers["Cookie"] = cookies
        return request
    }
}

/// Takes apart the `Set-Cookie` headers that Foundation has joined into one line.
enum JoinedCookies {
    /// A comma ends a header if a name and an equals sign follow; others belong to dates.
    static func split(_ line: String) -> [String] {
        var lines: [String] = []
        var current = ""
        // By code points: a comma and an accent behind it are one character.
        for part in line.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.drop { $0 == " " }.prefix { $0 != "=" }
            let beginsAnother = part.contains("=") && !name.isEmpty && HeaderRules.isToken(String(name))
            if lines.isEmpty, current.isEmpty {
                current = String(part)
            } else if beginsAnother {
                lines.append(current)
                current = String(part.drop { $0 == " " })
            } else {
                current += "," + String(part)
            }
        }
        lines.append(current)
        return lines
    }
}
