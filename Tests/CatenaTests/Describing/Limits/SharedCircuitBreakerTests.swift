import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaFleet

@Suite("A circuit breaker that machines share", .limitedParallelism)
struct SharedCircuitBreakerTests {
    private let clock = VirtualClock()
    private let store: MemorySharedStore

    init() { store = MemorySharedStore(clock: clock) }

    private static let unavailable = APIError(.status, status: 503)

    private func machine() -> SharedCircuitBreaker {
        var policy = CircuitBreakerPolicy()
        policy.minimumCalls = 2
        policy.pause = .seconds(5)
        policy.longestPause = .seconds(15)
        return SharedCircuitBreaker(policy, of: "forum", in: store.access, local: CircuitBreaker(policy, clock: clock))
    }

    private static func fail(_ machine: SharedCircuitBreaker, _ error: any Error = unavailable) async {
        await #expect(throws: (any Error).self) { try await machine.run { throw error } }
    }

    /// Returns the time for which a call is rejected, or `nil` if the call succeeds.
    private static func refusal(_ machine: SharedCircuitBreaker) async throws -> Duration? {
        do {
            try await machine.run {}
            return nil
        } catch let error as APIError where error.kind == .circuitOpen {
            return error.retryAfter
        }
    }

    /// Begins a call that a machine lets through. It ends when it is cancelled or when the resolver fulfils its promise.
    private static func held(_ machine: SharedCircuitBreaker) async -> (call: Task<Void, any Error>, resolver: Resolver<Void>) {
        let (gate, resolver) = Promise<Void>.pending()
        let isTrying = Counter()
        let call = Task {
            try await machine.run {
                isTrying.increment()
                try await gate.value
            }
        }
        await isTrying.reached(1)
        return (call, resolver)
    }

    private func opened() async -> (one: SharedCircuitBreaker, other: SharedCircuitBreaker) {
        let (one, other) = (machine(), machine())
        for _ in 0..<2 { await Self.fail(one) }
        return (one, other)
    }

    @Test("the machine that finds the backend failing opens the breaker for all")
    func opens() async throws {
        let (one, other) = await opened()
        #expect(one.status == .open)
        #expect(try await Self.refusal(one) == .seconds(5))
        #expect(try await Self.refusal(other) == .seconds(5))
        #expect(other.status == .open)
    }

    @Test("after the pause one call of all machines is the probe; its success closes the breaker for all")
    func probe() async throws {
        let (one, other) = await opened()
        clock.advance(by: .seconds(5))
        try await other.run {
            let refusal = try await Self.refusal(one)
            #expect(refusal == .seconds(5))
            #expect(one.status == .halfOpen)
        }
        for _ in 0..<2 { #expect(try await Self.refusal(one) == nil) }
        #expect(one.status == .closed)
        #expect(other.status == .closed)
        // Earlier failures are no longer counted.
        await Self.fail(one)
        #expect(one.status == .closed)
    }

    @Test("if two machines find the pause over at the same moment, one of them sends the probe")
    func sameMoment() async throws {
        let (one, other) = await opened()
        clock.advance(by: .seconds(5))
        let readers = Counter()
        store.afterRead {
            readers.increment()
            await readers.reached(2)
        }
        let (gate, resolver) = Promise<Void>.pending()
        let tried = Counter()
        let calls = [one, other].map { machine in
            Task {
                do {
                    try await machine.run {
                        tried.increment()
                        try await gate.value
                    }
                } catch {
                    // The rejected machine lets the other one end.
                    resolver.fulfill(())
                }
            }
        }
        await readers.reached(2)
        await tried.reached(1)
        if tried.count == 2 { resolver.fulfill(()) }
        for call in calls { await call.value }
        #expect(tried.count == 1)
    }

    @Test("a failed probe doubles the pause up to the longest, and a lost probe is replaced after the pause")
    func doubles() async throws {
        let (one, other) = await opened()
        for pause in [5, 10, 15] {
            clock.advance(by: .seconds(pause))
            await Self.fail(other)
        }
        #expect(try await Self.refusal(one) == .seconds(15))
        clock.advance(by: .seconds(15))
        let (lost, resolver) = await Self.held(other)
        clock.advance(by: .seconds(15))
        #expect(try await Self.refusal(one) == nil)
        resolver.fulfill(())
        try await lost.value
    }

    @Test("after a probe without a result, the next call is the probe")
    func unknown() async throws {
        let (one, other) = await opened()
        clock.advance(by: .seconds(5))
        await Self.fail(other, CancellationError())
        #expect(try await Self.refusal(one) == nil)
    }

    @Test("after a probe whose call was cancelled, the next call is the probe")
    func cancelledProbe() async throws {
        let (one, other) = await opened()
        clock.advance(by: .seconds(5))
        let (probe, resolver) = await Self.held(other)
        let writes = store.writes.count
        probe.cancel()
        _ = await probe.result
        await store.writes.reached(writes + 1)
        #expect(try await Self.refusal(one) == nil)
        resolver.fulfill(())
    }

    @Test("failures that deadlines have ended open the breaker for all")
    func cancelledFailures() async throws {
        let (one, other) = (machine(), machine())
        for _ in 0..<2 {
            let call = Task {
                try await one.run(blaming: { _ in Self.unavailable }) {
                    withUnsafeCurrentTask { $0?.cancel() }
                    throw CancellationError()
                }
            }
            _ = await call.result
        }
        await store.writes.reached(1)
        #expect(try await Self.refusal(other) == .seconds(5))
    }

    @Test("a machine whose breaker opens at the same time does not reopen the shared one later")
    func openedTwice() async throws {
        let (one, other) = (machine(), machine())
        for machine in [one, other] { await Self.fail(machine) }
        let readers = Counter()
        let (last, all) = (4, 6)
        store.afterRead {
            readers.increment()
            // First both machines enter, then both read the record that they are about to replace.
            await readers.reached(readers.count > 2 ? last : 2)
        }
        await withTaskGroup(of: Void.self) { calls in
            for machine in [one, other] { calls.addTask { await Self.fail(machine) } }
        }
        store.afterRead(nil)
        #expect(readers.count < all)
        clock.advance(by: .seconds(5))
        #expect(try await Self.refusal(one) == nil)
        #expect(try await Self.refusal(other) == nil)
        #expect(try await Self.refusal(one) == nil)
    }

    @Test("without the store the breaker of each machine decides; afterwards its state applies to all")
    func away() async throws {
        store.isAway = true
        let (one, other) = await opened()
        #expect(try await Self.refusal(one) == .seconds(5))
        #expect(try await Self.refusal(other) == nil)
        store.isAway = false
        #expect(try await Self.refusal(one) == .seconds(5))
        #expect(try await Self.refusal(other) == .seconds(5))
    }

    @Test("a record that is invalid, lost or valid for too long rejects no call")
    func garbage() async throws {
        let (_, other) = await opened()
        store.replaceAll { _ in Data("garbage".utf8) }
        #expect(try await Self.refusal(other) == nil)
        for text in ["{}", #"{"id":"a","until":9000000000000000000,"pause":5000000000,"isProbing":false}"#] {
            store.replaceAll { SharedValue.seal(Data(text.utf8), for: $0) }
            #expect(try await Self.refusal(other) == nil)
        }
        store.removeAll()
        #expect(try await Self.refusal(other) == nil)
    }
}
