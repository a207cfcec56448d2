import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Debounced calls", .limitedParallelism)
struct DebounceTests {
    private static let time = Duration.milliseconds(300)

    private let stubs = Stubs()
    private let clock = VirtualClock()

    private func client(_ clock: VirtualClock? = nil) -> Client { Client(testing: stubs, clock: clock) }

    private func search(_ client: Client, _ text: String = "s") -> Request {
        client.get("/search").query("q", text).id("search", replacing: true).set(\.debounce, Self.time)
    }

    /// The terminals of a call.
    private static let ways: [(name: String, run: @Sendable (Request) async throws -> Void)] = [
        ("value", { _ = try await $0.value(as: [Int].self) }),
        ("void", { try await $0.void() }),
        ("execute", { _ = try await $0.execute(as: [Int].self).value }),
        ("response", { _ = try await $0.response(as: [Int].self) }),
        ("cached values", { for try await _ in $0.values(of: [Int].self) {} }),
        ("pages", { for try await _ in $0.pages(of: Int.self, by: .number()) {} }),
        ("poll", { _ = try await $0.poll(every: .seconds(1)) { (_: [Int]) in true } }),
        ("stream", { for try await _ in $0.stream() {} }),
        ("lines", { for try await _ in $0.lines() {} }),
    ]

