#if os(Linux) && canImport(Glibc)
/// The settings for the handles of one transfer. Made in the caller's task, together with the slow parts: reading the authorities, and the
/// handle of a long body, which libcurl copies. On the loop's thread these would delay all other transfers.
struct CurlSetup {
    let request: HTTPRequest
    /// The text of the origin, such as `https://forum.example.com`.
    let originText: String
    /// The origin of the address, or `nil` if libcurl cannot parse it.
    let origin: CurlOrigin?
    /// The path and the query.
    let target: String
    let engine: CurlEngine
    /// The proxy, or "" if there is none.
    var proxy: String? { origin?.proxy ?? engine.proxy(for: request.address.place) }

    /// Whether the request may go to a proxy, which receives the whole address instead of the path (RFC 9112 §3.2.2). libcurl writes that
    /// address. Requests over TLS use a tunnel instead.
    var mayProxyGetAddress: Bool { request.address.scheme == "http" && proxy?.isEmpty == false }

    /// libcurl's number for the allowed versions of HTTP.
    var version: Int {
        guard engine.sharesConnections, CurlLibrary.speaksHTTP2 else { return CurlLibrary.Version.http1 }
        switch request.routing?.version {
        case .http2?: return request.address.scheme == "https" ? CurlLibrary.Version.http2 : CurlLibrary.Version.http2WithoutTLS
        case .http3?: return CurlLibrary.Version.http3
        default: return CurlLibrary.Version.automatic
        }
    }

    /// Whether the server may choose HTTP/2, or must speak it.
    var mayUseHTTP2: Bool {
        let version = version
        return version != CurlLibrary.Version.http1
            && (request.address.scheme == "https" || version == CurlLibrary.Version.http2WithoutTLS)
    }

    /// Whether the transfer and others to its origin wait for one connection, because HTTP/2 may share it.
    var sharesConnection: Bool { mayUseHTTP2 && !isConnectionUsedOnce }

    /// Whether its connection carries no other request.
    var isConnectionUsedOnce: Bool { version == CurlLibrary.Version.http2WithoutTLS && !CurlLibrary.keepsHTTP2WithoutTLS }

    /// The addresses of the server, if libcurl does not look them up.
    let route: CurlRoute?
    /// Whether the receive buffer is sized by the usual length of the origin's responses.
    let isLengthGuessed: Bool
    /// The authorities to trust instead of those that libcurl would read.
    let authorities: CurlAuthorities?

    /// The length of a body, in bytes, up to which the loop's thread copies it.
    private static let longestCopyOnLoop = 65_536

    /// - Throws: An ``APIError`` if libcurl must not get the address.
    init(_ request: HTTPRequest, to origin: String, on engine: CurlEngine, by route: CurlRoute?, isLengthGuessed: Bool) throws {
        let target = request.address.target
        // libcurl writes the target unchanged.
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

    /// Whether the whole request over TLS fits into the smallest buffer. Half of the buffer is reserved for what libcurl adds. In addition,
    /// versions 8.7 to 8.15 mishandle a request that is split there and has to wait.
    var isShort: Bool {
        guard request.address.scheme == "https", request.bodySource == nil else { return false }
        let separators = 4 * request.headers.fields.count
        return request.headLength + separators + (request.body?.count ?? 0) <= CurlLibrary.smallestUploadBuffer / 2
    }

    /// Whether the head exceeds what libcurl before 7.80 can send over TLS with a buffer of the default size. The rest would never be sent.
    var isHeadTooLongForBuffer: Bool {
        !CurlLibrary.asksBeforeRequests && request.headLength + 4 * request.headers.fields.count > CurlLibrary.usualUploadBuffer / 2
    }

    /// Whether the first handle is made before the transfer's turn.
    var takesLong: Bool { (request.body?.count ?? 0) > Self.longestCopyOnLoop }
}
#endif
