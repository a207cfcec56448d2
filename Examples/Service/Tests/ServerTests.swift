import Catena
import CatenaTesting
import ServiceLifecycle
import Testing

@testable import Overview

/// Tests the service on a port, with two servers on this machine as backends.
@Suite(.timeLimit(.minutes(1))) struct ServerTests {
    let profiles: LoopbackServer
    let orders: LoopbackServer

    init() throws {
        profiles = try LoopbackServer()
        orders = try LoopbackServer()
        orders.get("/orders") { _ in .json(text: #"{"result":{"code":"OK","text":""},"payload":[{"id":70,"user":7,"item":"Tea"}]}"#) }
    }

    private static var profile: StubReply { .json(text: #"{"code":0,"msg":"","data":{"id":7,"name":"Ann"}}"#) }

    private func serving(_ test: @Sendable @escaping (Catena.Request, ServiceGroup) async throws -> Void) async throws {
        defer {
            profiles.stop()
            orders.stop()
        }
        try await OverviewTests.serving(Backends(profiles: profiles.url, orders: orders.url, logger: silent), test)
    }

    @Test("the service merges two backends, on one connection to its caller")
    func merged() async throws {
        profiles.get("/users/7") { _ in Self.profile }
        try await serving { service, _ in
            for _ in 1...3 {
                let overview = try await service.get("/users/7/overview").value()
                #expect(overview.name.string == "Ann")
                #expect(overview.orders[0].item.string == "Tea")
            }
        }
        #expect(profiles.requestCount == 3 && orders.requestCount == 3)
    }

    @Test("a caller that leaves ends the calls to the backends")
    func leaving() async throws {
        let gate = LoopbackGate()
        profiles.get("/users/7") { _ in Self.profile.held(by: gate) }
        let profiles = profiles
        try await serving { service, _ in
            let overview = service.get("/users/7/overview").execute()
            await gate.entered(1)
            overview.cancel()
            await profiles.connectionsClosed(1)
        }
        #expect(gate.entryCount == 1)
        gate.open()
    }

    @Test("what has begun gets its response before the service ends")
    func graceful() async throws {
        let gate = LoopbackGate()
        profiles.get("/users/7") { _ in Self.profile.held(by: gate) }
        try await serving { service, group in
            let overview = service.get("/users/7/overview").execute()
            await gate.entered(1)
            await group.triggerGracefulShutdown()
            gate.open()
            let name = try await overview.value.name.string
            #expect(name == "Ann")
        }
    }

    @Test("the health names the backend that is left alone")
    func health() async throws {
        profiles.get("/users/7") { _ in .status(500) }
        try await serving { service, _ in
            let unused = try await service.get("/health").value(as: Health.self)
            #expect(unused == Health(status: "ok", backends: ["profiles": "unused", "orders": "unused"]))
            for _ in 1...10 {
                await #expect(throws: APIError.self) { try await service.get("/users/7/overview").value() }
            }
            let health = try await service.get("/health").value(as: Health.self)
            #expect(health == Health(status: "degraded", backends: ["profiles": "open", "orders": "closed"]))
            let refused = await #expect(throws: APIError.self) { try await service.get("/users/7/overview").value() }
            #expect(refused?.status == 503 && refused?.response?.headers["Retry-After"] != nil)
        }
    }
}
