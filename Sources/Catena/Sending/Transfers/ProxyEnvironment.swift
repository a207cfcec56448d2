#if canImport(Glibc)
import CatenaPlatform

/// The proxies that the environment variables name, and the hosts that are reached without one. Pure.
package struct ProxyEnvironment: Sendable {
    private let http: String?
    private let https: String?
    private let exceptions: ProxyExceptions

    /// Reads the variables with the names that curl uses. Ignores `HTTP_PROXY`, because a web server sets it from a client's `Proxy`
    /// header.
    package init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        let every = environment["all_proxy"] ?? environment["ALL_PROXY"]
        http = environment["http_proxy"] ?? every
        https = environment["https_proxy"] ?? environment["HTTPS_PROXY"] ?? every
        exceptions = ProxyExceptions(environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")
    }

    /// Returns the proxy for an origin, or "" if it is reached without one.
    func proxy(for origin: HTTPOrigin) -> String {
        // A proxy cannot reach this machine by its loopback names.
        if origin.isLoopback { return "" }
        guard let proxy = origin.scheme == "https" ? https : http, !proxy.isEmpty, !exceptions.contain(origin) else { return "" }
        return proxy
    }
}

extension ProxyEnvironment {
    /// The credentials of all proxies.
    package var credentials: [String] { (http.map { Self.credentials(in: $0) } ?? []) + (https.map { Self.credentials(in: $0) } ?? []) }

    /// Returns the secret in the address of a proxy, as it stands there and decoded, and the credentials as they are sent (RFC 7617 §2).
    ///
    /// The secret is the password, or a user name without one, which may be a token.
    static func credentials(in proxy: String) -> [String] {
        // Search code points, because a sign and a following combining accent form one character.
        let text = proxy.unicodeScalars
        let start = proxy.firstRange(of: "://")?.upperBound ?? proxy.startIndex
        guard let end = text.lastIndex(of: "@"), start < end else { return [] }
        let colon = text[start..<end].firstIndex(of: ":") ?? end
        let (name, password) = (String(text[start..<colon]), String(text[colon..<end].dropFirst()))
        let secret = password.isEmpty ? name : password
        let sent = [name, password].map { PercentDecoding.decode($0, plusIsSpace: false) }.joined(separator: ":")
        return [secret, PercentDecoding.decode(secret, plusIsSpace: false), Data(sent.utf8).base64EncodedString()]
    }
}

/// The hosts of `NO_PROXY`, separated by commas or white space. Pure.
///
/// A name is `*`, `example.com`, `.example.com` or `*.example.com`, each with an optional port. An address is IPv4 or IPv6, with or without
/// brackets. A network is `10.0.0.0/8`, `2001:db8::/32` or `10.*`.
struct ProxyExceptions: Sendable {
    private enum Pattern: Sendable {
        case every
        /// A name and its subdomains.
        case domain(String)
        case network([UInt8], bits: Int)
    }

    private let patterns: [(pattern: Pattern, port: Int?)]

    init(_ list: String) {
        patterns = list.split { $0 == "," || $0.isWhitespace }.compactMap { Self.entry(String($0).lowercased()) }
    }

    func contain(_ origin: HTTPOrigin) -> Bool {
        let port = origin.port ?? HTTPAddress.defaultPort(of: origin.scheme)
        let name = Self.trimmed(origin.host)
        let address = Self.bytes(name)
        return patterns.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            switch entry.pattern {
            case .every: return true
            case .domain(let domain): return address == nil && (name == domain || name.hasSuffix("." + domain))
            case .network(let network, let bits): return address.map { Self.isIn($0, network, bits: bits) } ?? false
            }
        }
    }

    private static func entry(_ text: String) -> (Pattern, Int?)? {
        if text == "*" { return (.every, nil) }
        let (host, port) = split(text)
        if let network = network(host) { return (network, port) }
        var name = Substring(trimmed(host))
        if name.hasPrefix("*.") { name = name.dropFirst() }
        while name.first == "." { name = name.dropFirst() }
        return name.isEmpty ? nil : (.domain(String(name)), port)
    }

    /// Splits `host:port`. An IPv6 address without brackets has no port, because all its colons belong to the address.
    private static func split(_ text: String) -> (host: String, port: Int?) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]), (1...65_535).contains(port) else {
            return (text, nil)
        }
        let host = text[..<colon]
        guard !host.contains(":") || host.hasSuffix("]") else { return (text, nil) }
        return (String(host), port)
    }

    private static func network(_ text: String) -> Pattern? {
        if let slash = text.firstIndex(of: "/") {
            guard let address = bytes(trimmed(String(text[..<slash]))), let bits = Int(text[text.index(after: slash)...]),
                (0...address.count * 8).contains(bits)
            else { return nil }
            return .network(address, bits: bits)
        }
        if text.hasSuffix(".*") {
            let parts = text.dropLast(2).split(separator: ".", omittingEmptySubsequences: false).map { $0 == "*" ? nil : UInt8($0) }
            guard (1...3).contains(parts.count), let first = parts.first, first != nil else { return nil }
            let known = parts.prefix { $0 != nil }.compactMap { $0 }
            return .network(known + [UInt8](repeating: 0, count: 4 - known.count), bits: known.count * 8)
        }
        return bytes(trimmed(text)).map { .network($0, bits: $0.count * 8) }
    }

    /// Returns the host without brackets, zone and final dot.
    private static func trimmed(_ host: String) -> String {
        var host = Substring(host)
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        if let zone = host.firstIndex(of: "%") { host = host[..<zone] }
        if host.hasSuffix(".") { host = host.dropLast() }
        return String(host)
    }

    /// Returns the bytes of an address in any spelling. An IPv4-mapped IPv6 address becomes its IPv4 bytes.
    private static func bytes(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        return bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) ? Array(bytes.suffix(4)) : bytes
    }

    private static func isIn(_ address: [UInt8], _ network: [UInt8], bits: Int) -> Bool {
        guard address.count == network.count else { return false }
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard address.prefix(whole).elementsEqual(network.prefix(whole)) else { return false }
        return rest == 0 || (address[whole] ^ network[whole]) >> (8 - UInt8(rest)) == 0
    }
}
#endif
