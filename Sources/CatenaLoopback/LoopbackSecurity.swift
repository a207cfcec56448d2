extension LoopbackServer {
    /// How a ``LoopbackServer`` is spoken to: as it is, over TLS, or over TLS with something wrong.
    ///
    /// ```swift
    /// let server = try LoopbackServer(security: .tls)
    /// let expired = try LoopbackServer(security: .tls(.expired))
    /// ```
    public struct Security: Sendable, Hashable, CustomStringConvertible {
        /// What is to be wrong with TLS.
        public struct Fault: Sendable, Hashable {
            /// The certificate was valid until yesterday.
            public static let expired = Fault(name: "expired")

            /// The certificate is for `wrong.example.com` alone.
            public static let wrongHost = Fault(name: "wrong host")

            /// The certificate has the server's host for its common name, and names no host otherwise.
            public static let commonNameOnly = Fault(name: "common name only")

            /// The connection ends as soon as the client has begun the handshake.
            public static let cutHandshake = Fault(name: "cut handshake")

            let name: String
        }

        /// No TLS: the URL begins with `http`.
        public static let plain = Security(isTLS: false, fault: nil)

        /// TLS 1.2 and 1.3, with a certificate for `127.0.0.1`, `::1` and `localhost`.
        public static let tls = Security(isTLS: true, fault: nil)

        /// TLS with a fault. An issuer that nobody trusts needs none: it is enough not to give the client the server's authority.
        public static func tls(_ fault: Fault) -> Security {
            Security(isTLS: true, fault: fault)
        }

        let isTLS: Bool
        let fault: Fault?

        /// What it is, for the names of tests.
        public var description: String {
            isTLS ? fault.map { "TLS, \($0.name)" } ?? "TLS" : "plain"
        }
    }

    /// Whether this system has what ``Security/tls`` needs, such as for a test's `.enabled(if:)`: Linux with OpenSSL 3.
    public static var offersTLS: Bool {
        ServerAuthority.isAvailable
    }

    /// The certificate that vouches for all servers of this process, in PEM; `nil` without TLS. It is made anew in each process.
    public var certificateAuthority: String? {
        core.identity.map(\.authority.pem)
    }

    /// The path of a file with ``certificateAuthority``; `nil` without TLS. The file is removed when the process ends.
    ///
    /// ```swift
    /// var configuration = CurlConfiguration()
    /// configuration.certificateAuthorityFile = server.certificateAuthorityFile
    /// let client = Client(transport: try CurlTransport(configuration))
    /// ```
    public var certificateAuthorityFile: String? {
        core.identity.map(\.authority.file)
    }

    /// The server's public key as it is pinned: the SHA-256 in base64; `nil` without TLS. Each server has a key of its own.
    public var publicKeyPin: String? {
        core.identity.map(\.pin)
    }
}
