import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite("Rate limits", .limitedParallelism)
struct RateLimiterTests {
    @Test(
        "a bucket fills at its rate",
        arguments: [
            // Each row has a limit, the times of the calls and their expected waits, in milliseconds.
            (RateLimit(2, per: .seconds(1)), [0, 0, 0, 0], [0, 0, 500, 1000]),
            (RateLimit(2, per: .seconds(1), burst: 1), [0, 0, 0], [0, 500, 1000]),
            (RateLimit(1, per: .seconds(1)), [0, 900, 1000, 5000], [0, 100, 1000, 0]),
            (RateLimit(3, per: .seconds(3), burst: 2), [0, 0, 0, 2000, 2000], [0, 0, 1000, 0, 1000]),
            (RateLimit(0, per: .seconds(1)), [0, 0], [0, 1000]),
            (RateLimit(5, per: .zero), [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]),
            (RateLimit(5, per: .seconds(-1)), [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]),
        ] as [(RateLimit, [Int], [Int])])
    func buckets(limit: RateLimit, moments: [Int], expected: [Int]) {
        var bucket = TokenBucket(limit)
        let waits = moments.map { moment -> Duration in
            let now = Duration.milliseconds(moment)
            defer { bucket.take(at: now) }
            return bucket.wait(at: now)
        }
        #expect(waits == expected.map { .milliseconds($0) })
    }

    @Test("very large limits do not overflow")
    func largest() {
        for limit in [
            RateLimit(.max, per: .seconds(Int64.max)), RateLimit(1, per: .seconds(Int64.max), burst: .max),
            RateLimit(.min, per: .seconds(Int64.min), burst: .min),
        ] {
            var bucket = TokenBucket(limit)
            for _ in 0..<3 { bucket.take(at: .seconds(1)) }
            #expect(bucket.wait(at: .seconds(1)) >= .zero)
        }
    }

    @Test("several limits apply together, and waiting calls are admitted in order")
    func queue() {
        var queue = RateQueue<String>(
            [RateLimit(2, per: .seconds(1)), RateLimit(3, per: .seconds(60))], queueLimit: 3, longestWait: .seconds(100))
        func enter(_ name: String, _ id: UInt64, _ priority: CallPriority = .normal) -> RateQueue<String>.Entry {
            queue.enter(name, id: id, priority: priority, at: .zero)
        }
        #expect(enter("a", 1) == .admitted)
        #expect(enter("b", 2) == .admitted)
        #expect(enter("c", 3) == .queued(wake: .milliseconds(500)))
        #expect(enter("d", 4) == .queued(wake: nil))
        #expect(enter("e", 5, .high) == .queued(wake: nil))
        #expect(enter("f", 6) == .rejected(retryAfter: .seconds(60)))
        #expect(queue.withdraw(3) == "c")
        #expect(queue.advance(to: .milliseconds(499)) == ([], .milliseconds(1)))
        #expect(queue.advance(to: .milliseconds(500)) == (["e"], .milliseconds(19_500)))
        #expect(queue.advance(to: .seconds(20)) == (["d"], nil))
        #expect(queue.advance(to: .seconds(20)) == ([], nil))
    }

    @Test("a call is not rejected for the calls that it overtakes")
    func overtaking() {
        var queue = RateQueue<Int>([RateLimit(1, per: .seconds(1))], queueLimit: 100, longestWait: .seconds(10))
        func enter(_ number: Int, _ priority: CallPriority) -> RateQueue<Int>.Entry {
            queue.enter(number, id: UInt64(number), priority: priority, at: .zero)
        }
        let low = (0..<20).map { enter($0, .low) }
        #expect(low.count { $0 == .rejected(retryAfter: .seconds(11)) } == 9)
        #expect(enter(20, .high) == .queued(wake: nil))
        #expect(enter(21, .normal) == .queued(wake: nil))
        let next = queue.advance(to: .seconds(2))
        #expect(next.admitted == [20])
    }

    @Test("no call is admitted during a pause that the server has requested")
    func hold() {
        var queue = RateQueue<Int>([RateLimit(5, per: .seconds(1))], queueLimit: 9, longestWait: .seconds(30))
        queue.hold(until: .seconds(10))
        queue.hold(until: .seconds(4))
        #expect(queue.enter(1, id: 1, priority: .normal, at: .seconds(1)) == .queued(wake: .seconds(9)))
        queue.hold(until: .seconds(40))
        #expect(queue.advance(to: .seconds(10)) == ([], .seconds(30)))
        #expect(queue.enter(2, id: 2, priority: .normal, at: .seconds(5)) == .rejected(retryAfter: .seconds(35)))
        #expect(queue.advance(to: .seconds(40)) == ([1], nil))
    }

    @Test("calls wait for their turn on the clock")
    func waiting() async throws {
        let clock = VirtualClock()
        let limiter = RateLimiter([RateLimit(1, per: .seconds(1))], clock: clock)
        let done = Recorder<Int>()
        try await limiter.enter(priority: .normal)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<3 {
            tasks.append(
                Task {
                    try await limiter.enter(priority: .normal)
                    done.note(number)
                })
            await limiter.waiting(number + 1)
        }
        for count in 1...3 {
            await clock.scheduled(.seconds(1))
            #expect(clock.delays == [.seconds(1)])
            clock.advance(by: .seconds(1))
            await done.reached(count)
        }
        for task in tasks { try await task.value }
        #expect(done.events == [0, 1, 2])
        #expect(clock.delays.isEmpty)
    }

    @Test("a cancelled wait uses no token")
    func cancellation() async throws {
        let clock = VirtualClock()
        let limiter = RateLimiter([RateLimit(1, per: .seconds(1))], clock: clock)
        try await limiter.enter(priority: .normal)
        let first = Task { try await limiter.enter(priority: .normal) }
        await limiter.waiting(1)
        let second = Task { try await limiter.enter(priority: .normal) }
        await limiter.waiting(2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await clock.scheduled(.seconds(1))
        clock.advance(by: .seconds(1))
        try await second.value
    }

    @Test("a call that would wait too long is rejected, with the time to wait")
    func rejection() async throws {
        let limiter = RateLimiter([RateLimit(1, per: .seconds(8))], longestWait: .seconds(7), clock: VirtualClock())
        try await limiter.enter(priority: .normal)
        let error = await #expect(throws: APIError.self) { try await limiter.enter(priority: .normal) }
        #expect(error?.kind == .rateLimited)
        #expect(error?.retryAfter == .seconds(8))
        #expect(error?.message == "More calls than the rate allows; come back in 8 seconds.")
    }
}
