public import CatenaPlatform

/// A cookie of a ``CookieJar``.
public struct Cookie: Sendable, Hashable, Codable {
    /// The name of the cookie.
    public let name: String
    /// The value of the cookie, as it is sent.
    public let value: String
    /// The host of the cookie, without a leading dot.
    public let domain: String
    /// The path of the cookie, which includes all paths below it.
    public let path: String
    /// Whether the cookie is sent only to ``domain`` and not to its subdomains.
    public let isHostOnly: Bool
    /// Whether the cookie is sent only over https.
    public let isSecure: Bool
    /// The time of expiry, or `nil` for a cookie that lasts as long as the jar.
    public let expires: Date?

    /// Returns whether the cookie is sent with a request to an address (RFC 6265 §5.4).
    func belongs(to address: HTTPAddress, at time: Date) -> Bool {
        if let expires, expires <= time { return false }
        if isSecure, address.scheme != "https" { return false }
        let fitsHost = isHostOnly ? address.host == domain : Self.matches(address.host, domain: domain)
        return fitsHost && Self.matches(path: address.path, of: path)
    }

    /// Whether the cookie can be sent: it contains nothing that would end it or the header. A server's cookie is returned unchanged,
    /// whatever else it contains (RFC 6265bis §5.6).
    var isWellFormed: Bool {
        guard !name.utf8.contains(UInt8(ascii: "=")), name.isEmpty ? isNamelessValue : true else { return false }
        return (name + value).utf8.allSatisfy { byte in
            (byte >= 0x20 || byte == 0x09) && byte != 0x7F && byte != UInt8(ascii: ";")
        }
    }

    /// Whether the value can be sent without a name. It must not look like a name and a value, or like the name of a cookie that only https
    /// may set.
    private var isNamelessValue: Bool {
        !value.isEmpty && !value.utf8.contains(UInt8(ascii: "="))
            && !["__secure-", "__host-", "__http-"].contains { value.lowercased().utf8.starts(with: $0.utf8) }
    }

    /// The cookie as written in a `Cookie` header (RFC 6265bis §5.8.3).
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

    /// Returns whether this cookie would shadow a secure cookie with the same name (RFC 6265bis §5.7).
    func hides(_ secure: Cookie) -> Bool {
        secure.isSecure && name.utf8.elementsEqual(secure.name.utf8)
            && (Cookie.matches(domain, domain: secure.domain) || Cookie.matches(secure.domain, domain: domain))
    }

    /// Returns whether the cookies would replace each other.
    func isSame(as other: Cookie) -> Bool {
        // By bytes, because servers see different names if a letter is composed differently.
        name.utf8.elementsEqual(other.name.utf8) && domain == other.domain
            && path.utf8.elementsEqual(other.path.utf8)
    }

    /// Returns whether a host matches a domain (RFC 6265 §5.1.3).
    static func matches(_ host: String, domain: String) -> Bool {
        host == domain || (host.hasSuffix("." + domain) && !isNumeric(host))
    }

    /// Returns whether a host is an IP address, which has no subdomains.
    static func isNumeric(_ host: String) -> Bool {
        host.hasPrefix("[") || (host.split(separator: ".").last.map { $0.allSatisfy(\.isNumber) } ?? false)
    }

    /// Returns whether a path matches the path of a cookie (RFC 6265 §5.1.4).
    private static func matches(path: String, of scope: String) -> Bool {
        path == scope || (path.hasPrefix(scope) && (scope.hasSuffix("/") || path.dropFirst(scope.count).hasPrefix("/")))
    }
}

extension Cookie {
    /// Makes a cookie for one host and all its paths.
    public init(name: String, value: String, host: String) {
        self.init(name: name, value: value, domain: host.lowercased(), path: "/", isHostOnly: true, isSecure: false, expires: nil)
    }

