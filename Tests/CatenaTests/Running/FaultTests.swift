import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Faults around a call: in the app's own code, of the clock, on the disk and of a server that never recovers.
@Suite("Faults", .limitedParallelism)
struct FaultTests {
    let stubs = Stubs()

    @Test("the deadline ends a call with a slow interceptor, and nothing is sent after it")
    func slowInterceptor() async throws {
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        let (gate, resolver) = Promise<Void>.pending()
        let (entered, done) = (Counter(), Counter())
        client.intercept("slow") { call, next in
            entered.increment()
            // Ignores cancellation.
            _ = await Task.detached { try? await gate.value }.value
            defer { done.increment() }
            return try await next(call)
        }
        let call: Promise<Void> = client.get("/a").deadline(.seconds(5)).execute(.void)
        await clock.scheduled(.seconds(5))
        await entered.reached(1)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout)
        resolver.fulfill(())
        await done.reached(1)
        #expect(stubs.requests.isEmpty)
    }

    @Test("closures, interceptors, observers and handlers may make calls and configure the client that they belong to")
    func reentrant() async throws {
        stubs.get("/token").reply(data: "made-up")
        stubs.get("/a").reply(data: 7)
        stubs.get("/bad").reply(status: 500)
        let client = Client(testing: stubs)
        let inner = client
        let seen = Recorder<String>()
        let ends = Counter()
        client.commonHeaders { tag in
            if tag == "inner" { return [:] }
            inner.configure("inner") { $0.headers["X-Count"] = "1" }
            return ["X-Common": try await inner.tag("inner").get("/token").value(as: String.self)]
        }
        client.intercept("more") { call, next in
            if call.tag == "inner" { return try await next(call) }
            inner.intercept("other") { call, next in try await next(call) }.end()
            var call = call
            call.request.headers["X-Intercepted"] = try await inner.tag("inner").get("/token").value(as: String.self)
            return try await next(call)
        }
        client.onError { _, _ in
            seen.note((try? await inner.tag("inner").get("/token").value(as: String.self)) ?? "none")
            return .proceed
        }
        client.observe { event in
            guard case .finished = event.kind else { return }
            inner.configure("observed") { $0.timeout = .seconds(1) }
            ends.increment()
        }
        #expect(try await client.get("/a").value(as: Int.self) == 7)
        await #expect(throws: APIError.self) { try await client.get("/bad").execute(.void).value }
        #expect(stubs.requests.last { $0.path == "/bad" }?.headers["X-Intercepted"] == "made-up")
        #expect(seen.events == ["made-up"])
        await ends.reached(1)
        #expect(client.configuredTags.contains("observed"))
    }

    @Test("after the clock has been set back, a cached response is stale and limits still let calls pass")
    func clockBackwards() async throws {
        let day = CacheCallTests.Day()
        let client = Client(transport: stubs, timers: stubs.clock, random: { 1 }, date: { day.date })
        client.configureDefaults { defaults in
            defaults.host = "https://stubs.test"
            defaults.cache = .memory(limit: 100_000)
            defaults.rateLimits = [RateLimit(2, per: .seconds(10))]
            defaults.circuitBreaker = CircuitBreakerPolicy()
        }
        stubs.get("/a").sequence(
            .reply(data: 1).header("Cache-Control", "max-age=60"), .reply(data: 2).header("Cache-Control", "max-age=60"))
        #expect(try await client.get("/a").value(as: Int.self) == 1)
        #expect(try await client.get("/a").value(as: Int.self) == 1)
        day.pass(-100_000)
        #expect(try await client.get("/a").value(as: Int.self) == 2)
        #expect(try await client.get("/a").value(as: Int.self) == 2)
        #expect(stubs.requests.count == 2)
    }

    @Test(
        "after the clock has jumped ahead, a cached response is stale, and a wait of the server keeps its length",
        arguments: ["7", "Sun, 06 Nov 1994 08:49:44 GMT"])
    func clockAhead(wait: String) async throws {
        let day = CacheCallTests.Day()
        let client = Client(transport: stubs, timers: stubs.clock, random: { 0 }, date: { day.date })
        client.configureDefaults { defaults in
            defaults.host = "https://stubs.test"
            defaults.cache = .memory(limit: 100_000)
            defaults.retry = .exponential(limit: 1, baseDelay: .zero)
        }
        stubs.get("/a").sequence(
            .reply(data: 1).header("Cache-Control", "max-age=60"),
            .status(503).header("Retry-After", wait).header("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), .reply(data: 2))
        #expect(try await client.get("/a").value(as: Int.self) == 1)
        day.pass(100_000)
        #expect(try await client.get("/a").value(as: Int.self) == 2)
        #expect(stubs.clock.now == .seconds(7))
    }

    @Test("an unwritable cache folder and corrupt cache files fail no call", arguments: [true, false])
    func disk(isBroken: Bool) async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.file("cache")
        // A file in place of the folder simulates a full or read-only disk, because nothing can be written.
        if !isBroken { try Data().write(to: folder) }
        let faults = Counter()
        func client() -> Client {
            let client = Client(testing: stubs)
            client.configureDefaults { $0.cache = .disk(folder: folder, limit: 100_000) { _ in faults.increment() } }
            return client
        }
        stubs.get("/a").reply { [stubs] _ in .reply(data: stubs.requests.count).header("Cache-Control", "max-age=60") }
        let first = client()
        let values = [try await first.get("/a").value(as: Int.self), try await first.get("/a").value(as: Int.self)]
        #expect(values[1] == values[0] + (isBroken ? 0 : 1))
        #expect((faults.count > 0) == !isBroken)
        guard isBroken else { return }
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let file = folder.appending(path: name)
            if let size = try? Data(contentsOf: file).count { try Data(repeating: 0xFF, count: size).write(to: file) }
        }
        #expect(try await client().get("/a").value(as: Int.self) == values[0] + 1)
    }

    @Test("a server that always responds 503 receives a bounded number of requests, and every call fails with the reason")
    func always503() async throws {
        let client = Client(testing: stubs)
        client.configureDefaults { defaults in
            defaults.retry = .exponential(limit: 5)
            defaults.circuitBreaker = CircuitBreakerPolicy()
            defaults.maxConcurrentCalls = ConcurrencyLimit(4)
            defaults.dedupe = true
            defaults.cache = .memory(limit: 10_000)
            defaults.authentication = Authentication(CountingScheme(), store: MemoryCredentialStore(.first))
        }
        stubs.get("/{n}").reply(.status(503).header("Retry-After", "1"))
        let calls = (0..<200).map { client.get("/\($0)").execute(.void) }
        var kinds: [APIError.Kind: Int] = [:]
        for call in calls {
            let error = try #require(await #expect(throws: APIError.self) { try await call.value })
            kinds[error.kind, default: 0] += 1
        }
        #expect(Set(kinds.keys).isSubset(of: [.status, .circuitOpen]))
        #expect(kinds.values.reduce(0, +) == 200)
        // Without budget and breaker it would be 1,200.
        #expect(stubs.requests.count < 400)
        #expect(stubs.requests.allSatisfy { $0.headers["X-Token"] == "a0" })
    }
}
