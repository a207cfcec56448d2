/// A version of HTTP that a tag asks for.
///
/// ```swift
/// API.configure(.forum) { forum in
///     forum.httpVersion = .http1
/// }
/// ```
///
/// libcurl speaks all of them, as far as it was built for them. URLSession chooses by itself, which a diagnostic says once.
public struct HTTPVersion: Sendable, Hashable, CustomStringConvertible {
    /// HTTP/2 where a server over TLS offers it, else HTTP/1.1.
    public static let automatic = HTTPVersion(description: "automatic")
    /// HTTP/1.1 alone, with a connection for each request in progress.
    public static let http1 = HTTPVersion(description: "HTTP/1.1")
    /// HTTP/2. Over TLS a server that does not offer it is spoken to in HTTP/1.1; without TLS it must know HTTP/2 (RFC 9113 §3.3).
    public static let http2 = HTTPVersion(description: "HTTP/2")
    /// HTTP/3 where the server can be reached by QUIC, else what it offers over TLS. It needs a libcurl with HTTP/3; others fail the call.
    public static let http3 = HTTPVersion(description: "HTTP/3")

    /// Its name, such as `HTTP/2`.
    public let description: String
}

/// How a tag's requests reach their server, where that is not left to the transport.
final class RequestRouting: Sendable, Equatable {
    let version: HTTPVersion
    /// The addresses by the name of the host, in lower case.
    let addresses: [String: [String]]
    /// Whether no kept connection is used.
    let needsNewConnection: Bool

    /// `nil` if all is left to the transport.
    init?(version: HTTPVersion, addresses: [String: [String]]) {
        if version == .automatic, addresses.isEmpty { return nil }
        (self.version, self.addresses, needsNewConnection) = (version, addresses, false)
    }

    /// The same over a connection that is made for the request.
    init(onNewConnectionAs former: RequestRouting?) {
        version = former?.version ?? .automatic
        addresses = former?.addresses ?? [:]
        needsNewConnection = true
    }

    static func == (left: RequestRouting, right: RequestRouting) -> Bool {
        left === right
            || left.version == right.version && left.addresses == right.addresses
                && left.needsNewConnection == right.needsNewConnection
    }
}
