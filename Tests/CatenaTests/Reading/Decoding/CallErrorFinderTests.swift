import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

private struct Refusal: Error, Equatable { let name: String }

private struct Receipt: ResponseFamily, Decodable {
    let id: Int
    static func specificError(in reading: EnvelopeResult) -> (any Error)? { reading.code == 7001 ? Refusal(name: "receipt") : nil }
}

private struct Order: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
    func error(in reading: EnvelopeResult) -> (any Error)? { reading.code == 7001 || reading.code == 7002 ? Refusal(name: "order") : nil }
}

private struct Plain: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
}

@Suite("Errors of families and endpoints", .limitedParallelism)
struct CallErrorFinderTests {
    typealias Way = (name: String, throwsOwn: Bool, run: @Sendable (Client) async throws -> Void)

    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
    }

    private static let familyWays: [Way] = [
        ("execute(as:)", true, { _ = try await $0.get("/a").execute(as: Receipt.self).value }),
        ("execute(as:), its result", false, { _ = try await $0.get("/a").execute(as: Receipt.self).result.get() }),
        ("value(as:)", true, { _ = try await $0.get("/a").value(as: Receipt.self) }),
        ("response(as:)", true, { _ = try await $0.get("/a").execute(.response(as: Receipt.self)).value }),
        ("batch(as:)", false, { _ = try await $0.batch([$0.get("/a")], as: Receipt.self).value[0].get() }),
        ("call(endpoint, as:)", true, { _ = try await $0.call(Plain(), as: Receipt.self).value }),
        ("value(endpoint, as:)", true, { _ = try await $0.value(Plain(), as: Receipt.self) }),
        ("a family before an endpoint", true, { _ = try await $0.request(for: Order()).execute(as: Receipt.self).value }),
    ]

    @Test(
        "an error of a response family is found by every terminal, and awaiting throws it unwrapped",
        arguments: familyWays.map(\.name))
    func families(name: String) async throws {
        let way = try #require(Self.familyWays.first { $0.name == name })
        stubs.get("/a").reply(code: 7001, message: "no")
        try await expect(Refusal(name: "receipt"), 7001, from: way)
    }

    private static let endpointWays: [Way] = [
        ("call", true, { _ = try await $0.call(Order()).value }),
        ("data", true, { _ = try await $0.request(for: Order()).execute(.data).value }),
        ("batch", false, { _ = try await $0.batch([Order()]).value[0].get() }),
        ("another family", true, { _ = try await $0.request(for: Order()).execute(as: Receipt.self).value }),
        ("pages", false, { for try await _ in $0.request(for: Order()).pages(of: Int.self, by: .number()) {} }),
        ("stream", false, { for try await _ in $0.request(for: Order()).stream() {} }),
        ("lines", false, { for try await _ in $0.request(for: Order()).lines() {} }),
        ("events", false, { for try await _ in $0.request(for: Order()).events() {} }),
        (
            "download", true,
            { _ = try await $0.request(for: Order()).execute(.download(to: .temporaryDirectory.appending(path: "catena-none"))).value }
        ),
        ("a deadline", true, { _ = try await $0.request(for: Order()).deadline(.seconds(60)).value() }),
        ("a deadline, its result", false, { _ = try await $0.request(for: Order()).deadline(.seconds(60)).execute().result.get() }),
        ("a chain", true, { _ = try await $0.call(Order()).map { $0 }.catch { _ in }.finally {}.timeout(.seconds(60)).value }),
        ("work that awaits it", true, { client in _ = try await Promise { try await client.call(Order()).value }.value }),
    ]

    @Test(
        "an error of an endpoint is found by every terminal, and awaiting throws it unwrapped",
        arguments: endpointWays.map(\.name))
    func endpoints(name: String) async throws {
        let way = try #require(Self.endpointWays.first { $0.name == name })
        stubs.get("/a").reply(code: 7002, message: "no", status: 402)
        try await expect(Refusal(name: "order"), 7002, status: 402, from: way)
    }

    private func expect(_ refusal: Refusal, _ code: ErrorCode, status: Int = 200, from way: Way) async throws {
        let error = try await #require(throws: (any Error).self) { try await way.run(client) }
        if way.throwsOwn { return #expect(error as? Refusal == refusal) }
        let around = try #require(error as? APIError)
        #expect(around.underlying as? Refusal == refusal)
        #expect(around.code == code && around.status == status && around.message == "no")
    }

    @Test("handlers and catches receive the APIError around the error, and catch(as:) the error itself")
    func around() async throws {
        stubs.get("/a").reply(code: 7002, message: "no")
        let seen = Recorder<String>()
        @Sendable func note(_ name: String, _ error: (any Error)?) {
            let around = error as? APIError
            seen.note("\(name) \(around?.code ?? 0) \((around?.underlying as? Refusal)?.name ?? "none")")
        }
        client.onError { error, _ in
            note("onError", error)
            return .proceed
        }
        let call = client.call(Order())
        _ = await call.catch { note("catch", $0) }.result
        _ = await call.catch(.code(7002)) { note("catch(.code)", $0) }.result
        _ = await call.catch(as: Refusal.self) { seen.note("catch(as:) \($0.name)") }.result
        _ = await call.catch(as: APIError.self) { note("catch(as: APIError)", $0) }.result
        _ = try await call.recover { error in
            note("recover", error)
            return 1
        }.value
        note("allSettled", try await Promise.allSettled([call]).value[0].error)
        let looked = Promise<Void>.pending()
        call.whenSettled(on: .global()) { result in
            note("whenSettled", result.error)
            looked.resolver.fulfill()
        }
        try await looked.promise.value
        #expect(
            seen.events == [
                "onError 7002 order", "catch 7002 order", "catch(.code) 7002 order", "catch(as:) order", "catch(as: APIError) 7002 order",
                "recover 7002 order", "allSettled 7002 order", "whenSettled 7002 order",
            ])
    }

    @Test("only calls with the same error types share a response")
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
            told(client.get("/a").execute(.response(as: Receipt.self))), told(client.call(Plain())), told(client.get("/a").execute()),
        ]
        let receipt = client.get("/a").asking(for: ResultDecoder<Receipt>.decodable(Receipt.self))
        for request in [client.request(for: Order()).request, receipt] { try await waiters(for: request, count: 2) }
        await stubs.requestsReceived(4)
        gate.resolver.fulfill(())
        let names = try await Promise<String>.all(calls).value
        #expect(names == ["order", "order", "receipt", "receipt", "none", "none"])
        #expect(stubs.requests.count == 4)
    }

    private func waiters(for request: Request, count: Int) async throws {
        let run = CallRun(request)
        let key = try #require(try DedupeKey(try await Preparation.call(of: run), needsPayload: true))
        await run.tagState.flights.waiters(of: key, count: count)
    }

    private func told<Value>(_ call: Promise<Value>) -> Promise<String> {
        call.map { _ in "success" }.recover { ($0.underlying as? Refusal)?.name ?? "none" }
    }
}
