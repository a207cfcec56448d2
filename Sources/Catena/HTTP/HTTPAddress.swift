public import Foundation

/// An absolute http or https address in the form in which it is sent: checked, percent-encoded, without user information and
/// without a fragment.
///
/// It keeps the text, because that is what a transport needs; Foundation's `URL` is made from it when asked for.
public struct HTTPAddress: Sendable, Hashable, CustomStringConvertible {
    let place: HTTPOrigin
    /// The percent-encoded path, starting with a slash.
    public package(set) var path: String
    /// The percent-encoded query without its question mark; `nil` if there is none.
    public package(set) var query: String?
    /// How the address is shown.
    var shown = RedactionContext()

    init(scheme: String, host: String, port: Int?, path: String, query: String?) {
        place = HTTPOrigin(scheme: scheme, host: host, port: port == Self.defaultPort(of: scheme) ? nil : port)
        self.path = path
        self.query = query
    }

    /// `http` or `https`.
    public var scheme: String { place.scheme }

    /// The host in lower case; an IPv6 address stands in brackets.
    public var host: String { place.host }

    /// The port if it is not the default one of the scheme.
    public var port: Int? { place.port }

    /// Scheme, host and port: what credentials are bound to (RFC 6454).
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

    /// Path and query, as a server gets them (RFC 9112 §3.2.1).
    var target: String {
        guard let query else { return path }
        return "\(path)?\(query)"
    }

    /// The address as Foundation's type.
    public var url: URL {
        // What is kept here is a subset of what `URL` accepts (tested over generated addresses); the fallback keeps this total.
        URL(string: text) ?? URL(fileURLWithPath: path)
    }

    /// The address without secrets.
    public var description: String { shown.current.redact(self) }

    /// How many bytes path and query may have: no server reads more, and most stop at an eighth of it.
    static let longest = 64 * 1024

    static func defaultPort(of scheme: String) -> Int {
        scheme == "https" ? 443 : 80
    }
}

extension HTTPAddress {
    /// Reads an absolute address, in the same way as a host or an absolute URL that is given to a request: without a scheme it is https.
    ///
    /// - Returns: `nil` if it is not an http or https address, or has user information or a control character.
    public init?(_ text: String) {
        do throws(Fault) {
            self = try HTTPAddress(parsing: text)
        } catch {
            return nil
        }
    }

    /// Why a text is not an address.
    package struct Fault: Error {
        package let reason: String
    }

    /// Text is read by scalars: as a `Character`, a delimiter with a combining mark behind it would not be seen, while Foundation
    /// and servers see it.
    typealias Scalars = Substring.UnicodeScalarView

    /// Reads an absolute address; without a scheme it is taken for https.
    ///
    /// User information is refused: a password in an address ends up in logs, and `http://known@evil.example` misleads (RFC 3986
    /// §7.6). A fragment is dropped, since it is never sent (RFC 9110 §4.2.5), and dot segments are removed.
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
        // `localhost:8080` is a host and its port; whatever else stands before a colon is a scheme (RFC 3986 §3.1).
        if let first = after.first, ("0"..."9").contains(first) { return "https" }
        let scheme = try checkedScheme(name, followedBy: after)
        rest = after.dropFirst(2)
        return scheme
    }

    /// What stands before the first colon if it has the form of a scheme.
    static func schemeName(of text: Scalars) -> Scalars? {
        // As most paths begin.
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
