public import CatenaPlatform

/// An absolute http or https address in its wire form: validated and percent-encoded, without user information and fragment.
///
/// It stores text, because transports need text, and creates Foundation's `URL` on demand.
public struct HTTPAddress: Sendable, Hashable, CustomStringConvertible {
    let place: HTTPOrigin
    /// The percent-encoded path, starting with a slash.
    public package(set) var path: String
    /// The percent-encoded query without its question mark, or `nil` if there is none.
    public package(set) var query: String?
    /// The secrets to hide when the address is shown.
    var shown = RedactionContext()

    init(scheme: String, host: String, port: Int?, path: String, query: String?) {
        self.init(
            place: HTTPOrigin(scheme: scheme, host: host, port: port == Self.defaultPort(of: scheme) ? nil : port), path: path, query: query
        )
    }

    init(place: HTTPOrigin, path: String, query: String?) {
        self.place = place
        self.path = path
        self.query = query
    }

    /// `http` or `https`.
    public var scheme: String { place.scheme }

    /// The host in lower case; an IPv6 address is in brackets.
    public var host: String { place.host }

    /// The port, or `nil` if it is the default port of the scheme.
    public var port: Int? { place.port }

    /// The scheme, host and port, to which credentials are bound (RFC 6454).
    public var origin: String { place.text }

    /// The whole address.
    public var text: String {
        var text = origin
        text.reserveCapacity(text.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + 1)
        text += path
        if let query {
            text += "?"
            text += query
        }
        return text
    }

    /// The path and the query, as they are sent to a server (RFC 9112 §3.2.1).
    var target: String {
        guard let query else { return path }
        return "\(path)?\(query)"
    }

    /// The address as Foundation's type.
    public var url: URL {
        // The accepted addresses are a subset of what `URL` accepts, as tests with generated addresses show. The fallback avoids an
        // optional.
        URL(string: text) ?? URL(fileURLWithPath: path)
    }

    /// The address without secrets.
    public var description: String { shown.current.redact(self) }

    /// The maximum length of path and query in bytes. No server reads more, and most accept at most an eighth.
    static let longest = 64 * 1024

    static func defaultPort(of scheme: String) -> Int {
        scheme == "https" ? 443 : 80
    }
}

extension HTTPAddress {
    /// Parses an absolute address like a host or an absolute URL of a request: without a scheme it is https.
    public init?(_ text: String) {
        do throws(Fault) {
            self = try HTTPAddress(parsing: text)
        } catch {
            return nil
        }
    }

    /// The reason why a text is not an address.
    package struct Fault: Error {
        package let reason: String
    }

    /// Text is parsed by scalars. A `Character` that joins a delimiter and a combining mark would hide the delimiter, which Foundation and
    /// servers see.
    package typealias Scalars = Substring.UnicodeScalarView

    /// Parses an absolute address; without a scheme it is https.
    ///
    /// User information is rejected: a password in an address ends up in logs, and `http://known@evil.example` misleads (RFC 3986 §7.6). A
    /// fragment is dropped, because it is never sent (RFC 9110 §4.2.5). Dot segments are removed.
    package init(parsing text: String) throws(Fault) {
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw Fault(reason: "it contains a control character")
        }
        var rest = text.unicodeScalars.prefix { $0 != "#" }
        let scheme = try Self.takeScheme(&rest)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let (host, port) = try Self.hostAndPort(authority)
        rest = rest[authority.endIndex...]
        let path = rest.prefix { $0 != "?" }
        let query = path.endIndex == rest.endIndex ? nil : String(rest[path.endIndex...].dropFirst())
        self.init(
            scheme: scheme,
            host: host,
            port: port,
            path: path.isEmpty ? "/" : Self.removingDotSegments(from: PercentEncoding.path.encode(String(path))),
            query: query.map { PercentEncoding.queryText.encode($0) }
        )
    }

    private static func takeScheme(_ rest: inout Scalars) throws(Fault) -> String {
        if rest.starts(with: "//".unicodeScalars) {
            rest = rest.dropFirst(2)
            return "https"
        }
        guard let name = schemeName(of: rest) else { return "https" }
        let after = rest[name.endIndex...].dropFirst()
        // `localhost:8080` is a host and its port. Any other text before a colon is a scheme (RFC 3986 §3.1).
        if let first = after.first, ("0"..."9").contains(first) { return "https" }
        let scheme = try checkedScheme(name, followedBy: after)
        rest = after.dropFirst(2)
        return scheme
    }

    /// Returns the text before the first colon if it has the form of a scheme.
    package static func schemeName(of text: Scalars) -> Scalars? {
        // Most references are paths that begin with a slash.
        if text.first == "/" { return nil }
        let name = text.prefix { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "+", "-", ".": true
            default: false
            }
        }
        guard name.first?.properties.isAlphabetic == true, text[name.endIndex...].first == ":" else { return nil }
        return name
    }

    static func checkedScheme(_ name: Scalars, followedBy rest: Scalars) throws(Fault) -> String {
        let scheme = String(name).lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw Fault(reason: "the scheme \"\(scheme)\" is neither http nor https")
        }
        guard rest.starts(with: "//".unicodeScalars) else { throw Fault(reason: "two slashes must follow the scheme") }
        return scheme
    }
}

/// The scheme, host and port of an address. All addresses made from one share its object, so that a call has the values that were computed
/// when the host was configured.
final class HTTPOrigin: Sendable, Hashable {
    let scheme: String
    let host: String
    /// The port, or `nil` if it is the default port of the scheme.
    let port: Int?
    /// The text of the origin, such as `https://forum.example.com:8443`.
    let text: String
    /// Whether the host is this machine.
    let isLoopback: Bool

    init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port
        text = port.map { "\(scheme)://\(host):\($0)" } ?? "\(scheme)://\(host)"
        // A host name may also begin with 127.
        isLoopback = host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 < 0x41 }
    }

    static func == (left: HTTPOrigin, right: HTTPOrigin) -> Bool { left === right || left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