    @Test("of calls that replace one another within the time only the last is sent, whatever awaits it", arguments: ways.map(\.name))
    func replaced(name: String) async throws {
        let way = try #require(Self.ways.first { $0.name == name })
        stubs.get("/search").reply(json: [])
        let client = client(clock)
        var older: Task<Void, any Error>?
        for text in ["s", "sw", "swi"] {
            let request = search(client, text)
            let task = Task { try await way.run(request) }
            if let older { await #expect(throws: CancellationError.self) { try await older.value } }
            await clock.scheduled(Self.time)
            clock.advance(by: .milliseconds(200))
            older = task
        }
        #expect(stubs.requests.isEmpty)
        clock.advance(by: .milliseconds(100))
        try await older?.value
        #expect(stubs.requests.map { $0.query("q") } == ["swi"])
    }

    @Test("nothing of a replaced call runs: no closure, no indicator remains, and no event is observed")
    func nothing() async throws {
        stubs.get("/search").reply(json: [1])
        let client = client(clock)
        let ran = Recorder<String>()
        client.commonHeaders { _ in
            ran.note("common")
            return [:]
        }
        client.observe { event in if case .attempt = event.kind { ran.note("attempt") } }
        let older = search(client).before { ran.note("before") }.execute(as: [Int].self)
        await clock.scheduled(Self.time)
        let newer = search(client, "sw").execute(as: [Int].self)
        await #expect(throws: CancellationError.self) { try await older.value }
        await clock.delays { $0 == [Self.time] }
        #expect(client.calls.tasks(id: "search").count == 1)
        clock.advance(by: Self.time)
        #expect(try await newer.value == [1])
        await client.waitUntilIdle()
        #expect(ran.events == ["common", "attempt"])
    }

    @Test("a call that no other replaces is sent after the time, and no time, zero and a negative one are no wait")
    func alone() async throws {
        stubs.get("/search").reply(json: [1])
        for (time, end) in [(Self.time, Self.time), (nil, .zero), (.zero, .zero), (.seconds(-1), .zero)] as [(Duration?, Duration)] {
            let start = stubs.clock.now
            #expect(try await search(client()).set(\.debounce, time).value(as: [Int].self) == [1])
            #expect(stubs.clock.now - start == end)
        }
    }

    @Test("the deadline includes the wait")
    func deadline() async {
        let client = client(clock)
        let call = search(client).deadline(.milliseconds(200)).execute(.void)
        await clock.delays { Set($0) == [Self.time, .milliseconds(200)] }
        clock.advance(by: .milliseconds(200))
        let error = await call.result.apiError
        #expect(error?.kind == .timeout)
        #expect(stubs.requests.isEmpty)
    }

    @Test("of a loop only the first call waits", arguments: ["pages", "poll", "events"])
    func loop(name: String) async throws {
        let request = search(client())
        switch name {
        case "pages":
            stubs.get("/search").sequence(.json([1]), .json([2]), .json([]))
            #expect(try await request.pages(of: Int.self, by: .number()).reduce(into: [Int]()) { $0 += $1.items } == [1, 2])
            #expect(stubs.clock.now == Self.time)
        case "poll":
            stubs.get("/search").sequence(.json(1), .json(2))
            _ = try await request.poll(every: .seconds(1)) { (number: Int) in number == 2 }
            #expect(stubs.clock.now == Self.time + .seconds(1))
        default:
            stubs.get("/search").sequence(.text("data: 1\n\n", contentType: "text/event-stream"), .status(204))
            #expect(try await request.events(as: Int.self).collected() == [1])
            #expect(stubs.clock.now == Self.time + .seconds(3))
        }
    }

    @Test("each attempt of a call follows one wait")
    func retries() async throws {
        stubs.get("/search").sequence(.status(503), .json([1]))
        #expect(try await search(client()).retry(.exponential(limit: 1)).value(as: [Int].self) == [1])
        #expect(stubs.clock.now == Self.time + .milliseconds(500))
    }

    @Test("a replaced call takes no turn and no place of a limit")
    func limits() async throws {
        stubs.get("/search").reply(json: [1])
        let client = client(clock)
        client.configureDefaults { defaults in
            defaults.rateLimits = [RateLimit(1, per: .seconds(3600))]
            defaults.maxConcurrentCalls = ConcurrencyLimit(1)
        }
        let older = search(client).execute(as: [Int].self)
        await clock.scheduled(Self.time)
        let newer = search(client, "sw").execute(as: [Int].self)
        await #expect(throws: CancellationError.self) { try await older.value }
        await clock.delays { $0 == [Self.time] }
        clock.advance(by: Self.time)
        #expect(try await newer.value == [1])
    }

    @Test("a cached value is given after the wait", arguments: [true, false])
    func cached(isSequence: Bool) async throws {
        stubs.get("/search").reply(.json([1]).header("Cache-Control", "max-age=60"))
        let client = client()
        client.configureDefaults { $0.cache = .memory(limit: 100_000) }
        let request = search(client)
        #expect(try await request.set(\.debounce, nil).value(as: [Int].self) == [1])
        if isSequence {
            #expect(try await request.values(of: [Int].self).collected() == [[1]])
        } else {
            #expect(try await request.value(as: [Int].self) == [1])
            #expect(stubs.requests.count == 1)
        }
        #expect(stubs.clock.now == Self.time)
    }

    @Test("a call belongs to the user who is signed in when it begins, and not to the one after the wait")
    func users() async throws {
        let client = client(clock)
        let signIn = Authentication(CountingUsers(), store: MemoryCredentialStore("Ann"))
        client.configureDefaults { $0.authentication = signIn }
        let call = search(client).execute(as: [Int].self)
        await clock.scheduled(Self.time)
        try signIn.signIn("Bob")
        clock.advance(by: Self.time)
        #expect(await call.result.apiError?.kind == .missingCredential)
        #expect(stubs.requests.isEmpty)
    }

    @Test("the wait is a part of the call for its indicator and for a shutdown, and cancelling ends it", arguments: [true, false])
    @MainActor func wait(isCancelled: Bool) async throws {
        stubs.get("/search").reply(json: [1])
        let client = client(clock)
        let states = Recorder<Bool>()
        let call = search(client).loading { states.note($0) }.execute(as: [Int].self)
        await clock.scheduled(Self.time)
        #expect(states.events == [true])
        client.shutdown()
        if isCancelled {
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            await clock.delays { $0.isEmpty }
        } else {
            clock.advance(by: Self.time)
            #expect(try await call.value == [1])
        }
        await states.reached(2)
        #expect(states.events == [true, false])
        #expect(stubs.requests.count == (isCancelled ? 0 : 1))
    }

    @Test("without an id that replaces, the call fails, and its error names both steps", arguments: [true, false])
    func missingID(hasID: Bool) async {
        let request = client().get("/search").set(\.debounce, Self.time)
        let error = await (hasID ? request.id("search") : request).execute(.void).result.apiError
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.contains("debounce: ") == true)
        #expect(error?.message.contains("id(_:replacing: true)") == true)
        #expect(stubs.requests.isEmpty)
        #expect(stubs.clock.now == .zero)
    }

    @Test("a preview waits for nothing, and explain() and the description name the time")
    func looks() async throws {
        let request = search(client(clock))
        #expect(try await request.preview().url.query() == "q=s")
        #expect(clock.delays.isEmpty)
        #expect(request.explain().contains("debounce: 0.3 seconds"))
        #expect("\(request)".contains("debounce: 0.3 seconds"))
    }
}
