import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The circuit breaker and other settings", .limitedParallelism)
struct BreakerPairsTests {
    let stubs = Stubs()

    /// Returns a client whose breaker opens at the first failure.
    private func client(clock: VirtualClock? = nil, _ change: (inout Profile) -> Void = { _ in }) -> Client {
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum") { forum in
            forum.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 1, pause: .seconds(5))
            change(&forum)
        }
        return client
    }

    @Test("an open breaker refuses a call, whatever awaits it", arguments: PairKind.allCases)
    func refused(kind: PairKind) async throws {
        let client = client { $0.retry = .exponential(limit: 2, baseDelay: .zero) }
        stubs.get("/a").reply(kind.reply)
        stubs.get("/broken").reply(status: 503)
        await #expect(throws: APIError.self) { try await client.tag("forum").get("/broken").retry(.never).value(as: Int.self) }
        let error = await #expect(throws: APIError.self) { try await kind.run(client.tag("forum").get("/a")) }
        #expect(error?.kind == .circuitOpen)
        #expect(stubs.requests.count == 1)
    }

    @Test("a call that the breaker refuses takes no turn of the rate")
    func turn() async throws {
        let clock = VirtualClock()
        stubs.get("/a").sequence(.status(503), .reply(data: 1))
        let client = client(clock: clock) { $0.rateLimits = [RateLimit(2, per: .seconds(7200))] }
        let request = client.tag("forum").get("/a")
        for _ in 0..<5 { await #expect(throws: APIError.self) { try await request.value(as: Int.self) } }
        clock.advance(by: .seconds(5))
        #expect(try await request.value(as: Int.self) == 1)
    }

    @Test("a call that the rate refuses is no failure for the breaker, and none that a kept response replaces")
    func rate() async throws {
        stubs.get("/a").reply(.reply(data: 1).header("Cache-Control", "max-age=0, stale-if-error=600"))
        let client = client {
            $0.rateLimits = [RateLimit(1, per: .seconds(7200))]
            $0.cache = .memory(limit: 10_000)
            $0.cachePolicy = .offline
        }
        let request = client.tag("forum").get("/a")
        #expect(try await request.value(as: Int.self) == 1)
        for _ in 0..<3 {
            let error = await #expect(throws: APIError.self) { try await request.value(as: Int.self) }
            #expect(error?.kind == .rateLimited)
        }
        #expect(client.circuitBreakerStatus(of: "forum") == .closed)
    }

    @Test("a call that a full queue refuses is no failure for the breaker, and none that a kept response replaces")
    func queue() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/slow").reply { _ in
            try await gate.value
            return .reply(data: 2)
        }
        stubs.get("/a").reply(.reply(data: 1).header("Cache-Control", "max-age=0, stale-if-error=600"))
        let client = client(clock: VirtualClock()) {
            $0.maxConcurrentCalls = ConcurrencyLimit(1, maxWaiting: 0)
            $0.cache = .memory(limit: 10_000)
            $0.cachePolicy = .offline
        }
        let request = client.tag("forum").get("/a")
        #expect(try await request.value(as: Int.self) == 1)
        let slow = client.tag("forum").get("/slow").execute(as: Int.self)
        let stubs = stubs
        await stubs.requestsReceived(2)
        for _ in 0..<3 {
            let error = await #expect(throws: APIError.self) { try await request.value(as: Int.self) }
            #expect(error?.kind == .overloaded)
        }
        #expect(client.circuitBreakerStatus(of: "forum") == .closed)
        resolver.fulfill(())
        #expect(try await slow.value == 2)
    }

    @Test("a call that a full queue refuses has taken its turn of the rate")
    func turnBeforePlace() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/slow").reply { _ in
            try await gate.value
            return .reply(data: 2)
        }
        let client = Client(testing: stubs, clock: VirtualClock())
        client.configure("forum") {
            $0.rateLimits = [RateLimit(2, per: .seconds(7200))]
            $0.maxConcurrentCalls = ConcurrencyLimit(1, maxWaiting: 0)
        }
        let request = client.tag("forum").get("/slow")
        let slow = request.execute(as: Int.self)
        let stubs = stubs
        await stubs.requestsReceived(1)
        for kind in [APIError.Kind.overloaded, .rateLimited] {
            let error = await #expect(throws: APIError.self) { try await request.value(as: Int.self) }
            #expect(error?.kind == kind)
        }
        resolver.fulfill(())
        #expect(try await slow.value == 2)
    }

    @Test("an open breaker does not refuse the request of a refresh")
    func refresh() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        let begun = Counter()
        let client = client(clock: VirtualClock())
        let scheme = CountingScheme { _ in
            begun.increment()
            try await gate.value
            return Stamp(number: try await client.tag("forum").get("/token").value(as: Int.self))
        }
        client.configure("forum") { $0.authentication = Authentication(scheme, store: MemoryCredentialStore(.first)) }
        stubs.get("/a").header("X-Token", "a0").reply(status: 401)
        stubs.get("/a").header("X-Token", "a1").reply(data: 7)
        stubs.get("/broken").reply(status: 503)
        stubs.get("/token").reply(data: 1)
        let call = client.tag("forum").get("/a").execute(as: Int.self)
        await begun.reached(1)
        let broken = client.tag("forum").get("/broken").authenticated(false)
        await #expect(throws: APIError.self) { try await broken.value(as: Int.self) }
        #expect(client.circuitBreakerStatus(of: "forum") == .open)
        resolver.fulfill(())
        #expect(try await call.value == 7)
    }

    @Test("a cancelled call is no result for the breaker")
    func cancelled() async throws {
        stubs.get("/a").reply(.unanswered)
        stubs.get("/b").reply(data: 1)
        let client = client(clock: VirtualClock())
        let call = client.tag("forum").get("/a").execute(as: Int.self)
        let stubs = stubs
        await stubs.requestsReceived(1)
        client.calls.cancel(tag: "forum")
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(client.circuitBreakerStatus(of: "forum") == .closed)
        #expect(try await client.tag("forum").get("/b").value(as: Int.self) == 1)
    }
}
