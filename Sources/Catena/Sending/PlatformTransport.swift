import CatenaPlatform

/// The transport of a client for which none is configured: libcurl on Linux, URLSession on Apple platforms.
package enum PlatformTransport {
    /// The transport, and a notice that its client reports once: why libcurl is not used, or which features the loaded libcurl lacks.
    package static let chosen: (transport: any Transport, notice: String?) = {
        #if os(Linux) && canImport(Glibc)
        if ProcessInfo.processInfo.environment["CATENA_TRANSPORT"] == "urlsession" {
            return (SubstituteTransport(reason: "CATENA_TRANSPORT is urlsession"), nil)
        }
        do throws(CurlTransport.Unavailable) {
            return (try CurlTransport(), CurlLibrary.limitation)
        } catch {
            return (
                SubstituteTransport(reason: error.description), "libcurl carries no requests, because \(error.description)."
            )
        }
        #elseif canImport(Darwin)
        return (URLSessionTransport.shared, nil)
        #else
        // A statically linked program (Musl) loads no libraries.
        return (SubstituteTransport(reason: "this program loads no libcurl"), nil)
        #endif
    }()
}

#if !canImport(Darwin)
/// The transport of systems without a fitting libcurl: the one that the app has set, which the product CatenaURLSession has.
package final class SubstituteTransport: CollectingTransport, SecretHolder {
    private static let substitute = Mutex<(any CollectingTransport)?>(nil)

    /// Sets the transport that carries the calls.
    package static func set(_ transport: any CollectingTransport) { substitute.withLock { $0 = transport } }

    private let reason: String

    init(reason: String) {
        self.reason = reason
    }

    private func transport() throws -> any CollectingTransport {
        if let transport = Self.substitute.withLock({ $0 }) { return transport }
        throw APIError(
            .connect,
            message: """
                No transport: \(reason). Install libcurl 7.76 or later (libcurl4 in Debian), or add the product CatenaURLSession and call \
                URLSessionTransport.useWithoutLibcurl() at start-up.
                """)
    }

    package var keepsVersion: Bool { false }
    #if canImport(Glibc)
    /// The credentials of the environment's proxies. A client asks for them when it is made, which may be before a transport is set.
    package var secretValues: [String] { ProxyEnvironment().credentials }
    #else
    package var secretValues: [String] { [] }
    #endif

    package func send(_ request: HTTPRequest) async throws -> TransportResponse { try await transport().send(request) }

    package func collect(_ request: HTTPRequest, limit: Int, stopper: TransferStopper) async throws -> HTTPResponse {
        try await transport().collect(request, limit: limit, stopper: stopper)
    }

    package func open(_ request: HTTPRequest, stopper: TransferStopper?) async throws -> TransportResponse {
        try await transport().open(request, stopper: stopper)
    }
}
#endif
