import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("A second attempt beside a slow first one", .limitedParallelism)
struct HedgeCallTests {
    let transport = HeldTransport()
    let clock = VirtualClock()
    let client: Client

    private static let delay = Duration.milliseconds(80)

    init() {
        client = Client(transport: transport, clock: clock)
        client.defaultHost = "https://example.com"
    }

    private var request: Request { client.get("/a").set(\.hedgeDelay, Self.delay) }

    /// Counts the failed attempts that observers receive.
    private var failures: Counter {
        let failures = Counter()
        client.observe { event in
            if case .failed = event.kind { failures.increment() }
        }
        return failures
    }

    /// Lets the delay pass, and waits until both attempts are in progress.
    private func startSecond() async {
        await transport.arrived(1)
        clock.advance(by: Self.delay)
        await transport.arrived(2)
    }

    @Test("the first response wins, and the other attempt is cancelled", arguments: [0, 1])
    func firstResponse(winner: Int) async throws {
        let call: Promise<Response<Int>> = request.execute(.response(as: Int.self))
        await startSecond()
        transport.reply(winner, .json("\(winner)"))
        let response = try await call.value
        #expect(response.payload == winner)
        #expect(response.attempts == 2)
        await transport.gaveUp(1)
        #expect(transport.givenUp == [1 - winner])
        // The late response is ignored.
        transport.reply(1 - winner, .json("7"))
        #expect(transport.requests.count == 2)
        await clock.delays { $0.isEmpty }
        await client.hasNoCalls()
    }

    @Test("a fast first attempt has no second one")
    func fast() async throws {
        let call: Promise<Response<Int>> = request.execute(.response(as: Int.self))
        await transport.arrived(1)
        clock.advance(by: Self.delay - .nanoseconds(1))
        transport.reply(0, .json("1"))
        #expect(try await call.value.attempts == 1)
        #expect(clock.delays.isEmpty)
        clock.advance(by: .seconds(60))
        #expect(transport.requests.count == 1)
    }

    @Test("a failure before the delay is retried as usual, and the retry may have a second attempt too")
    func earlyFailure() async throws {
        let call = request.retry(.exponential(limit: 1, baseDelay: .seconds(1))).execute(as: Int.self)
        await transport.arrived(1)
        transport.fail(0, .connectionLost)
        await clock.scheduled(.seconds(1))
        #expect(clock.delays == [.seconds(1)])
        clock.advance(by: .seconds(1))
        await transport.arrived(2)
        clock.advance(by: Self.delay)
        await transport.arrived(3)
        transport.reply(2, .json("3"))
        #expect(try await call.value == 3)
        await transport.gaveUp(1)
        #expect(transport.givenUp == [1])
    }

    @Test("if one attempt fails, the call waits for the other", arguments: [0, 1], [nil, 503, 429] as [Int?])
    func oneFails(first: Int, status: Int?) async throws {
        let failures = failures
        let call = request.retry(.never).execute(as: Int.self)
        await startSecond()
        if let status { transport.reply(first, .status(status)) } else { transport.fail(first, .connectionLost) }
        await failures.reached(1)
        transport.reply(1 - first, .json("5"))
        #expect(try await call.value == 5)
        #expect(transport.givenUp.isEmpty)
    }

