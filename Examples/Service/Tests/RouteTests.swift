import Catena
import CatenaTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryTracing
import Logging
import MetricsTestKit
import Testing
import Tracing

@testable import Overview

/// The routes, with stubs in place of the backends.
@Suite struct RouteTests {
    let stubs = Stubs()
    let metrics = TestMetrics()
    let tracer = InMemoryTracer()
    let path = "/users/7/overview"

    private func get(_ path: String, headers: HTTPFields = [:]) async throws -> TestResponse {
        let backends = Backends(
            client: Client(testing: stubs), profiles: "https://profiles.example.com", orders: "https://orders.example.com",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, metrics: metrics, tracer: tracer)
        let application = OverviewService.application(backends, port: 0, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await application.test(.router) { client in
            try await client.execute(uri: path, method: .get, headers: headers)
        }
    }

    private func name(_ name: HTTPField.Name?) throws -> HTTPField.Name { try #require(name) }

    private func overview(_ response: TestResponse) throws -> Overview {
        try JSONDecoder().decode(Overview.self, from: Data(response.body.readableBytesView))
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
        let response = try await get(path)
        #expect(response.status == .ok)
        #expect(try overview(response) == Overview(id: 7, name: "Ann", orders: [Order(id: 70, user: 7, item: "Tea")]))
        try stubs.verify()
    }

    @Test("the request ID and the time that is left are handed on, and the ID is returned")
    func handedOn() async throws {
        stubProfile()
        stubOrders()
        let response = try await get(path, headers: [try name(.requestID): "r-1", try name(.requestTimeout): "800"])
        let echoed = response.headers[try name(.requestID)]
        #expect(echoed == "r-1")
        try stubs.expect(.get, "/users/7").header("X-Request-ID", "r-1")
        try stubs.expect(.get, "/orders").header("X-Request-ID", "r-1")
        for call in stubs.calls {
            let left = try #require(call.headers["X-Request-Timeout-Ms"].flatMap(Int.init))
            #expect((0...800).contains(left))
        }
        #expect(stubs.calls.count == 2)
    }

    @Test("a caller without an ID gets one")
    func newID() async throws {
        stubProfile()
        stubOrders()
        let requestID = try name(.requestID)
        let id = try #require(try await get(path).headers[requestID])
        #expect(!id.isEmpty)
        try stubs.expect(.get, "/orders").header("X-Request-ID", id)
    }

    @Test("the page is shown without orders if their backend fails")
    func withoutOrders() async throws {
        stubProfile()
        stubs.get("/orders").reply(json: ["result": ["code": "DOWN", "text": "Inventory."]], status: 503)
        let response = try await get(path)
        #expect(try overview(response) == Overview(id: 7, name: "Ann", orders: nil))
        try stubs.expect(.get, "/orders").times(2)
    }

    @Test(
        "a failure of the profiles is a response without the words of the inside",
        arguments: [
            (StubReply.json(["code": 404, "msg": "There is no such user."], status: 404), HTTPResponse.Status.notFound, "not_found"),
            (.unanswered, .gatewayTimeout, "timeout"), (.offline, .badGateway, "bad_gateway"),
            (.json(["code": 5, "msg": "disk 3"]), .badGateway, "bad_gateway"),
        ])
    func failure(reply: StubReply, status: HTTPResponse.Status, code: String) async throws {
        stubs.get("/users/7").reply(reply)
        stubOrders()
        let response = try await get(path, headers: [try name(.requestTimeout): "800"])
        #expect(response.status == status)
        let failure = try JSONDecoder().decode(Failure.self, from: Data(response.body.readableBytesView))
        #expect(failure.code == code)
        #expect(!failure.message.contains("example.com") && !failure.message.contains("disk"))
    }

    @Test("a wrong ID is refused before anything is called")
    func wrongID() async throws {
        #expect(try await get("/users/seven/overview").status == .badRequest)
        #expect(stubs.calls.isEmpty)
    }

    @Test("calls are counted by tag, and have spans")
    func observed() async throws {
        stubProfile()
        stubOrders()
        _ = try await get(path)
        #expect(try metrics.expectCounter("catena_calls", [("tag", "orders"), ("outcome", "success")]).totalValue == 1)
        let tags = tracer.finishedSpans.compactMap { $0.attributes.get("catena.tag") }
        #expect(tags.contains(.string("profiles")) && tags.contains(.string("orders")))
    }
}
