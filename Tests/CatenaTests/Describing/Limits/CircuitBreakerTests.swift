import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite("Circuit breakers", .limitedParallelism)
struct CircuitBreakerTests {
    private static let policy: CircuitBreakerPolicy = {
        var policy = CircuitBreakerPolicy()
        policy.minimumCalls = 4
        policy.window = .seconds(10)
        policy.pause = .seconds(5)
        policy.longestPause = .seconds(15)
        return policy
    }()

    /// Runs calls that end as they begin, with a gap between their beginnings.
    private static func run(_ ends: [CallHealth], every gap: Duration = .seconds(1)) -> CircuitBreakerState {
        var breaker = CircuitBreakerState(policy)
        for (index, end) in ends.enumerated() {
            let now = gap * index
            if case .admitted(let pass) = breaker.enter(at: now) { breaker.leave(pass, end, at: now) }
        }
        return breaker
    }

    @Test(
        "a breaker opens when enough calls have ended and too many of them have failed",
        arguments: [
            ([.ill, .ill, .ill], true), ([.ill, .ill, .ill, .ill], false), ([.well, .well, .ill, .ill], false),
            ([.well, .well, .well, .ill], true), ([.well, .well, .well, .well], true),
            ([.unknown, .unknown, .ill, .ill, .ill], true), ([.unknown, .unknown, .unknown, .unknown, .unknown], true),
            ([.well, .ill, .unknown, .well, .ill], false), ([], true),
        ] as [([CallHealth], Bool)])
    func opening(ends: [CallHealth], staysClosed: Bool) {
        #expect(Self.run(ends).isClosed == staysClosed)
    }

    @Test("the status is open during the pause, and half-open until a probe has ended")
    func status() throws {
        var breaker = Self.run([.ill, .ill, .ill], every: .zero)
        #expect(breaker.status(at: .zero) == .closed)
        breaker.leave(try breaker.pass(at: .zero), .ill, at: .zero)
        #expect(breaker.status(at: .seconds(5) - .milliseconds(1)) == .open)
        #expect(breaker.status(at: .seconds(5)) == .halfOpen)
        let probe = try breaker.pass(at: .seconds(5))
        #expect(breaker.status(at: .seconds(5)) == .halfOpen)
        breaker.leave(probe, .well, at: .seconds(6))
        #expect(breaker.status(at: .seconds(6)) == .closed)
    }

    @Test("a client returns the status of a tag that has a breaker")
    func statusOfTag() async {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        client.configure("forum") { $0.circuitBreaker = Self.policy }
        stubs.get("/a").reply(status: 500)
        #expect(client.circuitBreakerStatus(of: "forum") == nil)
        _ = await client.tag("forum").get("/a").execute(.void).result
        #expect(client.circuitBreakerStatus(of: "forum") == .closed)
        for _ in 0..<3 { _ = await client.tag("forum").get("/a").execute(.void).result }
        #expect(client.circuitBreakerStatus(of: "forum") == .open)
        #expect(client.circuitBreakerStatus(of: nil) == nil)
    }

    @Test("a breaker counts only the calls of its window")
    func window() {
        #expect(Self.run([.ill, .ill, .ill, .ill], every: .seconds(4)).isClosed)
        #expect(!Self.run([.ill, .ill, .ill, .ill], every: .seconds(3)).isClosed)
    }

    @Test("after the pause one call is the probe; its success closes the breaker, its failure doubles the pause")
    func probing() throws {
        var breaker = Self.run([.ill, .ill, .ill, .ill], every: .zero)
        var now = Duration.zero
        for pause in [5, 10, 15, 15] {
            #expect(breaker.enter(at: now) == .rejected(retryAfter: .seconds(pause)))
            now += .seconds(pause) - .milliseconds(1)
            #expect(breaker.enter(at: now) == .rejected(retryAfter: .milliseconds(1)))
            now += .milliseconds(1)
            let probe = try breaker.pass(at: now)
            // Only one probe is admitted.
            #expect(breaker.isShut(at: now) == true)
            breaker.leave(probe, .ill, at: now)
        }
        now += .seconds(15)
        let probe = try breaker.pass(at: now)
        breaker.leave(probe, .well, at: now)
        #expect(breaker.isClosed)
        // Earlier failures are no longer counted, and the pause is short again.
        for _ in 0..<4 {
            let pass = try breaker.pass(at: now)
            breaker.leave(pass, .ill, at: now)
        }
        #expect(breaker.enter(at: now) == .rejected(retryAfter: .seconds(5)))
    }

