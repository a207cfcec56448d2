#if os(Linux)
/// A loop, and how the handles that it works with are set up.
///
/// Shared and exclusive connections to one host must not be in one loop: libcurl sometimes puts a second request on an HTTP/1.1 connection
/// that is busy if it has seen the host speak HTTP/2 elsewhere.
final class CurlEngine: Sendable {
    /// In bytes. More than this in all does not fit into an HTTP/2 request of libcurl's.
    static let longestSharedHead = 60_000

    let loop: CurlLoop
    private let configuration: CurlConfiguration
    private let sharesConnections: Bool

    /// - Parameter sharesConnections: Whether several requests may be on one connection at a time (HTTP/2).
    init?(_ configuration: CurlConfiguration, sharesConnections: Bool = true) {
        guard let loop = CurlLoop(configuration) else { return nil }
        self.configuration = configuration
        self.sharesConnections = sharesConnections
        self.loop = loop
    }

    /// A handle for one transfer.
    func handle(for request: HTTPRequest, isOnNewConnection: Bool = false) throws -> CurlHandle {
        try CurlHandle(request, configuration, sharesConnections: sharesConnections, isOnNewConnection: isOnNewConnection)
    }

    deinit {
        loop.close()
    }
}

extension HTTPRequest {
    /// About how many bytes the address and the headers take.
    var headLength: Int {
        let target = address.path.utf8.count + (address.query?.utf8.count ?? 0)
        return headers.fields.reduce(target) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}
#endif
