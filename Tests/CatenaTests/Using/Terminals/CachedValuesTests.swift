import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A client with a cache, a date that a test advances, and a server of one number.
struct ValuesBench: Sendable {
    let stubs = Stubs()
    let client: Client
    let server: NumberServer
    private let seconds: Recorder<Double>

    /// - Parameter clock: The clock of the client, or `nil` for one that advances by itself.
    init(cache: ResponseCache? = .memory(limit: 1_000_000), clock: VirtualClock? = nil) {
        let seconds = Recorder<Double>()
        self.seconds = seconds
        client = Client(
            transport: stubs, timers: clock ?? stubs.clock, random: { 1 },
            date: { Date(timeIntervalSince1970: 784_111_777 + seconds.events.reduce(0, +)) })
        client.configureDefaults { defaults in
            defaults.host = "https://stubs.test"
            defaults.cache = cache
        }
        let server = NumberServer()
        self.server = server
        stubs.on(nil, "/a").reply { call in try await server.reply(to: call) }
    }

    func pass(_ time: Double) { seconds.note(time) }

    /// Fills the cache with the server's number.
    func fill() async throws { _ = try await client.get("/a").value(as: Int.self) }

    func values(_ request: Request? = nil) async throws -> [Int] {
        try await (request ?? client.get("/a")).values(of: Int.self).collected()
    }
}

/// A server whose number and behaviour a test sets.
final class NumberServer: Sendable {
    struct State: Sendable {
        var number = 1
        var hasTag = true
        var control: String? = "max-age=60"
        var failure: StubReply?
        var gate: Promise<Void>?
        /// Whether requests wait until they are cancelled.
        var isSilent = false
    }

    let state = Mutex(State())
    /// The requests that were cancelled.
    let stopped = Counter()

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    func reply(to call: StubRequest) async throws -> StubReply {
        let state = state.withLock { $0 }
        if state.isSilent {
            await untilCancelled()
            stopped.increment()
            throw CancellationError()
        }
        if let gate = state.gate { try await gate.value }
        if let failure = state.failure { return failure }
        let tag = "\"\(state.number)\""
        if state.hasTag, call.headers["If-None-Match"] == tag { return .status(304).header("ETag", tag) }
        var reply = StubReply.reply(data: state.number)
        if state.hasTag { reply = reply.header("ETag", tag) }
        if let control = state.control { reply = reply.header("Cache-Control", control) }
        return reply
    }
}

@Suite("The cached value and the server's after it", .limitedParallelism)
struct CachedValuesTests {
    @Test(
        "the cached value is given at once, and the server's after it, unless it is unchanged",
        arguments: [true, false], [0.0, 59, 61, 100_000])
    func given(hasTag: Bool, age: Double) async throws {
        let bench = ValuesBench()
        bench.server.set { $0.hasTag = hasTag }
        #expect(try await bench.values() == [1])
        bench.pass(age)
        #expect(try await bench.values() == [1])
        #expect(bench.stubs.requests.last?.headers["If-None-Match"] == (hasTag ? "\"1\"" : nil))
        bench.server.set { $0.number = 2 }
        #expect(try await bench.values() == [1, 2])
        #expect(try await bench.values() == [2])
        #expect(bench.stubs.requests.count == 4)
    }

    @Test("the cached value does not wait for the server")
    func atOnce() async throws {
        let bench = ValuesBench()
        try await bench.fill()
        let (gate, resolver) = Promise<Void>.pending()
        let keeper = gate.map {}
        bench.server.set { ($0.number, $0.gate) = (2, gate) }
        var values = bench.client.get("/a").values(of: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 1)
        // The request is on its way before the next value is asked for.
        await bench.stubs.requestsReceived(2)
        resolver.fulfill(())
        #expect(try await values.next() == 2)
        #expect(try await values.next() == nil)
        #expect(try await values.next() == nil)
        try await keeper.value
    }

    @Test("a loading state ends with the server's value, not with the cached one")
    func loading() async throws {
        let bench = ValuesBench()
        try await bench.fill()
        let (gate, resolver) = Promise<Void>.pending()
        let keeper = gate.map {}
        bench.server.set { ($0.number, $0.gate) = (2, gate) }
        let states = Recorder<Bool>()
        var values = bench.client.get("/a").loading { states.note($0) }.values(of: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 1)
        try await mainQueueHasRun()
        #expect(states.events == [true])
        resolver.fulfill(())
        #expect(try await values.next() == 2)
        try await mainQueueHasRun()
        #expect(states.events == [true, false])
        try await keeper.value
    }

    @Test(
        "each policy gives the cached value and asks the server",
        arguments: [.protocol, .expire(.seconds(60)), .always, .offline] as [CachePolicy])
    func policies(policy: CachePolicy) async throws {
        let bench = ValuesBench()
        bench.client.configureDefaults { $0.cachePolicy = policy }
        try await bench.fill()
        bench.server.set { $0.number = 2 }
        #expect(try await bench.values() == [1, 2])
        bench.server.set { $0.number = 3 }
        #expect(try await bench.values(bench.client.get("/a").cache(policy)) == [2, 3])
    }

