import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Waits of a call, and its other settings", .limitedParallelism)
struct WaitPairsTests {
    let stubs = Stubs()

    private func client(clock: VirtualClock? = nil, _ change: (inout Profile) -> Void) -> Client {
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum", change)
        return client
    }

    @Test("a refused call is sent again after the wait that the server asks for, whatever awaits it", arguments: PairKind.allCases)
    func asked(kind: PairKind) async throws {
        stubs.get("/a").sequence(.status(503).header("Retry-After", "20"), kind.reply)
        // The wait is longer than the timeout, of which it is no part.
        let client = client {
            $0.retry = .exponential(limit: 1, baseDelay: .zero)
            $0.timeout = .seconds(5)
        }
        try await kind.run(client.tag("forum").get("/a"))
        #expect(stubs.requests.count == 2)
        #expect(stubs.clock.now >= .seconds(20))
    }

    @Test("a call keeps its place while it waits for its next attempt")
    func place() async throws {
        stubs.get("/a").sequence(.status(503).header("Retry-After", "20"), .reply(data: 1))
        let sent = Recorder<Duration>()
        stubs.get("/b").reply { [stubs] _ in
            sent.note(stubs.clock.now)
            return .reply(data: 2)
        }
        let client = client {
            $0.maxConcurrentCalls = ConcurrencyLimit(1)
            $0.retry = .exponential(limit: 1, baseDelay: .zero)
        }
        let second = Recorder<Promise<Int>>()
        client.observe { [weak client] event in
            if case .retrying = event.kind, let client { second.note(client.tag("forum").get("/b").execute(as: Int.self)) }
        }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 1)
        await second.reached(1)
        #expect(try await second.events.first?.value == 2)
        #expect(sent.events.count == 1 && sent.events.allSatisfy { $0 >= .seconds(20) })
    }

    @Test("the attempts of a call take one turn of the rate")
    func turn() async throws {
        stubs.get("/a").sequence(.status(503), .status(503), .reply(data: 1))
        let client = client {
            $0.rateLimits = [RateLimit(1, per: .seconds(50))]
            $0.retry = .exponential(limit: 2, baseDelay: .zero)
        }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 1)
        #expect(stubs.clock.now < .seconds(50))
    }

    @Test("the attempts of a call are one result for the circuit breaker")
    func result() async throws {
        stubs.get("/a").reply(status: 503)
        stubs.get("/b").reply(data: 2)
        let client = client {
            $0.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 2)
            $0.retry = .exponential(limit: 2, baseDelay: .zero)
        }
        await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").value(as: Int.self) }
        #expect(stubs.requests.count == 3)
        #expect(try await client.tag("forum").get("/b").value(as: Int.self) == 2)
    }

    @Test(
        "each attempt has the whole timeout or the rest of the deadline, and one that takes longer is retried",
        arguments: [(nil, 4), (Duration.seconds(5), 3), (.seconds(1), 1)] as [(Duration?, Int)])
    func timeout(deadline: Duration?, attempts: Int) async throws {
        stubs.get("/a").sequence(.unanswered, .unanswered, .unanswered, .reply(data: 1).delayed(by: .seconds(1)))
        let client = client {
            $0.timeout = .seconds(2)
            $0.retry = .exponential(limit: 5, baseDelay: .zero)
        }
        let request = client.tag("forum").get("/a")
        let call = (deadline.map { request.deadline($0) } ?? request).execute(as: Int.self)
        if let deadline {
            let error = await call.result.apiError
            #expect(error?.kind == .timeout)
            #expect(error?.attempts == attempts)
            #expect(stubs.clock.now == deadline)
        } else {
            #expect(try await call.value == 1)
            #expect(stubs.clock.now == .seconds(7))
        }
        #expect(stubs.requests.count == attempts)
    }

    @Test("the wait for a turn is no part of the timeout of an attempt")
    func turnAndTimeout() async throws {
        stubs.get("/a").reply(data: 1)
        let client = client {
            $0.rateLimits = [RateLimit(1, per: .seconds(10))]
            $0.timeout = .seconds(5)
        }
        for _ in 0..<3 { #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 1) }
        #expect(stubs.clock.now == .seconds(20))
    }

    @Test("the wait for a place is no part of the timeout of an attempt")
    func placeAndTimeout() async throws {
        let clock = VirtualClock()
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            try await gate.value
            return .reply(data: 1)
        }
        stubs.get("/b").reply(data: 2)
        let client = client(clock: clock) { $0.maxConcurrentCalls = ConcurrencyLimit(1) }
        let first = client.tag("forum").get("/a").execute(as: Int.self)
        let stubs = stubs
        await stubs.requestsReceived(1)
        let limiter = try #require(CallRun(client.tag("forum").get("/b")).tagState.concurrency)
        let second = client.tag("forum").get("/b").timeout(.seconds(5)).execute(as: Int.self)
        await limiter.reached { $0 == (1, 1) }
        clock.advance(by: .seconds(6))
        resolver.fulfill(())
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
    }

    /// A wait before a request, during which another user signs in.
    enum Wait: CaseIterable { case rate, concurrency, retry }

    @Test("a call that waits is not sent once another user has signed in", arguments: Wait.allCases)
    func user(wait: Wait) async throws {
        let clock = VirtualClock()
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/first").reply { _ in
            if wait == .concurrency { try await gate.value }
            return .reply(data: 1)
        }
        stubs.get("/a").sequence(.status(503).header("Retry-After", "10"), .reply(data: 2))
        let authentication = Authentication(CountingUsers(), store: MemoryCredentialStore("Ann"))
        let client = client(clock: clock) { forum in
            forum.authentication = authentication
            switch wait {
            case .rate: forum.rateLimits = [RateLimit(1, per: .seconds(10))]
            case .concurrency: forum.maxConcurrentCalls = ConcurrencyLimit(1)
            case .retry: forum.retry = .exponential(limit: 1, baseDelay: .zero)
            }
        }
        let first = client.tag("forum").get("/first").execute(as: Int.self)
        let stubs = stubs
        await stubs.requestsReceived(1)
        let call = client.tag("forum").get("/a").execute(as: Int.self)
        if wait != .concurrency { await clock.scheduled(.seconds(10)) }
        try authentication.signIn("Bob")
        resolver.fulfill(())
        clock.advance(by: .seconds(10))
        #expect(await call.result.apiError?.kind == .missingCredential)
        #expect(try await first.value == 1)
        #expect(stubs.requests.allSatisfy { $0.headers["X-Name"] == "Ann" })
        #expect(stubs.requests.count == (wait == .retry ? 2 : 1))
    }

    @Test("a second attempt is not sent once another user has signed in, and the first one continues")
    func hedge() async throws {
        let clock = VirtualClock()
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            try await gate.value
            return .reply(data: 1)
        }
        let authentication = Authentication(CountingUsers(), store: MemoryCredentialStore("Ann"))
        let client = client(clock: clock) { $0.authentication = authentication }
        let call = client.tag("forum").get("/a").set(\.hedgeDelay, .seconds(1)).execute(as: Int.self)
        let stubs = stubs
        await stubs.requestsReceived(1)
        try authentication.signIn("Bob")
        await clock.scheduled(.seconds(1))
        clock.advance(by: .seconds(1))
        resolver.fulfill(())
        #expect(try await call.value == 1)
        #expect(stubs.requests.map { $0.headers["X-Name"] } == ["Ann"])
    }
}
