import CatenaArchive
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Calls that may have a second attempt, and its events and logs", .limitedParallelism)
struct HedgeRulesTests {
    let transport = HeldTransport()
    let clock = VirtualClock()
    let client: Client

    private static let delay = Duration.milliseconds(80)

    init() {
        client = Client(transport: transport, clock: clock)
        client.defaultHost = "https://example.com"
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The reason in the error message.
        let reason: String
        let send: @Sendable (Client, (Request) -> Request) async throws -> Void

        static let once = AsyncStream<Data> { $0.finish() }
        static let file = FileManager.default.temporaryDirectory.appendingPathComponent("catena-hedge-\(UUID().uuidString)")

        static let all = [
            Row(testDescription: "a POST", reason: "POST is not idempotent") {
                try await $1($0.post("/a").json(["n": 1])).execute(.void).value
            },
            Row(testDescription: "a PATCH", reason: "PATCH is not idempotent") { try await $1($0.patch("/a")).execute(.void).value },
            Row(testDescription: "a custom method", reason: "PURGE is not idempotent") {
                try await $1($0.path("/a").method("PURGE")).execute(.void).value
            },
            Row(testDescription: "a body that can be read once", reason: "only once") {
                try await $1($0.put("/a").body(stream: once, length: 0)).execute(.void).value
            },
            Row(testDescription: "a stream", reason: "a stream or a download") { client, change in
                for try await _ in change(client.get("/a")).stream() {}
            },
            Row(testDescription: "lines", reason: "a stream or a download") { client, change in
                for try await _ in change(client.get("/a")).lines() {}
            },
            Row(testDescription: "events", reason: "a stream or a download") { client, change in
                for try await _ in change(client.get("/a")).events() {}
            },
            Row(testDescription: "a download", reason: "a stream or a download") {
                _ = try await $1($0.get("/a")).execute(.download(to: file)).value
            },
        ]
    }

    @Test("a call that must not be sent twice fails unsent if it asks for a second attempt", arguments: Row.all)
    func refused(row: Row) async throws {
        client.configureDefaults { $0.retry = .exponential(limit: 2) }
        let error = try #require(
            await #expect(throws: APIError.self) { try await row.send(client) { $0.set(\.hedgeDelay, Self.delay) } })
        #expect(error.kind == .invalidRequest)
        #expect(error.message.hasPrefix("hedgeDelay: "))
        #expect(error.message.contains(row.reason))
        #expect(error.attempts == 0)
        #expect(transport.requests.isEmpty)
        #expect(clock.delays.isEmpty)
    }

    @Test("the tag's hedge delay does not apply to a call that must not be sent twice", arguments: Row.all)
    func exempt(row: Row) async throws {
        client.configureDefaults { $0.hedgeDelay = Self.delay }
        let call = Task { [client] in try await row.send(client) { $0 } }
        await transport.arrived(1)
        clock.advance(by: Self.delay)
        transport.reply(0, .status(204))
        _ = await call.result
        #expect(transport.requests.count == 1)
    }

    @Test("a hedge delay of zero or less fails the call", arguments: [Duration.zero, .milliseconds(-1)])
    func delays(delay: Duration) async throws {
        let error = await #expect(throws: APIError.self) { try await client.get("/a").set(\.hedgeDelay, delay).execute(.void).value }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.hasPrefix("hedgeDelay: ") == true)
        client.configureDefaults { $0.hedgeDelay = delay }
        let other = await #expect(throws: APIError.self) { try await client.get("/a").execute(.void).value }
        #expect(other?.message.hasPrefix("hedgeDelay: ") == true)
        #expect(transport.requests.isEmpty)
    }