    @Test(
        "a call that nothing is cached for has the server's value alone",
        arguments: ["no cache", "never", "no-store", "no-cache", "max-age", "condition", "vary", "cleared", "changed", "undecodable"])
    func alone(reason: String) async throws {
        let bench = ValuesBench(cache: reason == "no cache" ? nil : .memory(limit: 1_000_000))
        let client = bench.client
        client.onDiagnostic { _ in }
        if reason == "undecodable" {
            bench.server.set { $0.failure = .reply(data: "text").header("ETag", "\"2\"").header("Cache-Control", "max-age=60") }
            _ = try await client.get("/a").value(as: String.self)
            bench.server.set { $0.failure = nil }
        } else {
            try await bench.fill()
        }
        bench.pass(10)
        bench.server.set { $0.number = 2 }
        var request = client.get("/a")
        switch reason {
        case "never": client.configureDefaults { $0.cachePolicy = .never }
        case "no-store", "no-cache": request = request.header("Cache-Control", reason)
        case "max-age": request = request.header("Cache-Control", "max-age=5")
        case "condition": request = request.header("If-None-Match", "\"9\"")
        case "vary": request = request.header("Accept-Language", "de")
        case "cleared": client.profile(for: nil).cache?.clear()
        case "changed": try await client.post("/a").void()
        default: break
        }
        #expect(try await bench.values(request) == [2])
    }

    @Test("a call that must not ask the server has the cached value alone")
    func onlyCached() async throws {
        let bench = ValuesBench()
        let request = bench.client.get("/a").header("Cache-Control", "only-if-cached")
        await #expect(throws: APIError.self) { try await bench.values(request) }
        try await bench.fill()
        bench.pass(100)
        #expect(try await bench.values(request) == [1])
        #expect(bench.stubs.requests.count == 1)
    }

    @Test("values, pages and endpoints are decoded as their types")
    func types() async throws {
        struct Rooms: Endpoint {
            typealias Response = [String]
            let path: Path = "/rooms"
        }
        let bench = ValuesBench()
        let client = bench.client
        let count = Counter()
        bench.stubs.get("/rooms").reply { _ in
            count.increment()
            return .reply(data: ["red", "\(count.count)"]).header("Cache-Control", "max-age=60").header("X-Total-Count", "7")
        }
        let request = client.get("/rooms")
        #expect(try await request.values(of: [String].self).collected() == [["red", "1"]])
        #expect(try await request.values(of: JSON.self).collected().map { $0[1].string } == ["1", "2"])
        let pages = try await request.values(of: Page<String>.self).collected()
        #expect(pages.map(\.items) == [["red", "2"], ["red", "3"]])
        #expect(pages.map(\.total) == [7, 7])
        #expect(try await client.request(for: Rooms()).values().collected() == [["red", "3"], ["red", "4"]])
        #expect(try await client.request(for: Rooms()).values(of: JSON.self).collected().count == 2)
        var rest = request.pages(of: String.self, by: .number(from: 2)).makeAsyncIterator()
        #expect(try await rest.next()?.items == ["red", "6"])
    }

    @Test("interceptors before and after the cache see both responses as they see any other")
    func intercepted() async throws {
        let bench = ValuesBench()
        for position in [Interceptor.Position.before(.cache), .after(.cache)] {
            bench.client.intercept("\(position)", position) { call, next in
                var response = try await next(call)
                let body = String(decoding: response.body, as: UTF8.self)
                response.body = Data(body.replacingOccurrences(of: "}", with: "0}").utf8)
                return response
            }
        }
        #expect(try await bench.values() == [100])
        #expect(try await bench.values() == [100])
        bench.server.set { $0.number = 2 }
        #expect(try await bench.values() == [100, 200])
    }

    @Test("each loop is a call, and loops beside each other do not affect one another", arguments: [true, false])
    func loops(dedupes: Bool) async throws {
        let bench = ValuesBench()
        bench.client.configureDefaults { $0.dedupe = dedupes }
        try await bench.fill()
        bench.server.set { $0.number = 2 }
        let values = bench.client.get("/a").values(of: Int.self)
        let tasks = (0..<10).map { _ in Task { try await values.collected() } }
        for task in tasks {
            let collected = try await task.value
            #expect(collected == [1, 2] || collected == [2])
        }
        #expect(try await values.collected() == [2])
    }

    static let refused = [
        RefusedStep("values(of:)", "cache(.never)") { for try await _ in $0.get("/a").cache(.never).values(of: Int.self) {} },
        RefusedStep("values(of:)", "once()") { for try await _ in $0.get("/a").once().values(of: Int.self) {} },
        RefusedStep("values(of:)", "GET", "POST") { for try await _ in $0.post("/a").values(of: Int.self) {} },
        RefusedStep("values(of:)", "GET", "HEAD") { for try await _ in $0.head("/a").values(of: Int.self) {} },
    ]

    @Test("a call that can have no cached value fails, and its error names both steps", arguments: refused)
    func refusal(step: RefusedStep) async {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        client.configureDefaults { $0.cache = .memory(limit: 1_000_000) }
        await step.check(stubs, client)
    }
}
