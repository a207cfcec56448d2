import Catena
import CatenaPromise
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("Effects of the inspector on calls", .limitedParallelism) struct EffectTests {
    private func add(_ effect: JSON, to probe: Probe) async throws -> JSON {
        try await probe.post("/api/effects").json(effect).value()
    }

    private func refusal(of effect: String, by probe: Probe) async -> (status: Int?, words: String) {
        let answer = await probe.post("/api/effects").body(Data(effect.utf8), contentType: "application/json").execute().result
        guard case .failure(let error as APIError) = answer else { return (nil, "") }
        return (error.status, (try? JSON(parsing: error.body ?? Data()))?.error.string ?? "")
    }

    @Test("a stub replies for its path, and the call is marked with the stub")
    func stub() async throws {
        let probe = try Probe()
        probe.stubs.get("/other").reply(data: "the server's")
        let effect = try await add(
            [
                "kind": "stub", "method": "GET", "path": "/v1/rooms/*", "status": 200,
                "headers": JSON(array: [["Content-Type", "application/json"]]),
                "body": #"{"code":0,"data":"made up"}"#,
            ],
            to: probe)
        #expect(effect.id.int == 1)
        #expect(try await probe.client.get("/v1/rooms/7").value().string == "made up")
        #expect(try await probe.client.get("/other").value().string == "the server's")
        let row = try await probe.rows("?text=/v1/rooms/7")[0]
        #expect(row.source.string == "stub")
        #expect(row.effects.array?.compactMap(\.string) == ["stub"])
        #expect(probe.stubs.requests.count == 1)
        try await probe.delete("/api/effects/1").execute(.void).value
        probe.stubs.get("/v1/rooms/7").reply(data: "the server's")
        #expect(try await probe.client.get("/v1/rooms/7").value().string == "the server's")
    }

    @Test("the app's cache does not store the reply of a stub")
    func cache() async throws {
        let probe = try Probe()
        probe.client.configureDefaults { $0.cache = .memory(limit: 100_000) }
        probe.stubs.get("/a").reply(data: "the server's")
        _ = try await add(
            [
                "kind": "stub", "path": "/a", "headers": JSON(array: [["Cache-Control", "max-age=600"]]),
                "body": #"{"code":0,"data":"made up"}"#,
            ],
            to: probe)
        #expect(try await probe.client.get("/a").value().string == "made up")
        try await probe.delete("/api/effects").execute(.void).value
        #expect(try await probe.client.get("/a").value().string == "the server's")
    }

    @Test("the given share of attempts fails, and the calls are retried")
    func fail() async throws {
        let draws = Draws([0.1, 0.9, 0.1, 0.1])
        let probe = try Probe { $0.random = { draws.next() } }
        probe.stubs.get("/a").reply(data: 1)
        _ = try await add(["kind": "fail", "share": 0.5, "status": 503], to: probe)
        _ = try await probe.client.get("/a").retry(.exponential(limit: 1)).value()
        let row = try await probe.row()
        #expect(row.state.string == "succeeded")
        #expect(row.attempts.int == 2)
        let failed = await probe.client.get("/a").retry(.exponential(limit: 1)).execute().catch { _ in }.result
        guard case .failure(let error as APIError) = failed else { return #expect(Bool(false)) }
        #expect(error.status == 503)
    }

    @Test("the effect offline fails the calls of its tag only")
    func offline() async throws {
        let probe = try Probe()
        probe.client.configure("forum") { $0.host = "https://forum.example.com" }
        probe.stubs.get("/a").reply(data: 1)
        _ = try await add(["kind": "offline", "tag": "forum"], to: probe)
        guard case .failure(let error as APIError) = await probe.client.tag("forum").get("/a").execute().catch({ _ in }).result else {
            return #expect(Bool(false))
        }
        #expect(error.kind == .offline)
        _ = try await probe.client.get("/a").value()
    }

    @Test("the effect slow delays calls by the client's clock")
    func slow() async throws {
        let probe = try Probe()
        probe.stubs.get("/a").reply(data: 1)
        _ = try await add(["kind": "slow", "delay": 5000], to: probe)
        _ = try await probe.client.get("/a").value()
        let row = try await probe.row()
        #expect((row.ms.double ?? 0) >= 5000)
        #expect(row.effects.array?.compactMap(\.string) == ["slow"])
    }

    @Test("without effects, calls pass no interceptor of the inspector")
    func direct() async throws {
        let probe = try Probe()
        #expect(!probe.client.get("/a").explain().contains("interceptor"))
        _ = try await add(["kind": "offline"], to: probe)
        #expect(probe.client.get("/a").explain().contains("interceptor"))
        try await probe.delete("/api/effects").execute(.void).value
        #expect(!probe.client.get("/a").explain().contains("interceptor"))
    }

    @Test(
        "an invalid effect is refused with the reason",
        arguments: [
            ("{", "not JSON"), ("[]", "no JSON object"), (#"{"kind":"explode"}"#, "none of stub, slow, fail and offline"),
            (#"{"kind":"slow","delay":-1}"#, "milliseconds"), (#"{"kind":"fail","share":1.5}"#, "from 0 to 1"),
            (#"{"kind":"offline","tag":"nobody"}"#, "no tag \"nobody\""), (#"{"kind":"stub","path":"rooms"}"#, "begin with a slash"),
            (#"{"kind":"stub","path":"/a","status":99}"#, "200 to 599"),
            (#"{"kind":"stub","path":"/a","headers":[["Content-Type","application/json"]],"body":"{\"a\":"}"#, "body is not JSON"),
            (#"{"kind":"stub","path":"/a","headers":[["X-A","a\nb"]]}"#, "header"),
        ])
    func refused(effect: String, words: String) async throws {
        let probe = try Probe()
        let refusal = await refusal(of: effect, by: probe)
        #expect(refusal.status == 400)
        #expect(refusal.words.contains(words), "\(refusal.words)")
    }

    @Test("there are at most a hundred effects, and one that ends makes room")
    func most() async throws {
        let probe = try Probe()
        for _ in 0..<100 { _ = try await add(["kind": "slow", "delay": 0], to: probe) }
        let refusal = await refusal(of: #"{"kind":"slow","delay":0}"#, by: probe)
        #expect(refusal.status == 409)
        #expect(refusal.words == "There are 100 effects already.")
        try await probe.delete("/api/effects/1").execute(.void).value
        #expect(try await add(["kind": "slow", "delay": 0], to: probe).id.int == 101)
        #expect(probe.inspector.core.effects.all.count == 100)
    }

    @Test("a request that is too large is refused, and the inspector continues to serve")
    func large() async throws {
        let probe = try Probe()
        let port = probe.inspector.url.port ?? 0
        let answer = try await RawExchange.run(
            port: port,
            "POST /api/effects HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-Inspector-Key: \(probe.inspector.key)\r\nContent-Length: 99999999\r\n\r\n"
        )
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        _ = try await probe.get("/api/hello").value()
    }

    @Test("a repeated call equals the original one")
    func again() async throws {
        let probe = try Probe()
        probe.stubs.post("/pay").reply(data: 1)
        try await probe.client.post("/pay").query(["page": 1]).json(["amount": 7]).header("X-App", "ios").execute(.void).value
        try await probe.post("/api/calls/\(probe.row().id.int ?? 0)/again").execute(.void).value
        await probe.stubs.requestsReceived(2)
        let (first, second) = (probe.stubs.requests[0], probe.stubs.requests[1])
        #expect(second.url == first.url)
        #expect(second.method == first.method)
        #expect(second.body == first.body)
        #expect(second.headers["X-App"] == "ios")
        #expect(second.headers["Content-Type"] == first.headers["Content-Type"])
    }
}

/// Returns the given numbers one after the other.
private final class Draws: Sendable {
    private let numbers: Mutex<[Double]>

    init(_ numbers: [Double]) { self.numbers = Mutex(numbers) }

    func next() -> Double { numbers.withLock { $0.isEmpty ? 1 : $0.removeFirst() } }
}
