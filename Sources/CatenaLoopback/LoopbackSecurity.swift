extension LoopbackServer {
    /// The protocol of a ``LoopbackServer``: plain HTTP, TLS, or TLS with a fault.
    ///
    /// ```swift
    /// let server = try LoopbackServer(security: .tls)
    /// let expired = try LoopbackServer(security: .tls(.expired))
    /// ```
    public struct Security: Sendable, Hashable, CustomStringConvertible {
        /// A fault of TLS.
        public struct Fault: Sendable, Hashable {
            /// The certificate was valid until yesterday.
            public static let expired = Fault(name: "expired")

            /// The certificate is only for `wrong.example.com`.
            public static let wrongHost = Fault(name: "wrong host")

            /// The certificate names the server's host only as its common name.
            public static let commonNameOnly = Fault(name: "common name only")

            /// The connection ends once the client has begun the handshake.
            public static let cutHandshake = Fault(name: "cut handshake")

            let name: String
        }

        /// No TLS: the URL begins with `http`.
        public static let plain = Security(isTLS: false, fault: nil)

        /// TLS 1.2 and 1.3, with a certificate for `127.0.0.1`, `::1` and `localhost`.
        public static let tls = Security(isTLS: true, fault: nil)

        /// TLS with a fault. To test an untrusted issuer, do not give the client the server's authority.
        public static func tls(_ fault: Fault) -> Security {
            Security(isTLS: true, fault: fault)
        }

        let isTLS: Bool
        let fault: Fault?

        /// A description for the names of tests.
        public var description: String {
            isTLS ? fault.map { "TLS, \($0.name)" } ?? "TLS" : "plain"
        }
    }

    /// Whether this system supports ``Security/tls``, for a test's `.enabled(if:)`: Linux with OpenSSL 3.
    public static var offersTLS: Bool {
        ServerAuthority.isAvailable
    }

    /// The certificate authority of all servers in this process, in PEM, or `nil` without TLS. Each process creates its own.
    public var certificateAuthority: String? {
        core.identity.map(\.authority.pem)
    }

    /// The path of a file with ``certificateAuthority``, or `nil` without TLS. The file is removed when the process ends.
    ///
    /// ```swift
    /// var configuration = CurlConfiguration()
    /// configuration.certificateAuthorityFile = server.certificateAuthorityFile
    /// let client = Client(transport: try CurlTransport(configuration))
    /// ```
    public var certificateAuthorityFile: String? {
        core.identity.map(\.authority.file)
    }

    /// The pin of the server's public key, its SHA-256 in base64, or `nil` without TLS. Each server has its own key.
    public var publicKeyPin: String? {
        core.identity.map(\.pin)
    }
}
