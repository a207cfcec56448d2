import Catena
import CatenaTesting
import InMemoryTracing
import MetricsTestKit
import Testing
import Tracing

@testable import Overview

/// Tests the routes, with stubs instead of the backends.
@Suite(.timeLimit(.minutes(1))) struct RouteTests {
    let stubs = Stubs()
    let metrics = TestMetrics()
    let tracer = InMemoryTracer()
    let path = "/users/7/overview"

    private func serving(_ test: @Sendable @escaping (Catena.Request) async throws -> Void) async throws {
        let backends = Backends(
            client: Client(testing: stubs), profiles: "https://profiles.example.com", orders: "https://orders.example.com",
            logger: silent, metrics: metrics, tracer: tracer)
        try await OverviewTests.serving(backends) { service, _ in try await test(service) }
    }

    private func stubProfile() {
        stubs.get("/users/7").tag(.profiles).reply(json: ["code": 0, "msg": "", "data": ["id": 7, "name": "Ann"]])
    }

    private func stubOrders() {
        stubs.get("/orders").tag(.orders).query(["user": 7])
            .reply(json: ["result": ["code": "OK", "text": ""], "payload": [["id": 70, "user": 7, "item": "Tea"]]])
    }

    @Test("two backends with two envelopes are merged")
    func merged() async throws {
        stubProfile()
        stubOrders()
        try await serving { service in
            let overview = try await service.get(path).value(as: Overview.self)
            #expect(overview == Overview(id: 7, name: "Ann", orders: [Order(id: 70, user: 7, item: "Tea")]))
        }
        try stubs.verify()
    }

    @Test("the request ID and the time that is left are handed on, and the ID is returned")
    func handedOn() async throws {
        stubProfile()
        stubOrders()
        try await serving { service in
            let request = service.get(path).headers(["X-Request-ID": "r-1", "X-Request-Timeout-Ms": "800"])
            let response = try await request.response(as: JSON.self)
            #expect(response.headers["X-Request-ID"] == "r-1")
        }
        #expect(stubs.requests.map { $0.headers["X-Request-ID"] } == ["r-1", "r-1"])
        for call in stubs.requests {
            let left = try #require(call.headers["X-Request-Timeout-Ms"].flatMap(Int.init))
            #expect((0...800).contains(left))
        }
    }

    @Test("a caller without an ID gets one")
    func newID() async throws {
        stubProfile()
        stubOrders()
        try await serving { service in
            let response = try await service.get(path).response(as: JSON.self)
            let id = try #require(response.headers["X-Request-ID"])
            #expect(!id.isEmpty)
            try stubs.expect(.get, "/orders").header("X-Request-ID", id)
        }
    }

    @Test("the page is shown without orders if their backend fails")
    func withoutOrders() async throws {
        stubProfile()
        stubs.get("/orders").reply(json: ["result": ["code": "DOWN", "text": "Inventory."]], status: 503)
        try await serving { service in
            let overview = try await service.get(path).value(as: Overview.self)
            #expect(overview == Overview(id: 7, name: "Ann", orders: nil))
        }
        try stubs.expect(.get, "/orders").times(2)
    }

    @Test(
        "a failure of the profiles is a response without the words of the inside",
        arguments: [
            (StubReply.json(["code": 404, "msg": "There is no such user."], status: 404), 404, "not_found"),
            (.unanswered, 504, "timeout"), (.offline, 502, "bad_gateway"), (.json(["code": 5, "msg": "disk 3"]), 502, "bad_gateway"),
        ] as [(StubReply, Int, ErrorCode)])
    func failure(reply: StubReply, status: Int, code: ErrorCode) async throws {
        stubs.get("/users/7").reply(reply)
        stubOrders()
        try await serving { service in
            let error = await #expect(throws: APIError.self) { try await service.get(path).header("X-Request-Timeout-Ms", "800").value() }
            #expect(error?.status == status)
            #expect(error?.code == code)
            #expect(error?.message.contains("disk") == false && error?.message.contains("example.com") == false)
        }
    }

    @Test("a wrong ID is refused before anything is called")
    func wrongID() async throws {
        try await serving { service in
            let error = await #expect(throws: APIError.self) { try await service.get("/users/seven/overview").value() }
            #expect(error?.status == 400)
        }
        #expect(stubs.requests.isEmpty)
    }

    @Test("calls are counted by tag, and have spans")
    func observed() async throws {
        stubProfile()
        stubOrders()
        try await serving { service in _ = try await service.get(path).value() }
        #expect(try metrics.expectCounter("catena_calls", [("tag", "orders"), ("outcome", "success")]).totalValue == 1)
        let tags = tracer.finishedSpans.compactMap { $0.attributes.get("catena.tag") }
        #expect(tags.contains(.string("profiles")) && tags.contains(.string("orders")))
    }
}
