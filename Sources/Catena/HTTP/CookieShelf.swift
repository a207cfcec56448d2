import Dispatch
import Foundation

/// The cookies of a jar: which ones replace each other, which ones have to go and which ones fit a header. Pure.
struct CookieShelf: Sendable {
    /// A cookie, and which host has set it.
    struct Entry: Sendable, Codable, Equatable {
        var cookie: Cookie
        let setter: String
    }

    /// How many cookies are kept in all, and of one host that sets them (RFC 6265bis §5.7). The host with too many loses its own, so that no
    /// host can push out what another one has set, for whichever domain it sets them.
    static let mostCookies = 3000
    static let mostCookiesOfHost = 180
    /// In bytes: the longest `Cookie` header that is sent. Many servers refuse heads of 8 KB and more; cookies beyond that length stay in the jar.
    static let longestHeader = 16 * 1024

    /// The oldest first.
    var entries: [Entry] = []
    /// The user whose cookies they are, or `nil` while no user is signed in and for a jar that knows no users.
    private(set) var user: String?
    var isLoaded = false

    /// The cookies that outlive the process. A session ends with it.
    var lasting: [Entry] { entries.filter { $0.cookie.expires != nil } }

    // MARK: Setting

    /// - Parameters:
    ///   - setter: The host that sets the cookies.
    ///   - isTrusted: Whether they come over https, or from the app itself.
    mutating func put(_ cookies: [Cookie], from setter: String, isTrusted: Bool, at time: Date, _ suffixes: PublicSuffixes) {
        for cookie in cookies where cookie.isWellFormed {
            if !isTrusted, entries.contains(where: { cookie.hides($0.cookie) }) { continue }
            // A cookie keeps its place when its value changes, for servers look at the order.
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

    /// Takes out what is too much: of a host, first what is not secure, then the oldest (RFC 6265bis §5.7).
    private mutating func evict(_ suffixes: PublicSuffixes) {
        var counts = entries.reduce(into: [:]) { $0[$1.setter, default: 0] += 1 }
        for (setter, count) in counts where count > Self.mostCookiesOfHost {
            evict(count - Self.mostCookiesOfHost, of: setter)
            counts[setter] = Self.mostCookiesOfHost
        }
        guard entries.count > Self.mostCookies else { return }
        // A site cannot push out others by having many hosts.
        let sites = counts.keys.reduce(into: [:]) { $0[suffixes.site(of: $1), default: []].append($1) }
        var sizes = sites.mapValues { $0.reduce(0) { $0 + counts[$1, default: 0] } }
        while entries.count > Self.mostCookies, let site = sizes.max(by: { $0.value < $1.value })?.key,
            let setter = sites[site]?.max(by: { counts[$0, default: 0] < counts[$1, default: 0] })
        {
            evict(1, of: setter)
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

    /// The header for cookies that fit an address: the longest paths first, then the oldest (RFC 6265bis §5.8.3). Where there are too many, those
    /// that are secure have their places first.
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

    /// Puts what was kept before what has been set since.
    mutating func load(_ found: KeptCookies) {
        let present = entries.map(\.cookie)
        entries = found.entries.filter { entry in entry.cookie.isWellFormed && !present.contains { $0.isSame(as: entry.cookie) } } + entries
        if user == nil { user = found.user }
    }

    /// Takes note of who is signed in. What was set before a sign-in belongs to who signs in; what is another user's goes.
    ///
    /// - Returns: Whether cookies had to go.
    mutating func become(_ user: String?) -> Bool {
        defer { self.user = user }
        guard self.user != nil, self.user != user else { return false }
        let hadCookies = !entries.isEmpty
        entries = []
        return hadCookies
    }
}

/// The cookies of one user, as a store keeps them.
public struct KeptCookies: Codable, Sendable {
    let user: String?
    let entries: [CookieShelf.Entry]
}

extension KeptCookies: CustomStringConvertible, CustomReflectable {
    /// The cookies without their values.
    public var description: String { "\(entries.map(\.cookie))" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// Keeps the cookies of a jar elsewhere, one write at a time.
struct CookieKeeper: Sendable {
    /// Gives the user who is signed in.
    let user: @Sendable () -> String?
    let load: @Sendable () -> KeptCookies?
    private let write: @Sendable (KeptCookies?) throws -> Void
    private let queue = DispatchQueue(label: "catena.cookies")

    init(
        user: @escaping @Sendable () -> String?, load: @escaping @Sendable () -> KeptCookies?,
        write: @escaping @Sendable (KeptCookies?) throws -> Void
    ) {
        (self.user, self.load, self.write) = (user, load, write)
    }

    func save(_ present: () -> CookieShelf) throws {
        try queue.sync { try write(Self.kept(present())) }
    }

    /// Writes what there is when its turn comes. What could not be written is written with the next change.
    func saveLater(_ present: @escaping @Sendable () -> CookieShelf) {
        queue.async { try? write(Self.kept(present())) }
    }

    private static func kept(_ shelf: CookieShelf) -> KeptCookies? {
        shelf.lasting.isEmpty ? nil : KeptCookies(user: shelf.user, entries: shelf.lasting)
    }
}
