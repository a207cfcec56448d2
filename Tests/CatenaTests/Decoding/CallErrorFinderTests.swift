import CatenaTesting
import Foundation
import Testing

@testable import Catena

private struct Refusal: Error, Equatable { let name: String }

private struct Receipt: ResponseFamily, Decodable {
    let id: Int
    static func specificError(in reading: EnvelopeResult) -> (any Error)? { reading.code == 7001 ? Refusal(name: "receipt") : nil }
}

private struct Order: Endpoint {
    typealias Response = JSON
    var path: String { "/a" }
    func error(in reading: EnvelopeResult) -> (any Error)? { reading.code == 7001 || reading.code == 7002 ? Refusal(name: "order") : nil }
}

private struct Plain: Endpoint {
    typealias Response = JSON
    var path: String { "/a" }
}

@Suite("Errors of a call's own", .limitedParallelism)
struct CallErrorFinderTests {
    typealias Way = (name: String, run: @Sendable (Client) async throws -> Void)

    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
    }

    private static let familyWays: [Way] = [
        ("execute(as:)", { _ = try await $0.get("/a").execute(as: Receipt.self).value }),
        ("value(as:)", { _ = try await $0.get("/a").value(as: Receipt.self) }),
        ("response(as:)", { _ = try await $0.get("/a").response(as: Receipt.self).value }),
        ("batch(as:)", { _ = try await $0.batch([$0.get("/a")], as: Receipt.self).value[0].get() }),
        ("call(endpoint, as:)", { _ = try await $0.call(Plain(), as: Receipt.self).value }),
        ("value(endpoint, as:)", { _ = try await $0.value(Plain(), as: Receipt.self) }),
        ("a family before an endpoint", { _ = try await $0.request(for: Order()).execute(as: Receipt.self).value }),
    ]

    @Test("those of a family are found however it is asked for", arguments: familyWays.map(\.name))
    func families(name: String) async throws {
        let way = try #require(Self.familyWays.first { $0.name == name })
        stubs.get("/a").reply(code: 7001, message: "no")
        let error = await #expect(throws: APIError.self) { try await way.run(client) }
        #expect(error?.underlying as? Refusal == Refusal(name: "receipt"))
    }

    private static let endpointWays: [Way] = [
        ("call", { _ = try await $0.call(Order()).value }), ("data", { _ = try await $0.request(for: Order()).data().value }),
        ("another family", { _ = try await $0.request(for: Order()).execute(as: Receipt.self).value }),
        ("stream", { for try await _ in $0.request(for: Order()).stream() {} }),
        ("lines", { for try await _ in $0.request(for: Order()).lines() {} }),
        ("events", { for try await _ in $0.request(for: Order()).events() {} }),
        ("download", { _ = try await $0.request(for: Order()).download(to: .temporaryDirectory.appending(path: "catena-none")).value }),
    ]

    @Test("those of an endpoint are found however it is asked for", arguments: endpointWays.map(\.name))
    func endpoints(name: String) async throws {
        let way = try #require(Self.endpointWays.first { $0.name == name })
        stubs.get("/a").reply(code: 7002, message: "no", status: 402)
        let error = await #expect(throws: APIError.self) { try await way.run(client) }
        #expect(error?.underlying as? Refusal == Refusal(name: "order"))
        #expect(error?.status == 402)
    }

    @Test("calls that know the same errors share a response, and others do not")
    func shared() async throws {
        let gate = Promise<Void>.pending()
        stubs.get("/a").reply {
            _ in
            try await gate.promise.value
            return .reply(code: 7001, message: "no")
        }
        client.configureDefaults { $0.dedupe = true }
        let calls: [Promise<String>] = [
            told(client.call(Order())), told(client.call(Order())), told(client.get("/a").execute(as: Receipt.self)),
            told(client.get("/a").response(as: Receipt.self)), told(client.call(Plain())), told(client.get("/a").execute()),
        ]
        let receipt = client.get("/a").asking(for: ResultDecoder<Receipt>.decodable(Receipt.self))
        for request in [client.request(for: Order()), receipt] { try await waiters(for: request, count: 2) }
        await stubs.requestsReceived(4)
        gate.resolver.fulfill(())
        let names = try await Promise<String>.all(calls).value
        #expect(names == ["order", "order", "receipt", "receipt", "none", "none"])
        #expect(stubs.calls.count == 4)
    }

    private func waiters(for request: Request, count: Int) async throws {
        let execution = Execution(request)
        let key = try #require(try DedupeKey(try await Call.prepare(execution), needsPayload: true))
        await execution.backend.flights.waiters(of: key, count: count)
    }

    private func told<Value>(_ call: Promise<Value>) -> Promise<String> {
        call.map { _ in "success" }.recover { ($0.underlying as? Refusal)?.name ?? "none" }
    }
}
