/// The version of HTTP that a tag requests.
///
/// ```swift
/// API.configure(.forum) { forum in
///     forum.httpVersion = .http1
/// }
/// ```
///
/// libcurl speaks all versions for which it was built. URLSession chooses the version itself, which is reported once as a diagnostic.
public struct HTTPVersion: Sendable, Hashable, CustomStringConvertible {
    /// HTTP/2 if a server over TLS offers it, otherwise HTTP/1.1.
    public static let automatic = HTTPVersion(description: "automatic")
    /// Only HTTP/1.1, with a separate connection for each request in progress.
    public static let http1 = HTTPVersion(description: "HTTP/1.1")
    /// HTTP/2. Over TLS, a server that does not offer HTTP/2 gets HTTP/1.1. Without TLS the server must support HTTP/2 (RFC 9113 §3.3).
    public static let http2 = HTTPVersion(description: "HTTP/2")
    /// HTTP/3 if the server can be reached over QUIC, otherwise a version that it offers over TLS. Calls fail if libcurl was built without
    /// HTTP/3.
    public static let http3 = HTTPVersion(description: "HTTP/3")

    /// The name of the version, such as `HTTP/2`.
    public let description: String
}

/// A tag's settings for reaching its server, as far as the transport does not decide.
package final class RequestRouting: Sendable, Equatable {
    let version: HTTPVersion
    /// The addresses by host name, in lower case.
    package let addresses: [String: [String]]
    /// Whether the request needs a new connection.
    let needsNewConnection: Bool

    /// Returns `nil` if the transport decides everything.
    init?(version: HTTPVersion, addresses: [String: [String]]) {
        if version == .automatic, addresses.isEmpty { return nil }
        (self.version, self.addresses, needsNewConnection) = (version, addresses, false)
    }

    /// Makes a copy for a request that needs a new connection.
    init(onNewConnectionAs former: RequestRouting?) {
        version = former?.version ?? .automatic
        addresses = former?.addresses ?? [:]
        needsNewConnection = true
    }

    package static func == (left: RequestRouting, right: RequestRouting) -> Bool {
        left === right
            || left.version == right.version && left.addresses == right.addresses
                && left.needsNewConnection == right.needsNewConnection
    }
}
