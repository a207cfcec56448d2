import CatenaPlatform

/// Stores the cookies that servers set, and sends them back.
///
/// A client stores no cookies unless a profile has a jar. Each profile has its own:
///
/// ```swift
/// API.configure(.forum) { $0.cookieJar = CookieJar() }
/// ```
///
/// A `Cookie` header of a call or of a common closure replaces the jar's. After a redirect, the jar chooses the cookies again.
public final class CookieJar: Sendable {
    private let now: @Sendable () -> Date
    private let suffixes: PublicSuffixes
    private let keeper: CookieKeeper?
    private let kept = Mutex(CookieShelf())
    /// The read of the store, for which all calls wait.
    private let reading = SingleFlight<Int, Void>(endsWithLast: false)

    /// Makes an empty jar that stores cookies in memory.
    ///
    /// - Parameter isPublicSuffix: Returns whether a domain belongs to a registry, so that no cookie may be set for all sites below it.
    ///   Without it the jar decides by the form of a domain: one label, or a country code below a usual word.
    public convenience init(isPublicSuffix: (@Sendable (_ domain: String) -> Bool)? = nil) {
        self.init(now: { Date() }, suffixes: PublicSuffixes(list: isPublicSuffix))
    }

    init(now: @escaping @Sendable () -> Date, suffixes: PublicSuffixes = PublicSuffixes(), keeper: CookieKeeper? = nil) {
        self.now = now
        self.suffixes = suffixes
        self.keeper = keeper
    }

    /// An empty jar with the same rules, which stores its cookies in memory.
    var emptied: CookieJar { CookieJar(now: now, suffixes: suffixes) }

    /// The cookies that have not expired, the oldest first.
    public var cookies: [Cookie] {
        let time = now()
        return read { shelf in shelf.entries.map(\.cookie).filter { ($0.expires ?? .distantFuture) > time } }
    }

    /// Adds a cookie, or replaces the one with the same name, host and path. Ignores a cookie that contains characters that cannot be sent.
    public func set(_ cookie: Cookie) {
        change { $0.put([cookie], from: cookie.domain, isTrusted: true, at: now(), suffixes) }
    }

    /// Removes all cookies, for example after a sign-out.
    public func removeAll() {
        change { $0.entries = [] }
    }

    /// Returns the value of the `Cookie` header for a request, or `nil` if no cookie matches.
    func header(for address: HTTPAddress) -> String? {
        let time = now()
        return CookieShelf.header(of: read { shelf in shelf.entries.map(\.cookie).filter { $0.belongs(to: address, at: time) } })
    }

    /// Stores the cookies of a response.
    func store(_ headers: HTTPHeaders, from address: HTTPAddress) {
        let lines = headers.values(for: "Set-Cookie")
        if lines.isEmpty { return }
        let time = now()
        let cookies = lines.compactMap { Cookie(parsing: $0, from: address, at: time, suffixes: suffixes) }
        change { $0.put(cookies, from: address.host, isTrusted: address.scheme == "https", at: time, suffixes) }
    }

    /// Writes the persistent cookies to the store of the jar, and returns when they are stored. Does nothing without a store.
    ///
    /// The jar itself does this in the background after each change.
    ///
    /// - Throws: The error of the store.
    public func save() throws {
        try keeper?.save { snapshot() }
    }

    /// Whether the jar can be used without waiting for its store.
    var isLoaded: Bool { keeper == nil || kept.withLock { $0.isLoaded } }

    /// Reads the stored cookies on a thread that may block.
    func readStore() async throws {
        guard !isLoaded else { return }
        try await reading.run(0) { [self] in try await BlockingWork.run { self.read { _ in } } }
    }

    private func snapshot() -> CookieShelf { kept.withLock { $0 } }

    private func read<Value>(_ look: (CookieShelf) -> Value) -> Value {
        guard let keeper else { return kept.withLock { look($0) } }
        let user = keeper.user().map { ExactText($0) }
        let isNew = kept.withLock { $0.user != user || !$0.isLoaded }
        if isNew { take(over: keeper, user) }
        return look(snapshot())
    }

    private func change(_ work: (inout CookieShelf) -> Void) {
        read { _ in }
        let hasChanged = kept.withLock { shelf in
            let former = shelf.lasting
            work(&shelf)
            return keeper != nil && shelf.lasting != former
        }
        if hasChanged { keeper?.saveLater { [self] in snapshot() } }
    }

    /// Loads the stored cookies, and removes those of another user than the one who is signed in now.
    private func take(over keeper: CookieKeeper, _ user: ExactText?) {
        let isLoaded = kept.withLock { $0.isLoaded }
        let found = isLoaded ? nil : keeper.load()
        let hasLeft = kept.withLock { shelf in
            if !shelf.isLoaded {
                shelf.isLoaded = true
                if let found { shelf.load(found) }
            }
            return shelf.become(user)
        }
        if hasLeft { keeper.saveLater { [self] in snapshot() } }
    }
}

extension HTTPRequest {
    /// Returns the request with the jar's cookies, unless it has a `Cookie` header.
    func adding(_ jar: CookieJar?) -> HTTPRequest {
        guard let jar, !headers.contains("Cookie"), let cookies = jar.header(for: address) else { return self }
        var request = self
        request.headers["Cookie"] = cookies
        return request
    }
}

/// Splits `Set-Cookie` headers that Foundation has joined into one line.
package enum JoinedCookies {
    /// Splits at commas that are followed by a name and an equals sign. Other commas belong to dates.
    package static func split(_ line: String) -> [String] {
        var lines: [String] = []
        var current = ""
        // By code points, because a comma and a following combining accent form one character.
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

/// Distinguishes the domains of registries, such as `com` and `co.uk`, from those of sites.
struct PublicSuffixes: Sendable {
    /// The app's list of public suffixes, or `nil` to decide by the form of a domain.
    var list: (@Sendable (String) -> Bool)?

    /// Returns whether a domain belongs to a registry. A single label always does.
    func contains(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".")
        if labels.count < 2 { return true }
        return list?(domain) ?? Self.hasForm(labels)
    }

    /// Returns the site of a host: the domain directly below a registry's. The site of an IP address is the address itself.
    func site(of host: String) -> String {
        if Cookie.isNumeric(host) { return host }
        let labels = host.split(separator: ".")
        var site = host
        for start in labels.indices.dropFirst() {
            let parent = labels[start...].joined(separator: ".")
            if contains(parent) { break }
            site = parent
        }
        return site
    }

    /// Returns whether a domain is a country code with a common second-level label of registries. The full list changes weekly, so only the
    /// form is checked.
    private static func hasForm(_ labels: [Substring]) -> Bool {
        labels.count == 2 && labels[1].count == 2
            && ["co", "com", "net", "org", "gov", "edu", "ac", "ne", "or", "go", "mil", "id", "ltd", "plc", "gob"].contains(labels[0])
    }
}
