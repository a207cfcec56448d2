import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Calls with limits", .limitedParallelism)
struct LimitCallTests {
    let stubs = Stubs()

    private func client(clock: VirtualClock? = nil, _ change: (inout Profile) -> Void) -> Client {
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum", change)
        return client
    }

    private static func limiter(_ request: Request) -> ConcurrencyLimiter? { CallRun(request).tagState.concurrency }

    @Test("calls above the concurrency limit wait, and start by priority and then by age")
    func concurrency() async throws {
        let gates = (0..<6).map { _ in Promise<Void>.pending() }
        let begun = Recorder<Int>()
        stubs.get("/{n}").reply { call in
            let number = Int(call.parameters["n"] ?? "") ?? 0
            begun.note(number)
            try await gates[number].promise.value
            return .reply(data: number)
        }
        let request = client { $0.maxConcurrentCalls = ConcurrencyLimit(1) }.tag("forum")
        let limiter = try #require(Self.limiter(request))
        var calls: [Promise<Void>] = []
        for (number, priority) in [CallPriority.normal, .low, .normal, .high, .normal, .high].enumerated() {
            calls.append(request.get("/\(number)").set(\.priority, priority).execute(.void))
            await limiter.reached { $0.waiting + $0.running == number + 1 }
        }
        // Cancels a call in the middle of the queue.
        calls[4].cancel()
        await limiter.reached { $0.waiting == 4 }
        for number in [0, 3, 5, 2, 1] {
            await begun.meets { $0.last == number }
            gates[number].resolver.fulfill(())
        }
        for number in [0, 1, 2, 3, 5] { try await calls[number].value }
        #expect(begun.events == [0, 3, 5, 2, 1])
        #expect(limiter.load == (0, 0))
    }

