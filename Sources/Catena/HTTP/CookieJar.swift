import Foundation

/// Keeps the cookies that servers set and sends them back.
///
/// There is none unless a profile has one, and each has its own:
///
/// ```swift
/// API.configure(.forum) { $0.cookieJar = CookieJar() }
/// ```
///
/// A `Cookie` header that a call or a common closure sets is sent instead of the jar's. The jar chooses the cookies anew for every
/// redirect.
public final class CookieJar: Sendable {
    private let now: @Sendable () -> Date
    private let suffixes: PublicSuffixes
    private let keeper: CookieKeeper?
    private let kept = Mutex(CookieShelf())

    /// Makes an empty jar, which keeps cookies in memory.
    ///
    /// - Parameter isPublicSuffix: Whether a domain belongs to a registry, so that no cookie is set for all sites below it. Without it the jar goes
    ///   by the form of a domain: one label, or a country's code below a usual word.
    public convenience init(isPublicSuffix: (@Sendable (_ domain: String) -> Bool)? = nil) {
        self.init(now: { Date() }, suffixes: PublicSuffixes(list: isPublicSuffix))
    }

    init(now: @escaping @Sendable () -> Date, suffixes: PublicSuffixes = PublicSuffixes(), keeper: CookieKeeper? = nil) {
        self.now = now
        self.suffixes = suffixes
        self.keeper = keeper
    }

    /// The cookies of the jar that have not ended, the oldest first.
    public var cookies: [Cookie] {
        let time = now()
        return read { shelf in shelf.entries.map(\.cookie).filter { ($0.expires ?? .distantFuture) > time } }
    }

    /// Puts a cookie in, unless it contains what cannot be sent, in place of one with the same name, host and path.
    public func set(_ cookie: Cookie) {
        change { $0.put([cookie], from: cookie.domain, isTrusted: true, at: now(), suffixes) }
    }

    /// Takes all cookies out, for example after signing out.
    public func removeAll() {
        change { $0.entries = [] }
    }

    /// The `Cookie` header for a request.
    func header(for address: HTTPAddress) -> String? {
        let time = now()
        return CookieShelf.header(of: read { shelf in shelf.entries.map(\.cookie).filter { $0.belongs(to: address, at: time) } })
    }

    /// Keeps what a response sets.
    func store(_ headers: HTTPHeaders, from address: HTTPAddress) {
        let lines = headers.values(for: "Set-Cookie")
        if lines.isEmpty { return }
        let time = now()
        let cookies = lines.compactMap { Cookie(parsing: $0, from: address, at: time, suffixes: suffixes) }
        change { $0.put(cookies, from: address.host, isTrusted: address.scheme == "https", at: time, suffixes) }
    }

    /// Writes the cookies that last to the store of the jar, and returns when they are there. A jar without a store has nothing to write.
    ///
    /// The jar does so by itself after each change, in the background.
    ///
    /// - Throws: The error of the store.
    public func save() throws {
        try keeper?.save { snapshot() }
    }

    private func snapshot() -> CookieShelf { kept.withLock { $0 } }

    private func read<Value>(_ look: (CookieShelf) -> Value) -> Value {
        guard let keeper else { return kept.withLock { look($0) } }
        let user = keeper.user()
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

    /// Loads what was kept, and leaves out what belongs to another user than the one who is signed in now.
    private func take(over keeper: CookieKeeper, _ user: String?) {
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