    @Test("a failure that another attempt would not change ends the call at once", arguments: [0, 1], [404, 200])
    func finalFailure(first: Int, status: Int) async throws {
        let call = request.retry(.exponential(limit: 3)).execute(as: Int.self)
        await startSecond()
        transport.reply(first, .json(#"{"code":7,"msg":"no"}"#, status: status))
        let error = try #require(await #expect(throws: APIError.self) { try await call.value })
        #expect(error.code == 7)
        #expect(error.status == status)
        #expect(error.attempts == 2)
        await transport.gaveUp(1)
        #expect(transport.givenUp == [1 - first])
        await clock.delays { $0.isEmpty }
    }

    @Test("if both attempts fail, the retry policy decides by one of them and obeys the `Retry-After` of either", arguments: [0, 1])
    func bothFail(first: Int) async throws {
        let failures = failures
        let call = request.retry(.exponential(limit: 1, baseDelay: .zero)).execute(as: Int.self)
        await startSecond()
        transport.reply(first, .status(429, headers: ["Retry-After": "7"]))
        transport.fail(1 - first, .connectionLost)
        await clock.scheduled(.seconds(7))
        clock.advance(by: .seconds(7))
        await transport.arrived(3)
        clock.advance(by: Self.delay)
        await transport.arrived(4)
        transport.reply(2 + first, .status(503))
        await failures.reached(3)
        transport.fail(3 - first, .dns)
        let error = try #require(await #expect(throws: APIError.self) { try await call.value })
        // Observers receive a failure before the stage does, and the stage may see the two in either order.
        #expect([.dns, .status].contains(error.kind))
        #expect(error.attempts == 4)
        #expect(transport.givenUp.isEmpty)
        await clock.delays { $0.isEmpty }
    }

    @Test("cancelling the call stops both attempts")
    func cancelling() async throws {
        let call = request.execute(as: Int.self)
        await startSecond()
        call.cancel()
        await transport.gaveUp(2)
        await clock.delays { $0.isEmpty }
        await client.hasNoCalls()
        #expect(transport.requests.count == 2)
    }

    @Test("a cancelled call has no second attempt")
    func cancellingEarly() async throws {
        let call = request.execute(as: Int.self)
        await transport.arrived(1)
        call.cancel()
        await transport.gaveUp(1)
        clock.advance(by: .seconds(1))
        await client.hasNoCalls()
        #expect(transport.requests.count == 1)
    }

    @Test("the deadline stops both attempts")
    func deadline() async throws {
        let call = request.deadline(.milliseconds(200)).execute(as: Int.self)
        await startSecond()
        clock.advance(by: .milliseconds(120))
        let error = try #require(await #expect(throws: APIError.self) { try await call.value })
        #expect(error.kind == .timeout)
        #expect(error.attempts == 2)
        await transport.gaveUp(2)
        await clock.delays { $0.isEmpty }
    }

    @Test("each attempt has its own timeout")
    func timeout() async throws {
        let call = request.timeout(.milliseconds(100)).execute(as: Int.self)
        await startSecond()
        clock.advance(by: .milliseconds(20))
        await transport.gaveUp(1)
        #expect(transport.givenUp == [0])
        transport.reply(1, .json("2"))
        #expect(try await call.value == 2)
    }

    @Test("a second attempt uses the retry budget of its tag", arguments: [RetryPolicy.never, .exponential(limit: 1)])
    func budget(policy: RetryPolicy) async throws {
        var policy = policy
        policy.budget = RetryBudget(reserve: 1, share: 0.5)
        // The reserve pays for the first one, the shares of two calls for the next.
        for (number, isHedged) in [true, false, true, false].enumerated() {
            let before = transport.requests.count
            let call: Promise<Response<Int>> = request.retry(policy).execute(.response(as: Int.self))
            await transport.arrived(before + 1)
            clock.advance(by: Self.delay)
            if isHedged { await transport.arrived(before + 2) }
            transport.reply(before, .json("1"))
            #expect(try await call.value.attempts == (isHedged ? 2 : 1), "call \(number)")
        }
    }

    @Test("a second attempt takes its own place of the concurrency limit, and releases it")
    func concurrency() async throws {
        client.configure("one") { $0.maxConcurrentCalls = ConcurrencyLimit(1) }
        client.configure("two") { $0.maxConcurrentCalls = ConcurrencyLimit(2) }
        for (tag, count) in [("one", 1), ("two", 2)] as [(Catena.Tag, Int)] {
            let request = request.tag(tag)
            let limiter = try #require(CallRun(request).tagState.concurrency)
            let before = transport.requests.count
            let call: Promise<Response<Int>> = request.execute(.response(as: Int.self))
            await transport.arrived(before + 1)
            clock.advance(by: Self.delay)
            await transport.arrived(before + count)
            #expect(limiter.load == (count, 0))
            transport.reply(before, .json("1"))
            #expect(try await call.value.attempts == count)
            await limiter.reached { $0 == (0, 0) }
        }
    }

    @Test("a suspended call has no second attempt")
    func suspended() async throws {
        let call: Promise<Response<Int>> = request.id("a").execute(.response(as: Int.self))
        await transport.arrived(1)
        client.calls.suspend(id: "a")
        clock.advance(by: Self.delay)
        client.calls.resume(id: "a")
        transport.reply(0, .json("1"))
        #expect(try await call.value.attempts == 1)
    }

    @Test("the second attempt runs the common closures and is signed again")
    func anew() async throws {
        let count = Counter()
        client.commonHeaders { _ in
            count.increment()
            return ["X-Count": "\(count.count)"]
        }
        client.configureDefaults { $0.signer = ParameterSigner(.sha256, secret: .suffix("made-up"), placement: .header("X-Sign")) }
        let call = request.execute(as: Int.self)
        await startSecond()
        transport.reply(1, .json("1"))
        _ = try await call.value
        #expect(transport.requests.map { $0.headers["X-Count"] } == ["1", "2"])
        #expect(transport.requests.allSatisfy { $0.headers["X-Sign"] != nil })
    }

    @Test("if both attempts are refused, the credential is refreshed once", arguments: [false, true])
    func refusals(isBoth: Bool) async throws {
        let scheme = CountingScheme()
        client.configureDefaults { $0.authentication = Authentication(scheme, store: MemoryCredentialStore(.first)) }
        let call: Promise<Response<Int>> = request.execute(.response(as: Int.self))
        await startSecond()
        transport.reply(0, .status(401))
        await transport.arrived(3)
        if isBoth {
            transport.reply(1, .status(401))
            await transport.arrived(4)
        }
        transport.reply(isBoth ? 3 : 2, .json("3"))
        let response = try await call.value
        #expect(response.payload == 3)
        #expect(response.attempts == (isBoth ? 4 : 3))
        #expect(scheme.refreshed.count == 1)
        #expect(transport.requests.map { $0.headers["X-Token"] } == ["a0", "a0", "a1", "a1"].prefix(isBoth ? 4 : 3).map { $0 })
        await transport.gaveUp(1)
        #expect(transport.givenUp == [isBoth ? 2 : 1])
    }

    @Test("a refusal concerns only the credential that the refused attempt sent")
    func staleRefusal() async throws {
        let old = BearerToken(accessToken: "old", user: "ann")
        let authentication = Authentication(BearerAuthenticator(), store: MemoryCredentialStore(old))
        client.configureDefaults { $0.authentication = authentication }
        let call = request.execute(as: Int.self)
        await transport.arrived(1)
        try authentication.signIn(BearerToken(accessToken: "new", user: "ann"))
        clock.advance(by: Self.delay)
        await transport.arrived(2)
        transport.reply(0, .status(401))
        await transport.arrived(3)
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new", "Bearer new"])
        transport.reply(2, .json("3"))
        #expect(try await call.value == 3)
    }

    @Test("a common closure that fails for the second attempt does not fail the first")
    func failingClosure() async throws {
        let count = Counter()
        let failed = Counter()
        client.commonHeaders { _ in
            count.increment()
            guard count.count == 1 else {
                failed.increment()
                throw Failure(1)
            }
            return [:]
        }
        let call = request.execute(as: Int.self)
        await transport.arrived(1)
        clock.advance(by: Self.delay)
        await failed.reached(1)
        transport.reply(0, .json("1"))
        #expect(try await call.value == 1)
        #expect(transport.requests.count == 1)
    }

    @Test("an interceptor that ignores cancellation does not delay the response of the other attempt")
    func deaf() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        let entered = Counter()
        client.intercept("deaf") { call, next in
            let response = try await next(call)
            entered.increment()
            // A wait in a detached task ignores the cancellation of this one.
            if entered.count == 1 { _ = await Task.detached { await gate.result }.value }
            return response
        }
        let call = request.execute(as: Int.self)
        await startSecond()
        transport.reply(0, .json("1"))
        await entered.reached(1)
        transport.reply(1, .json("2"))
        #expect(try await call.value == 2)
        resolver.fulfill(())
    }

    @Test("the response of a call with two attempts is cached, and a cached response needs no attempt")
    func cached() async throws {
        client.configureDefaults { $0.cache = .memory(limit: 10_000) }
        let call = request.execute(as: Int.self)
        await startSecond()
        transport.reply(1, .json("2", headers: ["Cache-Control": "max-age=60"]))
        #expect(try await call.value == 2)
        let kept = try await request.execute(.response(as: Int.self)).value
        #expect(kept.payload == 2)
        #expect(kept.attempts == 0)
        await clock.delays { $0.isEmpty }
        #expect(transport.requests.count == 2)
    }

    @Test("calls share a response only if they have the same hedge delay")
    func sharing() async throws {
        let request = request.set(\.dedupe, true)
        let calls = [request, request, request.set(\.hedgeDelay, .seconds(1)), request.set(\.hedgeDelay, nil)].map {
            $0.execute(as: Int.self)
        }
        await transport.arrived(3)
        for number in 0..<3 { transport.reply(number, .json("1")) }
        for call in calls { #expect(try await call.value == 1) }
        #expect(transport.requests.count == 3)
    }

    @Test("the rate limit does not count a second attempt")
    func rate() async throws {
        client.configureDefaults { $0.rateLimits = [RateLimit(1, per: .seconds(1000))] }
        let call: Promise<Response<Int>> = request.execute(.response(as: Int.self))
        await startSecond()
        transport.reply(1, .json("1"))
        #expect(try await call.value.attempts == 2)
    }

    @Test("a call whose attempts both fail is one failure for the circuit breaker")
    func breaker() async throws {
        var policy = CircuitBreakerPolicy()
        policy.minimumCalls = 2
        client.configureDefaults { [policy] in $0.circuitBreaker = policy }
        let call: Promise<Void> = request.execute(.void)
        await startSecond()
        for number in 0...1 { transport.reply(number, .status(503)) }
        _ = await call.result
        let next: Promise<Void> = client.get("/b").execute(.void)
        await transport.arrived(3)
        transport.reply(2, .json("1"))
        try await next.value
    }

    @Test("a tag's hedge delay applies to its calls, except those with `hedge(after: nil)`")
    func tag() async throws {
        client.configureDefaults { $0.hedgeDelay = .seconds(9) }
        client.configure("search") { $0.hedgeDelay = Self.delay }
        let call: Promise<Response<Int>> = client.tag("search").get("/a").execute(.response(as: Int.self))
        await startSecond()
        transport.reply(0, .json("1"))
        #expect(try await call.value.attempts == 2)
        let alone: Promise<Response<Int>> = client.tag("search").get("/a").set(\.hedgeDelay, nil).execute(.response(as: Int.self))
        await transport.arrived(3)
        clock.advance(by: .seconds(20))
        transport.reply(2, .json("1"))
        #expect(try await alone.value.attempts == 1)
    }
}
