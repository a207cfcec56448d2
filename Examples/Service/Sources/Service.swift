import Catena
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The service: routes, backends and their end.
public enum OverviewService {
    /// - Parameters:
    ///   - backends: What the routes call.
    ///   - port: The port on 127.0.0.1; 0 for any that is free.
    ///   - onRunning: Called with the port when requests are accepted.
    public static func application(
        _ backends: Backends, port: Int, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        Application(
            router: Routes(backends: backends).router,
            server: .http1(configuration: .init(additionalChannelHandlers: [CallerWatch()])),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            // Services end in the reverse order: the server with its last response first, then the client.
            services: [ClientService(client: backends.client)],
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
    }
}

/// Refuses further calls of a client when the service ends, and waits for those that are running.
struct ClientService: Service {
    let client: Client

    func run() async throws {
        try? await gracefulShutdown()
        client.shutdown()
        await client.waitUntilIdle()
    }
}