    @Test("after a probe without a result, the next call is the probe")
    func unknownProbe() throws {
        var breaker = Self.run([.ill, .ill, .ill, .ill], every: .zero)
        let probe = try breaker.pass(at: .seconds(5))
        breaker.leave(probe, .unknown, at: .seconds(5))
        #expect(breaker.isShut(at: .seconds(5)) == false)
    }

    @Test("a probe that never ends does not keep the breaker open for ever")
    func lostProbe() throws {
        var breaker = Self.run([.ill, .ill, .ill, .ill], every: .zero)
        let lost = try breaker.pass(at: .seconds(5))
        #expect(breaker.isShut(at: .seconds(9)) == true)
        let second = try breaker.pass(at: .seconds(10))
        breaker.leave(lost, .ill, at: .seconds(11))
        breaker.leave(second, .well, at: .seconds(11))
        #expect(breaker.isClosed)
    }

    @Test("a call that began before the breaker opened does not change its state later")
    func lateOutcome() throws {
        var breaker = CircuitBreakerState(Self.policy)
        let early = try breaker.pass(at: .zero)
        for _ in 0..<4 {
            let pass = try breaker.pass(at: .zero)
            breaker.leave(pass, .ill, at: .zero)
        }
        breaker.leave(early, .well, at: .seconds(1))
        #expect(!breaker.isClosed)
        let probe = try breaker.pass(at: .seconds(5))
        breaker.leave(early, .well, at: .seconds(5))
        #expect(!breaker.isClosed)
        breaker.leave(probe, .well, at: .seconds(5))
        #expect(breaker.isClosed)
    }

    @Test("the health of the backend after each kind of failure")
    static func healthRows() {
        each(
            [
                (nil, .well),
                (APIError(.status, status: 404), .well), (APIError(.status, status: 401), .well), (APIError(.status, status: 429), .well),
                (APIError(.status, status: 500), .ill), (APIError(.status, status: 503), .ill),
                (APIError(.decoding, status: 200), .well), (APIError(.business, code: 10086, status: 200), .well),
                (APIError(.business, code: 503_000, status: 200), .ill),
                (APIError(.timeout), .ill), (APIError(.connect), .ill), (APIError(.dns), .ill), (APIError(.connectionLost), .ill),
                (APIError(.tls), .ill), (APIError(.protocolViolation), .ill),
                (APIError(.offline), .unknown), (APIError(.cancelled), .unknown), (APIError(.invalidRequest), .unknown),
                (APIError(.overloaded), .unknown), (APIError(.rateLimited), .unknown), (APIError(.other), .unknown),
                (CancellationError(), .unknown), (Failure(), .unknown),
            ] as [((any Error)?, CallHealth)]
        ) { Self().health(error: $0, expected: $1) }
    }

    func health(error: (any Error)?, expected: CallHealth) {
        #expect(CallHealth.of(error, codes: [503_000]) == expected)
    }

    @Test("of a thousand concurrent calls one is the probe, and the others are rejected")
    func oneProbe() async throws {
        let clock = VirtualClock()
        let breaker = CircuitBreaker(Self.policy, clock: clock)
        for _ in 0..<4 { _ = try? await breaker.run { throw APIError(.connect) } }
        #expect(!breaker.isClosed)
        let error = await #expect(throws: APIError.self) { try await breaker.run {} }
        #expect(error?.kind == .circuitOpen)
        #expect(error?.retryAfter == .seconds(5))
        clock.advance(by: .seconds(5))
        let (gate, opener) = Promise<Void>.pending()
        let probes = Counter()
        let rejected = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    do {
                        try await breaker.run {
                            probes.increment()
                            try await gate.value
                        }
                    } catch {
                        rejected.increment()
                    }
                }
            }
            await rejected.reached(999)
            opener.fulfill(())
        }
        #expect(probes.count == 1)
        #expect(breaker.isClosed)
    }
}

extension CircuitBreakerState {
    fileprivate mutating func pass(at now: Duration) throws -> Pass {
        guard case .admitted(let pass) = enter(at: now) else { throw Failure() }
        return pass
    }

    fileprivate mutating func isShut(at now: Duration) -> Bool {
        if case .rejected = enter(at: now) { return true }
        return false
    }
}
