public import Foundation

/// A cookie, as a ``CookieJar`` keeps it.
public struct Cookie: Sendable, Hashable {
    public let name: String
    public let value: String
    /// The host that it belongs to, without a leading dot.
    public let domain: String
    public let path: String
    /// Whether it goes to ``domain`` alone and not to the hosts below it.
    public let isHostOnly: Bool
    /// Whether it goes over https only.
    public let isSecure: Bool
    /// When it ends; `nil` is when the jar does.
    public let expires: Date?

    /// A cookie of your own making, for one host and all its paths.
    public init(name: String, value: String, host: String) {
        self.init(name: name, value: value, domain: host.lowercased(), path: "/", isHostOnly: true, isSecure: false, expires: nil)
    }

    init(name: String, value: String, domain: String, path: String, isHostOnly: Bool, isSecure: Bool, expires: Date?) {
        self.name = name
        self.value = value
        self.domain = domain
        self.path = path
        self.isHostOnly = isHostOnly
        self.isSecure = isSecure
        self.expires = expires
    }

    /// Whether it goes along with a request to an address (RFC 6265 §5.4).
    func belongs(to address: HTTPAddress, at time: Date) -> Bool {
        if let expires, expires <= time { return false }
        if isSecure, address.scheme != "https" { return false }
        let fitsHost = isHostOnly ? address.host == domain : Self.matches(address.host, domain: domain)
        return fitsHost && Self.matches(path: address.path, of: path)
    }

    /// Whether it can be sent: nothing in it may end it, or the header. What servers set is sent back as it came, whatever else is in
    /// it (RFC 6265 §5.2).
    var isWellFormed: Bool {
        !name.isEmpty && !name.utf8.contains(UInt8(ascii: "="))
            && (name + value).utf8.allSatisfy { byte in
                byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: ";")
            }
    }

    /// Whether it has the name of a cookie that only https may set, where that goes (RFC 6265bis §5.7).
    func hides(_ secure: Cookie) -> Bool {
        secure.isSecure && name == secure.name
            && (Cookie.matches(domain, domain: secure.domain) || Cookie.matches(secure.domain, domain: domain))
    }

    /// Whether the two would take each other's place.
    func isSame(as other: Cookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path
    }

    /// RFC 6265 §5.1.3.
    static func matches(_ host: String, domain: String) -> Bool {
        host == domain || (host.hasSuffix("." + domain) && !isNumeric(host))
    }

    /// Whether a host is an IP address, which has no hosts below it.
    static func isNumeric(_ host: String) -> Bool {
        host.hasPrefix("[") || (host.split(separator: ".").last.map { $0.allSatisfy(\.isNumber) } ?? false)
    }

    /// RFC 6265 §5.1.4.
    private static func matches(path: String, of scope: String) -> Bool {
        path == scope || (path.hasPrefix(scope) && (scope.hasSuffix("/") || path.dropFirst(scope.count).hasPrefix("/")))
    }
}
