import Catena
import CatenaTesting
import Hummingbird
import Logging
import ServiceLifecycle

@testable import Overview

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Runs the service on a free port during a test, and shuts it down in order.
func serving(_ backends: Backends, _ test: @Sendable @escaping (Catena.Request, ServiceGroup) async throws -> Void) async throws {
    let (port, resolver) = Promise<Int>.pending()
    let application = OverviewService.application(backends, port: 0, logger: silent) { resolver.fulfill($0) }
    let group = ServiceGroup(configuration: .init(services: [application], logger: silent))
    // The caller uses a client of its own, so that its calls are not the service's.
    let caller = Client()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        do {
            try await test(caller.host("http://127.0.0.1:\(try await port.value)"), group)
        } catch {
            tasks.cancelAll()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
    }
}
