import CatenaLoopback
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Features that a server sees or decides, over connections of the standard transport.
@Suite("Features over sockets", .limitedParallelism)
struct FeaturesOverSocketsTests {
    private let server: LoopbackServer
    private let clock = VirtualClock()
    private let client: Client
    private let number = Counter()

    init() throws {
        server = try LoopbackServer()
        client = Client(transport: PlatformTransport.chosen.transport, timers: clock)
        client.configureDefaults { [server] defaults in
            defaults.host = server.url
            defaults.cache = .memory(limit: 1_000_000)
        }
        server.get("/rooms") { [number] _ in .json(text: "\(number.count)").header("Cache-Control", "max-age=600") }
    }

    private var sent: [String] { server.requests.map { "\($0.method) \($0.target)" } }

    @Test("a QUERY reaches the server with its body, and its response is kept under the body")
    func query() async throws {
        server.on(.query, "/search") { request in .json(text: request.text).header("Cache-Control", "max-age=600") }
        for text in ["a", "a", "b"] {
            let found: [String: String] = try await client.method(.query).path("/search").json(["q": text]).value()
            #expect(found == ["q": text])
        }
        #expect(server.requests.map(\.text) == [#"{"q":"a"}"#, #"{"q":"b"}"#])
    }

    @Test("a write makes a list stale, and a watching loop gives the new one")
    func invalidation() async throws {
        server.post("/rooms/7/rename") { [number] _ in
            number.increment()
            return .status(204)
        }
        let shown = Recorder<Int>()
        let loop = Task { [client] in
            for try await value in client.get("/rooms").values(of: Int.self).watching() { shown.note(value) }
        }
        await shown.reached(1)
        try await client.post("/rooms/7/rename").set(\.invalidates, ["/rooms"]).void()
        await shown.reached(2)
        loop.cancel()
        await #expect(throws: CancellationError.self) { try await loop.value }
        #expect(shown.events == [0, 1])
        #expect(sent == ["GET /rooms", "POST /rooms/7/rename", "GET /rooms"])
    }

    @Test("a server makes the responses of a group stale (RFC 9875)")
    func groups() async throws {
        server.get("/list") { _ in
            .json(text: "1").header("Cache-Control", "max-age=600").header("Cache-Groups", #""lists""#)
        }
        server.delete("/list/1") { _ in .status(204).header("Cache-Group-Invalidation", #""lists""#) }
        for _ in 0..<2 { try await client.get("/list").void() }
        try await client.delete("/list/1").void()
        try await client.get("/list").void()
        #expect(sent == ["GET /list", "DELETE /list/1", "GET /list"])
    }

    @Test("a response says whether it is the server's, fresh, or confirmed by a 304")
    func freshness() async throws {
        server.get("/a") { request in
            let reply: StubReply = request.headers["If-None-Match"] == nil ? .json(text: "7") : .status(304)
            return reply.header("ETag", "\"1\"").header("Cache-Control", "max-age=600")
        }
        var seen: [ResponseFreshness?] = []
        for control in [nil, nil, "no-cache"] {
            seen.append(try await client.get("/a").header("Cache-Control", control).response(as: Int.self).freshness)
        }
        #expect(seen == [nil, .fresh, .revalidated])
        #expect(server.requestCount == 2)
    }

    @Test("of searches that replace one another while the user types, the server sees the last")
    func debounce() async throws {
        server.get("/search") { _ in .json(text: "[]") }
        let time = Duration.milliseconds(300)
        var calls: [Promise<[Int]>] = []
        for text in ["s", "sw", "swi"] {
            let request = client.get("/search").query("q", text).id("search", replacing: true).set(\.debounce, time)
            calls.append(request.execute(as: [Int].self))
            if calls.count > 1 { await #expect(throws: CancellationError.self) { try await calls[calls.count - 2].value } }
            await clock.delays { $0 == [time] }
        }
        clock.advance(by: time)
        #expect(try await calls[2].value.isEmpty)
        #expect(sent == ["GET /search?q=swi"])
    }

    @Test("events of a name are values, and the server's pings are none")
    func events() async throws {
        server.post("/events") { _ in
            .text("event: ping\ndata: 1\n\nevent: delta\ndata: 2\n\nevent: delta\ndata: 3\n\n").header("Content-Type", "text/event-stream")
        }
        var values: [Int] = []
        for try await value in client.post("/events").events(as: Int.self, named: "delta") { values.append(value) }
        #expect(values == [2, 3])
    }

    @Test("a wait until the client is idle ends with its limit, or with the last response")
    func idle() async throws {
        let gate = LoopbackGate()
        server.get("/slow") { _ in .text("done").held(by: gate) }
        let call = client.get("/slow").execute(.string)
        await gate.entered(1)
        let waiting = Task { [client] in await client.waitUntilIdle(for: .seconds(10)) }
        await clock.delays { $0.contains(.seconds(10)) }
        clock.advance(by: .seconds(10))
        #expect(await !waiting.value)
        gate.open()
        #expect(await client.waitUntilIdle(for: .seconds(10)))
        #expect(try await call.value == "done")
    }
}
