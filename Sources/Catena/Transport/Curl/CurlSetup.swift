#if os(Linux) && canImport(Glibc)
/// The settings of the handles of one transfer. Made on the task of the caller, who does what takes long: reading the authorities,
/// and the handle of a long body, which libcurl copies. The loop's thread has all other transfers to see to.
struct CurlSetup {
    let request: HTTPRequest
    /// Such as `https://forum.example.com`.
    let originText: String
    /// The origin of the address; `nil` where libcurl cannot read it.
    let origin: CurlOrigin?
    /// Path and query.
    let target: String
    let engine: CurlEngine
    /// The proxy; "" without one.
    var proxy: String? { origin?.proxy ?? engine.proxy(for: request.address.place) }

    /// Whether a proxy may get the whole address in place of its path (RFC 9112 §3.2.2), which libcurl writes. That is so over http alone: requests
    /// over TLS go through a tunnel.
    var mayProxyGetAddress: Bool { request.address.scheme == "http" && proxy?.isEmpty == false }

    /// libcurl's number for the versions of HTTP that may be spoken.
    var version: Int {
        guard engine.sharesConnections, CurlLibrary.speaksHTTP2 else { return CurlLibrary.Version.http1 }
        switch request.routing?.version {
        case .http2?: return request.address.scheme == "https" ? CurlLibrary.Version.http2 : CurlLibrary.Version.http2WithoutTLS
        case .http3?: return CurlLibrary.Version.http3
        default: return CurlLibrary.Version.automatic
        }
    }

    /// Whether the transfer waits for a connection of others, and others for its own, since HTTP/2 may share it.
    var sharesConnection: Bool {
        let version = version
        return !isConnectionUsedOnce && version != CurlLibrary.Version.http1
            && (request.address.scheme == "https" || version == CurlLibrary.Version.http2WithoutTLS)
    }

    /// Whether its connection carries no other request.
    var isConnectionUsedOnce: Bool { version == CurlLibrary.Version.http2WithoutTLS && !CurlLibrary.keepsHTTP2WithoutTLS }

    /// The addresses of the server, where they are not left to libcurl.
    let route: CurlRoute?
    /// Whether room is made for as much as the origin sends as a rule.
    let isLengthGuessed: Bool
    /// Whom to trust in place of those that libcurl would read itself.
    let authorities: CurlAuthorities?

    /// In bytes.
    private static let longestCopyOnLoop = 65_536

    /// - Throws: An ``APIError`` if libcurl must not get the address.
    init(_ request: HTTPRequest, to origin: String, on engine: CurlEngine, by route: CurlRoute?, isLengthGuessed: Bool) throws {
        let target = request.address.target
        // libcurl writes it as it stands.
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw APIError(.invalidRequest, message: "The address contains a character that must be percent-encoded.")
        }
        self.request = request
        originText = origin
        self.origin = engine.origins[origin, proxy: engine.proxy(for: request.address.place)]
        self.target = target
        self.engine = engine
        self.route = route
        self.isLengthGuessed = isLengthGuessed
        authorities = request.address.scheme == "https" ? engine.trust?.current : nil
    }

    /// Whether all that is sent over TLS fits into the smallest buffer. Half of it is left for what libcurl adds, and because some versions
    /// (8.7 to 8.15) send a request wrongly that is cut there and has to wait.
    var isShort: Bool {
        guard request.address.scheme == "https", request.bodySource == nil else { return false }
        let separators = 4 * request.headers.fields.count
        return request.headLength + separators + (request.body?.count ?? 0) <= CurlLibrary.smallestUploadBuffer / 2
    }

    /// Whether the head exceeds what libcurl before 7.80 sends over TLS with a buffer of the usual size: the rest would never follow.
    var isHeadTooLongForBuffer: Bool {
        !CurlLibrary.asksBeforeRequests && request.headLength + 4 * request.headers.fields.count > CurlLibrary.usualUploadBuffer / 2
    }

    /// Whether the first handle is made before it is the transfer's turn.
    var takesLong: Bool { (request.body?.count ?? 0) > Self.longestCopyOnLoop }
}
#endif
