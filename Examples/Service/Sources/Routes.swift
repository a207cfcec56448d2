import Catena
import Hummingbird

/// The routes of the service.
struct Routes: Sendable {
    let backends: Backends

    var router: Router<CallContext> {
        let router = Router(context: CallContext.self)
        router.get("/health") { _, _ in
            let states = backends.health.mapValues { $0.map { "\($0)" } ?? "unused" }
            return Health(status: states.values.contains("open") ? "degraded" : "ok", backends: states)
        }
        router.group()
            .add(middleware: TracingMiddleware())
            .add(middleware: CallerMiddleware())
            .add(middleware: FailureMiddleware())
            .get("/users/{id}/overview") { _, context in
                let user = try context.parameters.require("id", as: Int.self)
                return try await context.whileConnected { try await backends.overview(of: user) }
            }
        return router
    }
}

struct Health: ResponseCodable, Equatable {
    let status: String
    let backends: [String: String]
}