    @Test("a call that began before a change of the limits does not change those of later calls")
    func changedLimits() async throws {
        stubs.get("/a").reply(.status(500))
        let client = client { $0.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 9) }
        let request = client.tag("forum").get("/a")
        let early = CallRun(request)
        client.configure("forum") { $0.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 1) }
        await #expect(throws: APIError.self) { try await request.void() }
        #expect(early.tagState.breaker?.isClosed == true)
        #expect(client.circuitBreakerStatus(of: "forum") == .open)
        let error = await #expect(throws: APIError.self) { try await request.void() }
        #expect(error?.kind == .circuitOpen)
    }

    @Test("a call is rejected at once if too many calls wait already")
    func queue() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            try await gate.value
            return .reply(data: 1)
        }
        let request = client { $0.maxConcurrentCalls = ConcurrencyLimit(1, maxWaiting: 1) }.tag("forum").get("/a")
        let limiter = try #require(Self.limiter(request))
        let calls: [Promise<Void>] = [request.execute(.void), request.execute(.void)]
        await limiter.reached { $0 == (1, 1) }
        let error = await #expect(throws: APIError.self) { try await request.value() }
        #expect(error?.kind == .overloaded)
        #expect(error?.request?.url == "https://stubs.test/a")
        resolver.fulfill(())
        for call in calls { try await call.value }
        #expect(stubs.requests.count == 2)
    }

    @Test("a call with its own retry policy has the same limits as the other calls of its tag")
    func ownPolicies() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            try await gate.value
            return .reply(data: 1)
        }
        let client = client { forum in
            forum.maxConcurrentCalls = ConcurrencyLimit(1)
            forum.retry = .exponential(limit: 2)
        }
        let request = client.tag("forum").get("/a")
        let limiter = try #require(Self.limiter(request))
        let calls: [Promise<Void>] = [request.execute(.void), request.retry(.never).execute(.void), request.execute(.void)]
        await limiter.reached { $0 == (1, 2) }
        // A change of another setting does not reset the limiter.
        client.configure("forum") { $0.rateLimits = [RateLimit(100, per: .seconds(1))] }
        let late: Promise<Void> = request.execute(.void)
        await limiter.reached { $0 == (1, 3) }
        resolver.fulfill(())
        for call in calls + [late] { try await call.value }
    }

    @Test("calls start at the rate limit, without real waiting on the stubs' clock")
    func rate() async throws {
        stubs.get("/a").reply(data: 1)
        let request = client { $0.rateLimits = [RateLimit(2, per: .seconds(1))] }.tag("forum").get("/a")
        for _ in 0..<6 { try await request.execute(.void).value }
        #expect(stubs.clock.now == .seconds(2))
    }

    @Test("a call that would wait too long for its rate is rejected, with the time to wait")
    func rateRejection() async throws {
        stubs.get("/a").reply(data: 1)
        let request = client { $0.rateLimits = [RateLimit(1, per: .seconds(3600))] }.tag("forum").get("/a")
        try await request.execute(.void).value
        let error = await #expect(throws: APIError.self) { try await request.value() }
        #expect(error?.kind == .rateLimited)
        #expect(error?.retryAfter == .seconds(3600))
        #expect(stubs.requests.count == 1)
    }

    @Test("after a 429 no call starts before its `Retry-After` has passed")
    func hold() async throws {
        stubs.get("/a").sequence(.status(429).header("Retry-After", "20"), .reply(data: 1))
        let request = client { $0.rateLimits = [RateLimit(100, per: .seconds(1))] }.tag("forum").get("/a")
        _ = await request.execute(.void).result
        try await request.execute(.void).value
        #expect(stubs.clock.now == .seconds(20))
    }

    @Test("a 429 also holds the other calls of the tag if its own call is retried")
    func holdDuringRetry() async throws {
        stubs.get("/a").sequence(.status(429).header("Retry-After", "20"), .reply(data: 1))
        let sent = Recorder<Duration>()
        stubs.get("/b").reply { [stubs] _ in
            sent.note(stubs.clock.now)
            return .reply(data: 2)
        }
        let client = client {
            $0.rateLimits = [RateLimit(100, per: .seconds(1))]
            $0.retry = .exponential(limit: 1, baseDelay: .zero)
        }
        let second = Recorder<Promise<Void>>()
        client.observe { [weak client] event in
            if case .retrying = event.kind, let client { second.note(client.tag("forum").get("/b").execute(.void)) }
        }
        try await client.tag("forum").get("/a").execute(.void).value
        await second.meets { !$0.isEmpty }
        try await second.events.first?.value
        #expect(sent.events.allSatisfy { $0 >= .seconds(20) } && sent.events.count == 1)
    }

    private static let deadlineWays: [@Sendable (Request) -> Request] = [
        { $0 }, { $0.set(\.interceptors, [Interceptor("call") { call, next in try await next(call) }]) },
        { $0.retry(.exponential(limit: 2)) },
        { $0.set(\.dedupe, true) },
    ]

    private func deadlineClient(_ change: (inout Profile) -> Void = { _ in }) -> Client {
        client { forum in
            var policy = CircuitBreakerPolicy()
            policy.minimumCalls = 4
            policy.pause = .seconds(5_000)
            forum.circuitBreaker = policy
            change(&forum)
        }
    }

    @Test("the circuit breaker counts a deadline that is missed during an attempt", arguments: deadlineWays.indices)
    func illDeadline(way: Int) async throws {
        stubs.get("/a").delay(.seconds(3_600)).reply(data: 1)
        let request = Self.deadlineWays[way](deadlineClient().tag("forum").get("/a").deadline(.seconds(1)))
        for _ in 0..<4 { #expect(await request.execute(.void).result.apiError?.kind == .timeout) }
        // A shared attempt ends, and is counted, in a task of its own after its last caller has left.
        await stubs.clock.runUntilIdle()
        #expect(await request.execute(.void).result.apiError?.kind == .circuitOpen)
    }

    @Test("the circuit breaker does not count a deadline that is missed in a queue", arguments: deadlineWays.indices)
    func deadlineInLine(way: Int) async throws {
        stubs.get("/a").delay(.seconds(3_600)).reply(data: 1)
        let client = deadlineClient { $0.maxConcurrentCalls = ConcurrencyLimit(1) }
        // Several, because the clock may pass the delay of one before the next call waits.
        let others: [Promise<Void>] = (0..<20).map { _ in client.tag("forum").get("/a").execute(.void) }
        let request = Self.deadlineWays[way](client.tag("forum").get("/a").deadline(.seconds(1)))
        await stubs.requestsReceived(1)
        for _ in 0..<6 { #expect(await request.execute(.void).result.apiError?.kind == .timeout) }
        for call in others { call.cancel() }
    }

    @Test("an open circuit breaker sends nothing; after its pause, one call tests the backend for all")
    func breaker() async throws {
        let clock = VirtualClock()
        let (gate, resolver) = Promise<Void>.pending()
        let isWell = Counter()
        stubs.get("/a").reply { _ in
            guard isWell.count > 0 else { return .status(503) }
            try await gate.value
            return .reply(data: 1)
        }
        let client = client(clock: clock) { forum in
            var policy = CircuitBreakerPolicy()
            policy.minimumCalls = 4
            policy.pause = .seconds(5)
            forum.circuitBreaker = policy
        }
        let request = client.tag("forum").get("/a")
        for _ in 0..<4 { #expect(await request.execute(.void).result.apiError?.status == 503) }
        for policy in [RetryPolicy.never, .exponential(limit: 2)] {
            let error = await request.retry(policy).execute(.void).result.apiError
            #expect(error?.kind == .circuitOpen)
            #expect(error?.retryAfter == .seconds(5))
        }
        #expect(stubs.requests.count == 4)
        clock.advance(by: .seconds(5))
        isWell.increment()
        let probe: Promise<Void> = request.execute(.void)
        let stubs = stubs
        await stubs.requestsReceived(5)
        #expect(await request.execute(.void).result.apiError?.kind == .circuitOpen)
        resolver.fulfill(())
        try await probe.value
        try await request.execute(.void).value
        #expect(stubs.requests.count == 6)
    }

    @Test("a 404 and a business code do not open the breaker, unless the policy names the code")
    func health() async {
        stubs.get("/404").reply(status: 404)
        stubs.get("/5").reply(code: 5)
        let client = client { forum in
            var policy = CircuitBreakerPolicy()
            policy.minimumCalls = 1
            forum.circuitBreaker = policy
        }
        for _ in 0..<5 {
            #expect(await client.tag("forum").get("/404").execute(.void).result.apiError?.status == 404)
            #expect(await client.tag("forum").get("/5").execute(.void).result.apiError?.code == 5)
        }
        client.configure("forum") { $0.circuitBreaker?.codes = [5] }
        _ = await client.tag("forum").get("/5").execute(.void).result
        #expect(await client.tag("forum").get("/5").execute(.void).result.apiError?.kind == .circuitOpen)
    }

    @Test("the deadline includes the wait for a place, and a call that misses it uses no place")
    func deadline() async throws {
        let clock = VirtualClock()
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            try await gate.value
            return .reply(data: 1)
        }
        let request = client(clock: clock) { $0.maxConcurrentCalls = ConcurrencyLimit(1) }.tag("forum").get("/a")
        let limiter = try #require(Self.limiter(request))
        let first: Promise<Void> = request.execute(.void)
        await limiter.reached { $0 == (1, 0) }
        let hasty: Promise<Void> = request.deadline(.seconds(1)).execute(.void)
        await limiter.reached { $0 == (1, 1) }
        clock.advance(by: .seconds(1))
        #expect(await hasty.result.apiError?.kind == .timeout)
        await limiter.reached { $0 == (1, 0) }
        resolver.fulfill(())
        try await first.value
        #expect(stubs.requests.count == 1)
    }

    @Test("each tag has its own limits, even if they come from the defaults")
    func tags() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            try await gate.value
            return .reply(data: 1)
        }
        let client = Client(testing: stubs)
        client.configureDefaults { $0.maxConcurrentCalls = ConcurrencyLimit(1) }
        client.configure("forum") { _ in }
        client.configure("wallet") { _ in }
        let calls = ["forum", "wallet"].map { client.tag(Catena.Tag($0)).get("/a").execute(.void) }
        let stubs = stubs
        await stubs.requestsReceived(2)
        resolver.fulfill(())
        for call in calls { try await call.value }
    }
}
