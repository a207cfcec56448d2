/// How a ``CurlTransport`` connects. What is not set is as the system has it.
public struct CurlConfiguration: Sendable {
    /// How many transfers to one origin run at a time; the others wait in order.
    public var transfersPerOrigin = 64
    /// How many idle connections are kept.
    public var idleConnections = 256
    /// How long an idle connection may be used again.
    public var idleConnectionAge: Duration = .seconds(60)
    /// The proxy, such as `"http://proxy.example.com:3128"`; "" is none. Without a value the environment decides, but never for
    /// addresses of this machine.
    public var proxy: String?
    /// A file of certificate authorities in PEM, in place of the system's.
    public var certificateAuthorityFile: String?
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

    public init() {}
}
