public import Foundation

/// An absolute http or https address in the form in which it is sent: checked, percent-encoded, without user information and
/// without a fragment.
///
/// It keeps the text, because that is what a transport needs; Foundation's `URL` is made from it when asked for.
public struct HTTPAddress: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// The host in lower case; an IPv6 address stands in brackets.
    public let host: String
    /// The port if it is not the default one of the scheme.
    public let port: Int?
    /// The percent-encoded path, starting with a slash.
    public package(set) var path: String
    /// The percent-encoded query without its question mark; `nil` if there is none.
    public package(set) var query: String?
    /// How the address is shown.
    var shown = ShownForm()

    init(scheme: String, host: String, port: Int?, path: String, query: String?) {
        self.scheme = scheme
        self.host = host
        self.port = port == Self.defaultPort(of: scheme) ? nil : port
        self.path = path
        self.query = query
    }

    /// Scheme, host and port: what credentials are bound to (RFC 6454).
    public var origin: String {
        guard let port else { return "\(scheme)://\(host)" }
        return "\(scheme)://\(host):\(port)"
    }

    /// The whole address.
    public var text: String {
        var text = scheme
        text.reserveCapacity(scheme.utf8.count + host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + 12)
        text += "://"
        text += host
        if let port {
            text += ":"
            text += String(port)
        }
        text += path
        if let query {
            text += "?"
            text += query
        }
        return text
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
