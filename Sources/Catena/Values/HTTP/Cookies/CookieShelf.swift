import CatenaPlatform
import Dispatch

/// The cookies of a jar: replacement, eviction and the choice for a header. Pure.
struct CookieShelf: Sendable {
    /// A cookie and the host that set it.
    struct Entry: Sendable, Codable, Equatable {
        var cookie: Cookie
        let setter: String
    }

    /// The maximum number of cookies in all, and of one host that sets them (RFC 6265bis §5.7). A host that exceeds its limit loses its own
    /// cookies. So no host can evict another's cookies, for whichever domain it sets them.
    static let mostCookies = 3000
    static let mostCookiesOfHost = 180
    /// The maximum length of the `Cookie` header in bytes. Many servers reject heads of 8 KB and more. Cookies beyond this length stay in
    /// the jar.
    static let longestHeader = 16 * 1024

    /// The cookies, the oldest first.
    var entries: [Entry] = []
    /// The user to whom the cookies belong, or `nil` if no user is signed in or the jar does not distinguish users.
    private(set) var user: ExactText?
    var isLoaded = false

    /// The cookies that outlive the process. Session cookies do not.
    var lasting: [Entry] { entries.filter { $0.cookie.expires != nil } }

    // MARK: Setting

    /// - Parameters:
    ///   - setter: The host that sets the cookies.
    ///   - isTrusted: Whether they arrive over https, or from the app itself.
    mutating func put(_ cookies: [Cookie], from setter: String, isTrusted: Bool, at time: Date, _ suffixes: PublicSuffixes) {
        for cookie in cookies where cookie.isWellFormed {
            if !isTrusted, entries.contains(where: { cookie.hides($0.cookie) }) { continue }
            // A cookie keeps its position when its value changes, because servers rely on the order.
            let index = entries.firstIndex { $0.cookie.isSame(as: cookie) }
            let hasEnded = (cookie.expires ?? .distantFuture) <= time
            switch (index, hasEnded) {
            case (let index?, false): entries[index] = Entry(cookie: cookie, setter: setter)
            case (let index?, true): entries.remove(at: index)
            case (nil, false): entries.append(Entry(cookie: cookie, setter: setter))
            case (nil, true): break
            }
        }
        entries.removeAll { ($0.cookie.expires ?? .distantFuture) <= time }
        evict(suffixes)
    }

    /// Evicts excess cookies: of a host or site, first those that are not secure, then the oldest (RFC 6265bis §5.7).
    private mutating func evict(_ suffixes: PublicSuffixes) {
        var counts = entries.reduce(into: [:]) { $0[$1.setter, default: 0] += 1 }
        for (setter, count) in counts where count > Self.mostCookiesOfHost {
            evict(count - Self.mostCookiesOfHost, of: setter)
            counts[setter] = Self.mostCookiesOfHost
        }
        guard entries.count > Self.mostCookies else { return }
        // Count by site, so that a site with many hosts cannot evict the cookies of others.
        let sites = counts.keys.reduce(into: [:]) { $0[suffixes.site(of: $1), default: []].append($1) }
        var sizes = sites.mapValues { $0.reduce(0) { $0 + counts[$1, default: 0] } }
        // Hosts with cookies that are not secure come first. Another host of the site could otherwise evict secure cookies with such cookies.
        var plain: [String: Int] = entries.reduce(into: [:]) { if !$1.cookie.isSecure { $0[$1.setter, default: 0] += 1 } }
        while entries.count > Self.mostCookies, let site = sizes.max(by: { $0.value < $1.value })?.key,
            let setter = sites[site]?.max(by: {
                (plain[$0, default: 0], counts[$0, default: 0]) < (plain[$1, default: 0], counts[$1, default: 0])
            })
        {
            evict(1, of: setter)
            if let left = plain[setter], left > 0 { plain[setter] = left - 1 }
            counts[setter, default: 1] -= 1
            sizes[site, default: 1] -= 1
        }
    }

    private mutating func evict(_ count: Int, of setter: String) {
        var left = count
        for isSecure in [false, true] {
            entries.removeAll { entry in
                guard left > 0, entry.setter == setter, entry.cookie.isSecure == isSecure else { return false }
                left -= 1
                return true
            }
        }
    }

    // MARK: Sending

    /// Returns the header for cookies that match an address: the longest paths first, then the oldest (RFC 6265bis §5.8.3). If they exceed
    /// the length, secure cookies take precedence.
    static func header(of cookies: [Cookie]) -> String? {
        if cookies.isEmpty { return nil }
        let ordered = cookies.enumerated().sorted {
            ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
        }.map(\.element)
        var length = 0
        var isSent = [Bool](repeating: false, count: ordered.count)
        for isSecure in [true, false] {
            for (index, cookie) in ordered.enumerated() where cookie.isSecure == isSecure {
                let added = cookie.pair.utf8.count + (length == 0 ? 0 : 2)
                guard length + added <= longestHeader else { continue }
                length += added
                isSent[index] = true
            }
        }
        let sent = zip(ordered, isSent).filter { $0.1 }.map { $0.0.pair }
        return sent.isEmpty ? nil : sent.joined(separator: "; ")
    }

    // MARK: Users

    /// Inserts stored cookies before those that have been set since.
    mutating func load(_ found: KeptCookies) {
        let present = entries.map(\.cookie)
        entries = found.entries.filter { entry in entry.cookie.isWellFormed && !present.contains { $0.isSame(as: entry.cookie) } } + entries
        if user == nil { user = found.user }
    }

    /// Sets the signed-in user. Cookies set before a sign-in become the user's; those of another user are removed.
    ///
    /// - Returns: Whether cookies were removed.
    mutating func become(_ user: ExactText?) -> Bool {
        defer { self.user = user }
        guard self.user != nil, self.user != user else { return false }
        let hadCookies = !entries.isEmpty
        entries = []
        return hadCookies
    }
}

/// The cookies of one user in their stored form.
public struct KeptCookies: Codable, Sendable {
    let user: ExactText?
    let entries: [CookieShelf.Entry]
}

extension KeptCookies: CustomStringConvertible, CustomReflectable {
    /// The cookies without their values.
    public var description: String { "\(entries.map(\.cookie))" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// Writes the cookies of a jar to a store, one write at a time.
struct CookieKeeper: Sendable {
    /// Returns the signed-in user.
    let user: @Sendable () -> String?
    let load: @Sendable () -> KeptCookies?
    let write: @Sendable (KeptCookies?) throws -> Void
    private let queue = DispatchQueue(label: "catena.cookies")

    func save(_ present: () -> CookieShelf) throws {
        try queue.sync { try write(Self.kept(present())) }
    }

    /// Writes the cookies that are current when the queue runs the write. After a failure, the next change writes them again.
    func saveLater(_ present: @escaping @Sendable () -> CookieShelf) {
        queue.async { try? write(Self.kept(present())) }
    }

    private static func kept(_ shelf: CookieShelf) -> KeptCookies? {
        shelf.lasting.isEmpty ? nil : KeptCookies(user: shelf.user, entries: shelf.lasting)
    }
}