    @Test("a POST with an idempotency key may have a second attempt, with the same key", arguments: [true, false])
    func idempotencyKey(isStep: Bool) async throws {
        let post = client.post("/a").json(["n": 1])
        let request = isStep ? post.set(\.idempotencyKey, .random) : post.header("Idempotency-Key", "order-7")
        let call = request.set(\.hedgeDelay, Self.delay).execute(as: Int.self)
        await transport.arrived(1)
        clock.advance(by: Self.delay)
        await transport.arrived(2)
        transport.reply(1, .json("1"))
        #expect(try await call.value == 1)
        let keys = transport.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys[0] != nil && keys[0] == keys[1])
        #expect(transport.requests.map(\.body) == [Data(#"{"n":1}"#.utf8), Data(#"{"n":1}"#.utf8)])
    }

    @Test("a GET that an interceptor turns into a POST has no second attempt")
    func changed() async throws {
        client.intercept("change", .before(.retry)) { call, next in
            var call = call
            call.request.method = .post
            return try await next(call)
        }
        let call = client.get("/a").set(\.hedgeDelay, Self.delay).execute(as: Int.self)
        await transport.arrived(1)
        clock.advance(by: .seconds(1))
        transport.reply(0, .json("1"))
        #expect(try await call.value == 1)
        #expect(transport.requests.map(\.method) == [.post])
    }

    @Test(
        "a tag's hedge delay applies only to reading calls, because two concurrent writes could overtake later ones",
        arguments: [HTTPMethod.put, .delete])
    func writes(method: HTTPMethod) async throws {
        client.configureDefaults { $0.hedgeDelay = Self.delay }
        let call: Promise<Void> = client.path("/a").method(method).execute(.void)
        await transport.arrived(1)
        clock.advance(by: .seconds(1))
        transport.reply(0, .status(204))
        try await call.value
        #expect(transport.requests.count == 1)
        // A step of the call itself allows a second attempt.
        let other: Promise<Void> = client.path("/a").method(method).set(\.hedgeDelay, Self.delay).execute(.void)
        await transport.arrived(2)
        clock.advance(by: Self.delay)
        await transport.arrived(3)
        transport.reply(2, .status(204))
        try await other.value
    }

    @Test("an attempt that an interceptor turns into a POST has no second one beside it")
    func changedInside() async throws {
        let held = Recorder<Void>()
        client.intercept("change") { call, next in
            var call = call
            call.request.method = .post
            defer { held.note(()) }
            return try await next(call)
        }
        let call = client.get("/a").set(\.hedgeDelay, Self.delay).execute(as: Int.self)
        await transport.arrived(1)
        clock.advance(by: Self.delay)
        await held.reached(1)
        transport.reply(0, .json("1"))
        #expect(try await call.value == 1)
        #expect(transport.requests.map(\.method) == [.post])
    }

    @Test("a common closure's new idempotency key for each attempt does not allow a second attempt of a POST")
    func keyOfClosure() async throws {
        client.commonHeaders { _ in ["Idempotency-Key": UUID().uuidString] }
        let error = await #expect(throws: APIError.self) {
            try await client.post("/a").json(["n": 1]).set(\.hedgeDelay, Self.delay).execute(.void).value
        }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.hasPrefix("hedgeDelay: ") == true)
        #expect(transport.requests.isEmpty)
    }

    @Test("a call fails with the failure of one attempt if an interceptor cancels the other")
    func givenUp() async throws {
        let count = Counter()
        client.intercept("stop the second") { call, next in
            count.increment()
            guard count.count == 1 else { throw CancellationError() }
            return try await next(call)
        }
        let call = client.get("/a").set(\.hedgeDelay, Self.delay).execute(as: Int.self)
        await transport.arrived(1)
        clock.advance(by: Self.delay)
        await count.reached(2)
        transport.reply(0, .status(503))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.status == 503)
    }

    @Test("`explain()` has a line for the hedge only where it applies")
    func explanation() {
        client.configureDefaults { defaults in
            defaults.retry = .exponential(limit: 2)
            defaults.hedgeDelay = .milliseconds(80)
        }
        let line = "hedge: a second attempt if there is no response after 0.08 seconds"
        let lines = client.get("/a").explain().split(separator: "\n").map(String.init)
        #expect(lines.prefix(3) == ["1. tag: none", "2. retry: up to 2 more attempts", "3. \(line)"])
        #expect(!client.post("/a").explain().contains("hedge"))
        #expect(client.post("/a").set(\.idempotencyKey, .random).explain().contains(line))
        #expect(!client.get("/a").set(\.hedgeDelay, nil).explain().contains("hedge"))
    }

    // MARK: Events, logs and errors

    private func run(_ request: Request, winner: Int) async throws -> Result<JSON, any Error> {
        let call = request.set(\.hedgeDelay, Self.delay).execute(as: JSON.self)
        await transport.arrived(1)
        clock.advance(by: Self.delay)
        await transport.arrived(2)
        transport.reply(winner, .json("\(winner)"))
        return await call.result
    }

    @Test("observers receive both attempts, and the cancellation of one", arguments: [0, 1])
    func events(winner: Int) async throws {
        let listener = CallEventTests.Listener()
        client.observe(listener.hear)
        _ = try await run(client.get("/a"), winner: winner).get()
        try await listener.isOver.value
        #expect(
            listener.heard == ["started GET", "attempt 1", "attempt 2", "answered 200", "failed with 0", "finished with 200"])
    }

    @Test("a log has a line and an archive an entry for each attempt", arguments: [0, 1])
    func records(winner: Int) async throws {
        let lines = Recorder<String>()
        let recorder = HARRecorder()
        client.log(.oneLine, to: LogSink { lines.note($0) })
        client.record(into: recorder)
        _ = try await run(client.get("/a"), winner: winner).get()
        await lines.reached(2)
        let (answered, given) = (lines.events[0], lines.events[1])
        #expect(answered.hasPrefix("GET https://example.com/a → 200, 1 bytes"))
        #expect(answered.contains("(attempt 2)") == (winner == 1))
        #expect(given.hasPrefix("GET https://example.com/a → cancelled"))
        #expect(given.contains("(attempt 2)") == (winner == 0))
        let archive = try JSONDecoder().decode(JSON.self, from: await recorder.archive())
        #expect(archive.log.entries.array?.count == 2)
    }

    @Test("a log has both attempts of a call that misses its deadline")
    func lateRecords() async throws {
        let lines = Recorder<String>()
        client.log(.oneLine, to: LogSink { lines.note($0) })
        let call: Promise<Void> = client.get("/a").set(\.hedgeDelay, Self.delay).deadline(.milliseconds(100)).execute(.void)
        await transport.arrived(1)
        clock.advance(by: Self.delay)
        await transport.arrived(2)
        clock.advance(by: .milliseconds(20))
        _ = await call.result
        await lines.reached(2)
        await transport.gaveUp(2)
        await client.hasNoCalls()
        #expect(lines.count == 2)
        #expect(lines.events.filter { $0.contains("(attempt 2)") }.count == 1)
    }

    @Test("an error has the request of the attempt that failed", arguments: [0, 1])
    func errorRequest(failing: Int) async throws {
        let count = Counter()
        client.intercept("count") { call, next in
            var call = call
            count.increment()
            call.request.headers["X-Count"] = "\(count.count - 1)"
            return try await next(call)
        }
        let call: Promise<Void> = client.get("/a").set(\.hedgeDelay, Self.delay).execute(.void)
        await transport.arrived(1)
        clock.advance(by: Self.delay)
        await transport.arrived(2)
        transport.reply(failing, .status(404))
        let error = try #require(await #expect(throws: APIError.self) { try await call.value })
        #expect(error.request?.headers["X-Count"] == "\(failing)")
    }

    // MARK: On other clocks and transports

    @Test("with stubs, a hedge delay takes no real time but advances the clock by its full length")
    func stubs() async throws {
        let stubs = Stubs()
        stubs.get("/a").sequence(.reply(data: 1).delayed(by: .seconds(5)), .reply(data: 2))
        let response = try await Client(testing: stubs).get("/a").set(\.hedgeDelay, Self.delay).execute(.response(as: Int.self)).value
        #expect(response.payload == 2)
        #expect(response.attempts == 2)
        #expect(stubs.clock.now == Self.delay)
        stubs.get("/b").sequence(.reply(data: 1).delayed(by: .milliseconds(79)), .reply(data: 2))
        let fast = try await Client(testing: stubs).get("/b").set(\.hedgeDelay, Self.delay).execute(.response(as: Int.self)).value
        #expect(fast.payload == 1)
        #expect(fast.attempts == 1)
    }

    @Test("the connection of the slow attempt is closed", .needsEngine)
    func connections() async throws {
        let server = try LoopbackServer()
        server.get("/a") { request in request.visit == 1 ? .unanswered : .text("\(request.visit)") }
        let client = Client(transport: try CurlTransport(), clock: clock)
        let call: Promise<String> = client.host(server.url).get("/a").set(\.hedgeDelay, Self.delay).execute(.string)
        await server.requestsReceived(1)
        clock.advance(by: Self.delay)
        #expect(try await call.value == "2")
        // The other connection also ends if the engine keeps none.
        await server.connectionsClosed(Engine.keepsConnections ? 1 : 2)
        #expect(server.requestCount == 2)
        #expect(server.openConnections == (Engine.keepsConnections ? 1 : 0))
        await clock.delays { $0.isEmpty }
    }
}
