import CatenaPlatform

/// The transport of a client for which none is configured: libcurl on Linux, URLSession on Apple platforms.
package enum PlatformTransport {
    /// The transport, and a notice that its client reports once: why libcurl is not used, or which features the loaded libcurl lacks.
    package static let chosen: (transport: any Transport, notice: String?) = {
        #if os(Linux) && canImport(Glibc)
        if ProcessInfo.processInfo.environment["CATENA_TRANSPORT"] == "urlsession" {
            return (SubstituteTransport("CATENA_TRANSPORT is urlsession. Unset it"), nil)
        }
        do throws(CurlTransport.Unavailable) {
            return (try CurlTransport(), CurlLibrary.limitation)
        } catch {
            return (
                SubstituteTransport("\(error.description). Install libcurl 7.76 or later (libcurl4 in Debian)"),
                "libcurl carries no requests, because \(error.description)."
            )
        }
        #elseif canImport(Darwin)
        return (URLSessionTransport.shared, nil)
        #else
        // A statically linked program (Musl) loads no libraries.
        let reason = "this program is linked with a C library that loads no others"
        return (SubstituteTransport("\(reason). Link it with glibc"), "libcurl carries no requests, because \(reason).")
        #endif
    }()
}

#if !canImport(Darwin)
/// The transport of systems without a fitting libcurl: the one that the app has set, which the product CatenaURLSession has.
package final class SubstituteTransport: OwnTransport, SecretHolder {
    private typealias Making = @Sendable () -> any OwnTransport

    private static let making = Mutex<Making?>(nil)

    /// Sets how the transport that carries the calls is made, at each of them.
    package static func set(_ making: @escaping @Sendable () -> any OwnTransport) { Self.making.withLock { $0 = making } }

    /// The reason why calls need a substitute, and what the developer can do about it.
    private let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// - Throws: An error of a kind that is not retried, because the next attempt would fail too.
    private func transport() throws -> any OwnTransport {
        if let making = Self.making.withLock({ $0 }) { return making() }
        throw APIError(
            .other,
            message: """
                No transport: \(reason), or add the product CatenaURLSession and call URLSessionTransport.useWithoutLibcurl() at start-up.
                """)
    }

    package var engine: TransportEngine { .urlSession }
    #if canImport(Glibc)
    /// The credentials of the environment's proxies. A client asks for them when it is made, which may be before a transport is set.
    package var secretValues: [String] { ProxyEnvironment().credentials }
    #else
    package var secretValues: [String] { [] }
    #endif

    package func send(_ request: HTTPRequest) async throws -> TransportResponse { try await transport().send(request) }

    package func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse {
        try await transport().send(request, in: context)
    }
}
#endif
