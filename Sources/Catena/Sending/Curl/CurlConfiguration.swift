import CatenaPlatform

/// The settings of a ``CurlTransport``. Unset properties use the system's settings.
public struct CurlConfiguration: Sendable {
    /// The maximum number of simultaneous transfers to one origin. Further transfers wait in order. Streams and downloads over TLS, which
    /// have their own connections, are counted separately.
    public var transfersPerOrigin = 64
    /// How long a transfer may wait for one of the ``transfersPerOrigin`` to end. The wait is no part of the attempt's timeout. If the call has
    /// a deadline, the deadline bounds the wait in place of this.
    public var placeTimeout: Duration = .seconds(60)
    /// The maximum number of idle connections, divided among the ``loops``.
    public var idleConnections = 256
    /// The number of threads for transfers, not counting those for streams and downloads over TLS. The default is one for every four cores,
    /// at least two and at most four, but one on a machine with one core.
    ///
    /// Each origin is assigned to a thread at its first request, and stays there if HTTP/2 shares a connection. If an origin speaks
    /// HTTP/1.1 and ``transfersPerOrigin`` is 32 or more, other threads take over transfers when one is too busy. That limit counts the
    /// transfers of all threads; idle connections may exceed it. A thread starts when it is needed.
    public var loops = CurlConfiguration.usualLoops
    /// The time for which an idle connection may be reused.
    public var idleConnectionAge: Duration = .seconds(60)
    /// The proxy, such as `"http://proxy.example.com:3128"`, or "" for none. If `nil`, the environment decides (`http_proxy`,
    /// `https_proxy`, `all_proxy`, `NO_PROXY`), except for addresses of this machine. Any other value overrides the environment.
    public var proxy: String?
    /// The maximum age of a connection, counted from its first request, or `nil` for no limit. Requests in progress are not interrupted.
    ///
    /// Load balancers close connections after an hour or so. A shorter age avoids sending a request to a connection that is being closed.
    public var connectionAge: Duration?
    /// The maximum number of requests that a connection carries, or `nil` for no limit.
    public var requestsPerConnection: Int?
    /// The lowest accepted version of TLS.
    public var minimumTLSVersion: TLSVersion = .v1_2
    /// A file of certificate authorities in PEM, used instead of the system's. No others are trusted.
    public var certificateAuthorityFile: String?
    /// The folder of further authorities, used if no file is set. `nil` is the folder that libcurl was built for; only tests set another.
    var certificateAuthorityFolder: String?
    /// The least time that a new HTTP/2 connection has for its settings, before it takes more than one request. Only tests set another.
    var leastSettlingTime: Duration = .milliseconds(50)
    /// A file with the client's certificate in PEM.
    public var clientCertificateFile: String?
    /// A file with the client's private key in PEM.
    public var clientKeyFile: String?
    /// The password of the client's private key.
    public var clientKeyPassword: String?
    /// The SHA-256 digests, in base64, of public keys. The server must have one of these keys.
    public var pinnedPublicKeys: [String] = []
    /// The path of a Unix socket to connect to, whatever the host.
    public var unixSocketPath: String?

    /// Makes a configuration with the default of each property.
    public init() {}

    /// The default of ``loops``. Two cores already get two threads, because otherwise the cores would be idle while one thread waits for a
    /// server.
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

        /// libcurl's number for the version.
        let number: Int
    }

    /// Returns a pin in libcurl's format. Throws if the text is not one digest in base64, because it could be several pins or the name of a
    /// file.
    static func pin(_ text: String) throws -> String {
        guard let digest = Data(base64Encoded: text), digest.count == 32, digest.base64EncodedString() == text else {
            throw APIError.invalid(
                "CurlConfiguration", "\"pinnedPublicKeys\" has \"\(Redaction.unbroken(text.prefix(80)))\", which is no SHA-256 in base64")
        }
        return "sha256//\(text)"
    }
}

extension CurlConfiguration {
    /// The longest file of certificates or of a key, in bytes. That of all public authorities has 0.2 MB.
    private static let longestFile = 16 << 20

    /// Throws unless the files of certificates and of the key are regular and of a bounded size, or missing.
    ///
    /// libcurl opens them after it has opened a connection, on the thread of all transfers. A pipe without a writer would block that thread for
    /// good, past every deadline. A file that is replaced after this check still can.
    func checkFiles() throws {
        try Self.check(certificateAuthorityFile, "certificateAuthorityFile")
        try Self.check(clientCertificateFile, "clientCertificateFile")
        try Self.check(clientKeyFile, "clientKeyFile")
    }

    private static func check(_ path: String?, _ setting: String) throws {
        guard let path, let status = try LocalFile.status(of: path, followsLinks: true) else { return }
        if status.isRegular, status.size <= longestFile { return }
        throw APIError.invalid("CurlConfiguration", "\"\(setting)\" is not a file of at most \(longestFile >> 20) MiB")
    }
}

extension CurlConfiguration: CustomStringConvertible {
    /// The main settings, without the credentials of the proxy and the password of the key.
    public var description: String {
        let proxy = proxy.map { proxy in
            // Search code points, because a sign and a following combining accent form one character.
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
