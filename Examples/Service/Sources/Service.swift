import Catena
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The service with its routes, backends and shutdown.
public enum OverviewService {
    /// - Parameters:
    ///   - backends: The backends that the routes call.
    ///   - port: The port on 127.0.0.1, or 0 for any free port.
    ///   - onRunning: Called with the port when the server accepts requests.
    public static func application(
        _ backends: Backends, port: Int, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        Application(
            router: Routes(backends: backends).router,
            server: .http1(configuration: .init(additionalChannelHandlers: [CallerWatch()])),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            // Services end in the reverse order: first the server, after its last response, and then the client.
            services: [ClientService(client: backends.client)],
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
    }
}

/// Shuts a client down when the service ends, and waits for its calls in progress.
struct ClientService: Service {
    let client: Client

    func run() async throws {
        try? await gracefulShutdown()
        client.shutdown()
        await client.waitUntilIdle()
    }
}