    /// Parses a `Set-Cookie` header (RFC 6265 §5.2, §5.3). Returns `nil` if it is malformed or the server may not set the cookie.
    ///
    /// An expired cookie is returned too, because it removes another one.
    ///
    /// - Parameter suffixes: Distinguishes the domains of registries from those of sites.
    init?(parsing header: String, from address: HTTPAddress, at time: Date, suffixes: PublicSuffixes = PublicSuffixes()) {
        // By code points, because a sign and a following combining accent form one character.
        let parts = header.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first else { return nil }
        // Without an equals sign, the pair is a value without a name.
        let equals = pair.firstIndex(of: "=")
        let name = equals.map { Substring(pair[..<$0]).trimmed() } ?? ""
        let value = Substring(equals.map { pair[$0...].dropFirst() } ?? pair).trimmed()
        // Browsers also reject longer cookies. Semicolons and line breaks have been removed before.
        guard !name.isEmpty || !value.isEmpty, name.utf8.count + value.utf8.count <= 4096 else { return nil }

        let attributes = Attributes(parts.dropFirst(), at: time)
        // The prefixes apply in any case, because some servers ignore the case of names (RFC 6265bis §5.7).
        func begins(with prefix: String) -> Bool { name.lowercased().utf8.starts(with: prefix.utf8) }
        if attributes.isSecure || begins(with: "__secure-"), address.scheme != "https" || !attributes.isSecure { return nil }
        if begins(with: "__host-"), !attributes.isSecure || attributes.domain != nil || attributes.path != "/" { return nil }
        var (domain, isHostOnly) = (address.host, true)
        if let wanted = attributes.domain {
            let isSuffix = suffixes.contains(wanted)
            guard wanted == address.host || Self.matches(address.host, domain: wanted) && !isSuffix else { return nil }
            (domain, isHostOnly) = (wanted, isSuffix || Self.isNumeric(wanted))
        }
        self.init(
            name: name, value: value, domain: domain, path: attributes.path ?? Self.defaultPath(address.path),
            isHostOnly: isHostOnly, isSecure: attributes.isSecure, expires: attributes.expires)
    }

    private struct Attributes {
        var domain: String?
        var path: String?
        var isSecure = false
        var expires: Date?

        /// The maximum length of an attribute's value in bytes.
        private static let longestValue = 1024

        init(_ parts: ArraySlice<Substring.UnicodeScalarView>, at time: Date) {
            var age: Date?
            for part in parts {
                let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let value = sides.count > 1 ? Substring(sides[1]).trimmed() : ""
                // Ignore an attribute that is too long (RFC 6265bis §5.6).
                if value.utf8.count > Self.longestValue { continue }
                switch Substring(sides[0]).trimmed().lowercased() {
                case "domain": domain = value.isEmpty ? nil : (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
                case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
                case "secure": isSecure = true
                case "max-age": age = Self.date(after: value, from: time) ?? age
                case "expires": expires = CookieDate.parse(value) ?? expires
                default: break
                }
            }
            // `Max-Age` takes precedence over `Expires`, in any order.
            expires = age ?? expires
        }

        private static func date(after seconds: String, from time: Date) -> Date? {
            let digits = seconds.hasPrefix("-") ? seconds.dropFirst() : seconds[...]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
            if seconds.hasPrefix("-") { return .distantPast }
            return Double(digits).map { $0 == 0 ? .distantPast : time.addingTimeInterval(min($0, 1e10)) }
        }
    }

    /// Returns the folder of a path (RFC 6265 §5.1.4).
    private static func defaultPath(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

/// Parses the dates that servers write in cookies (RFC 6265 §5.1.1).
enum CookieDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    static func parse(_ text: String) -> Date? {
        var components = DateComponents()
        components.timeZone = TimeZone(secondsFromGMT: 0)
        for token in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != ":" }) {
            let numbers = token.split(separator: ":").map { Int($0) }
            if components.hour == nil, numbers.count == 3, let hour = numbers[0], let minute = numbers[1], let second = numbers[2] {
                (components.hour, components.minute, components.second) = (hour, minute, second)
            } else if components.day == nil, token.count <= 2, let day = Int(token) {
                components.day = day
            } else if components.month == nil, let month = months.firstIndex(of: token.prefix(3).lowercased()) {
                components.month = month + 1
            } else if components.year == nil, (2...4).contains(token.count), let year = Int(token) {
                components.year = year < 70 ? year + 2000 : year < 100 ? year + 1900 : year
            }
        }
        guard let year = components.year, year >= 1601, let month = components.month, let day = components.day,
            day >= 1, day <= HeaderDate.length(ofMonth: month, year: year),
            let hour = components.hour, (0...23).contains(hour), let minute = components.minute, (0...59).contains(minute),
            let second = components.second, (0...59).contains(second)
        else { return nil }
        return Calendar(identifier: .gregorian).date(from: components)
    }
}
