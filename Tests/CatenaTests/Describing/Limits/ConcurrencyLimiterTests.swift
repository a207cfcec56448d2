import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite("Concurrency limits", .limitedParallelism)
struct ConcurrencyLimiterTests {
    @Test("a limit admits some calls, queues some, and rejects the others")
    func entries() {
        var queue = ConcurrencyQueue<Int>(ConcurrencyLimit(2, maxWaiting: 3))
        let entries = (0..<7).map { queue.enter($0, id: UInt64($0), priority: .normal) }
        #expect(
            entries == [
                .admitted, .admitted, .queued, .queued, .queued, .rejected(retryAfter: nil), .rejected(retryAfter: nil),
            ])
        #expect(queue.leave(after: .seconds(1)) == 2)
        #expect(queue.withdraw(3) == 3)
        #expect(queue.withdraw(3) == nil)
        #expect(queue.leave(after: .seconds(1)) == 4)
        #expect(queue.leave(after: .seconds(1)) == nil)
        #expect(queue.running == 1)
        #expect(queue.leave(after: .seconds(1)) == nil)
        #expect(queue.running == 0)
        #expect(queue.enter(8, id: 8, priority: .low) == .admitted)
    }

    @Test("a limit below one admits one call", arguments: [1, 0, -5, Int.min])
    func smallest(limit: Int) {
        var queue = ConcurrencyQueue<Int>(ConcurrencyLimit(limit, maxWaiting: limit - (limit == .min ? 0 : 1)))
        #expect(queue.enter(1, id: 1, priority: .normal) == .admitted)
        #expect(queue.enter(2, id: 2, priority: .normal) == .rejected(retryAfter: nil))
    }

    @Test("a rejected call gets a time to wait, estimated from the duration of calls")
    func comeBack() {
        var queue = ConcurrencyQueue<Int>(ConcurrencyLimit(2, maxWaiting: 4))
        #expect(queue.enter(0, id: 0, priority: .normal) == .admitted)
        #expect(queue.leave(after: .seconds(3)) == nil)
        for id in 1...6 { _ = queue.enter(id, id: UInt64(id), priority: .normal) }
        #expect(queue.enter(7, id: 7, priority: .normal) == .rejected(retryAfter: .seconds(9)))
    }

    @Test("no more calls run at a time than the limit, and all run in the end", arguments: [1, 3])
    func bounded(limit: Int) async throws {
        let limiter = ConcurrencyLimiter(ConcurrencyLimit(limit), clock: VirtualClock())
        let running = Counter()
        let worst = Recorder<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await limiter.run(priority: .normal) {
                        running.increment()
                        worst.note(limiter.load.running)
                        await suspendOnce()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.count == 200)
        #expect(worst.events.allSatisfy { $0 <= limit })
        #expect(limiter.load == (0, 0))
    }

    @Test("a body that throws releases its place")
    func throwing() async throws {
        let limiter = ConcurrencyLimiter(ConcurrencyLimit(1, maxWaiting: 0), clock: VirtualClock())
        for _ in 0..<3 {
            await #expect(throws: Failure(1)) { try await limiter.run(priority: .normal) { throw Failure(1) } }
        }
        #expect(limiter.load == (0, 0))
    }

    @Test("a second release of a place has no effect") func givenBackTwice() async throws {
        let limiter = ConcurrencyLimiter(ConcurrencyLimit(2), clock: VirtualClock())
        let places = try await [limiter.enter(priority: .normal), limiter.enter(priority: .normal)]
        for _ in 0..<2 { places[0].leave() }
        #expect(limiter.load == (1, 0))
        places[1].leave()
        #expect(limiter.load == (0, 0))
    }

    @Test("cancelling a queued call ends only its own wait")
    func cancellation() async throws {
        let limiter = ConcurrencyLimiter(ConcurrencyLimit(1, maxWaiting: 10_001), clock: VirtualClock())
        let (gate, opener) = Promise<Void>.pending()
        let first = Task { try await limiter.run(priority: .normal) { try await gate.value } }
        await limiter.reached { $0.running == 1 }
        let waiting = (0..<10_000).map { _ in Task { try await limiter.run(priority: .normal) {} } }
        let last = Task { try await limiter.run(priority: .low) { 7 } }
        await limiter.reached { $0.waiting == 10_001 }
        for task in waiting.reversed() { task.cancel() }
        var cancelled = 0
        for task in waiting {
            if case .failure(is CancellationError) = await task.result { cancelled += 1 }
        }
        #expect(cancelled == 10_000)
        #expect(limiter.load == (1, 1))
        opener.fulfill(())
        try await first.value
        #expect(try await last.value == 7)
    }

    @Test("a cancelled task does not enter")
    func cancelledBefore() async {
        let limiter = ConcurrencyLimiter(ConcurrencyLimit(1), clock: VirtualClock())
        let task = Task {
            await untilCancelled()
            try await limiter.run(priority: .normal) {}
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(limiter.load == (0, 0))
    }

    @Test("a rejected call fails with the kind `overloaded`")
    func rejection() async throws {
        let limiter = ConcurrencyLimiter(ConcurrencyLimit(1, maxWaiting: 0), clock: VirtualClock())
        try await limiter.run(priority: .high) {
            let error = await #expect(throws: APIError.self) { try await limiter.run(priority: .high) {} }
            #expect(error?.kind == .overloaded)
            #expect(error?.retryAfter == nil)
        }
    }
}

extension ConcurrencyLimiter {
    /// Runs `body` when it gets a place.
    fileprivate func run<Value>(priority: CallPriority, _ body: () async throws -> Value) async throws -> Value {
        let place = try await enter(priority: priority)
        defer { place.leave() }
        return try await body()
    }
}
