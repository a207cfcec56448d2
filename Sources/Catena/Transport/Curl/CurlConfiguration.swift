import Foundation

/// How a ``CurlTransport`` connects. What is not set is as the system has it.
public struct CurlConfiguration: Sendable {
    /// How many transfers to one origin run at a time; the others wait in order. Streams and downloads over TLS, which have connections for
    /// themselves, are counted apart.
    public var transfersPerOrigin = 64
    /// How many idle connections are kept, divided among the ``loops``.
    public var idleConnections = 256
    /// How many threads transfers are spread over, besides those that streams and downloads over TLS have: one for every four cores, at least
    /// two and at most four; one on a machine with one core.
    ///
    /// Origins are dealt out to them in the order in which they are first asked for, and stay where they are if HTTP/2 shares a connection.
    /// Of an origin that speaks HTTP/1.1 other threads take what would keep one too busy, if ``transfersPerOrigin`` is 32 or more; that counts the
    /// transfers of all of them, and idle connections may come on top. A thread begins when it is needed.
    public var loops = CurlConfiguration.usualLoops
    /// How long an idle connection may be used again.
    public var idleConnectionAge: Duration = .seconds(60)
    /// The proxy, such as `"http://proxy.example.com:3128"`; "" is none. Without a value the environment decides (`http_proxy`,
    /// `https_proxy`, `all_proxy`, `NO_PROXY`), but never for addresses of this machine. With one the environment has no say.
    public var proxy: String?
    /// How long a connection may be used, from its first request on; `nil` without a limit. Requests that are on it then are not cut off.
    ///
    /// Load balancers end connections after an hour or so; to be there first spares a request that meets the end.
    public var connectionAge: Duration?
    /// How many requests a connection carries at most; `nil` without a limit.
    public var requestsPerConnection: Int?
    /// The lowest version of TLS that is accepted.
    public var minimumTLSVersion: TLSVersion = .v1_2
    /// A file of certificate authorities in PEM, in place of the system's: no others are trusted.
    public var certificateAuthorityFile: String?
    /// Where libcurl finds authorities beside the file's when it is given none; the folder that it was built for unless a test says otherwise.
    var certificateAuthorityFolder: String?
    /// A file with the client's certificate in PEM.
    public var clientCertificateFile: String?
    /// A file with the client's private key in PEM.
    public var clientKeyFile: String?
    /// The password of the client's private key.
    public var clientKeyPassword: String?
    /// Public keys of which the server must have one, as base64 of the SHA-256 of each.
    public var pinnedPublicKeys: [String] = []
    /// A unix socket to connect to, whatever the host says.
    public var unixSocketPath: String?

    /// Makes a configuration with the default of each property.
    public init() {}

    /// Two for two cores already: while one thread waits for the other side, the cores would rest.
    private static let usualLoops: Int = {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return cores == 1 ? 1 : min(max(cores / 4, 2), 4)
    }()
}

extension CurlConfiguration {
    /// A version of TLS.
    public struct TLSVersion: Sendable, Hashable {
        /// TLS 1.0, which RFC 8996 retired.
        public static let v1_0 = TLSVersion(number: 4)
        /// TLS 1.1, which RFC 8996 retired.
        public static let v1_1 = TLSVersion(number: 5)
        /// TLS 1.2.
        public static let v1_2 = TLSVersion(number: 6)
        /// TLS 1.3.
        public static let v1_3 = TLSVersion(number: 7)

        /// As libcurl counts them.
        let number: Int
    }

    /// A pin as libcurl reads it. Anything else than one digest in base64 could be several pins, or the name of a file.
    static func pin(_ text: String) throws -> String {
        guard let digest = Data(base64Encoded: text), digest.count == 32, digest.base64EncodedString() == text else {
            throw APIError.invalid(
                "CurlConfiguration", "\"pinnedPublicKeys\" has \"\(Redaction.unbroken(text.prefix(80)))\", which is no SHA-256 in base64")
        }
        return "sha256//\(text)"
    }
}

extension CurlConfiguration: CustomStringConvertible {
    /// What is set, without the credentials of the proxy and without the password of the key.
    public var description: String {
        let proxy = proxy.map { proxy in
            // By code points: a sign and an accent behind it are one character.
            proxy.unicodeScalars.lastIndex(of: "@").map { Redaction.mark + String(proxy.unicodeScalars[$0...]) } ?? proxy
        }
        let set = [
            ("proxy", proxy), ("authorities", certificateAuthorityFile), ("certificate", clientCertificateFile), ("key", clientKeyFile),
            ("unix socket", unixSocketPath),
        ]
        return "\(transfersPerOrigin) transfers per origin, loops \(loops)"
            + set.compactMap { name, value in value.map { ", \(name) \($0)" } }.joined()
    }
}

extension CurlConfiguration: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
