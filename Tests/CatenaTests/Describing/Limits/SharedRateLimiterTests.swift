import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaFleet

@Suite("A rate limit that machines share", .limitedParallelism)
struct SharedRateLimiterTests {
    private static let limits = [RateLimit(10, per: .seconds(1), burst: 1)]

    private static func machine(_ store: MemorySharedStore, _ clock: VirtualClock) -> SharedRateLimiter {
        SharedRateLimiter(limits, of: "forum", in: store.access, clock: clock)
    }

    @Test("several machines together are no faster than the rate")
    func together() async throws {
        let clock = VirtualClock(isAutomatic: true)
        let store = MemorySharedStore(clock: clock)
        let machines = (0..<3).map { _ in Self.machine(store, clock) }
        try await withThrowingTaskGroup(of: Void.self) { calls in
            for number in 0..<31 { calls.addTask { try await machines[number % 3].enter(priority: .normal) } }
            try await calls.waitForAll()
        }
        #expect(clock.now >= .seconds(3))
    }

    @Test("calls that would wait too long are rejected, but not for calls that they overtake")
    func rejection() async throws {
        let clock = VirtualClock()
        let machine = SharedRateLimiter(
            [RateLimit(1, per: .seconds(1))], of: "forum", in: MemorySharedStore(clock: clock).access, clock: clock)
        try await machine.enter(priority: .normal)
        let calls = (0..<60).map { _ in Task { try await machine.enter(priority: .normal) } }
        await machine.waiting(60)
        let last = Task { try await machine.enter(priority: .normal) }
        await machine.waiting(61)
        let error = await #expect(throws: APIError.self) { try await machine.enter(priority: .low) }
        #expect(error?.kind == .rateLimited)
        #expect(error?.retryAfter == .seconds(61))
        let urgent = Task { try await machine.enter(priority: .high) }
        await machine.waiting(62)
        for call in calls + [last, urgent] { call.cancel() }
        for call in calls + [last, urgent] { await #expect(throws: CancellationError.self) { try await call.value } }
    }

    @Test("if two machines read the same record, only one gets the turn")
    func sameTurn() async throws {
        let clock = VirtualClock()
        let store = MemorySharedStore(clock: clock)
        let machines = [Self.machine(store, clock), Self.machine(store, clock)]
        try await machines[0].enter(priority: .normal)
        let readers = Counter()
        store.afterRead {
            readers.increment()
            await readers.reached(2)
        }
        let calls = machines.map { machine in Task { try await machine.enter(priority: .normal) } }
        await readers.reached(2)
        await clock.scheduled(.milliseconds(100))
        // The other machine retries a moment later.
        await clock.delays { $0.count == 2 }
        #expect(clock.delays.filter { $0 == .milliseconds(100) }.count == 1)
        clock.advance(by: .seconds(1))
        for call in calls { try await call.value }
    }

    @Test("a pause that a server requested from one machine applies to all, also one that is longer than any wait")
    func held() async throws {
        let clock = VirtualClock()
        let store = MemorySharedStore(clock: clock)
        Self.machine(store, clock).hold(for: .seconds(7))
        let readers = Counter()
        await store.writes.reached(1)
        store.afterRead { readers.increment() }
        let call = Task { try await Self.machine(store, clock).enter(priority: .normal) }
        await clock.scheduled(.seconds(7))
        clock.advance(by: .seconds(7))
        try await call.value
        #expect(readers.count == 1)
        Self.machine(store, clock).hold(for: .seconds(300))
        await store.writes.reached(3)
        let error = await #expect(throws: APIError.self) { try await Self.machine(store, clock).enter(priority: .normal) }
        #expect(error?.kind == .rateLimited)
        #expect(error?.retryAfter.map { $0 > .seconds(200) } == true)
    }

    @Test("without the store each machine has its own rate")
    func away() async throws {
        let clock = VirtualClock()
        let store = MemorySharedStore(clock: clock)
        store.isAway = true
        for _ in 0..<2 { try await Self.machine(store, clock).enter(priority: .normal) }
        let machine = Self.machine(store, clock)
        try await machine.enter(priority: .normal)
        let call = Task { try await machine.enter(priority: .normal) }
        await clock.scheduled(.milliseconds(100))
        clock.advance(by: .milliseconds(100))
        try await call.value
    }

    @Test("an invalid or lost record is replaced by a new one")
    func garbage() async throws {
        let clock = VirtualClock()
        let store = MemorySharedStore(clock: clock)
        for garbage in [Data(), Data("garbage".utf8), SharedValue.seal(Data("{}".utf8), for: "rate:forum")] {
            try await Self.machine(store, clock).enter(priority: .normal)
            store.replaceAll { _ in garbage }
        }
        store.removeAll()
        try await Self.machine(store, clock).enter(priority: .normal)
    }

    @Test("a cancelled call ends its wait at once, and the next call gets the turn")
    func cancelled() async throws {
        let clock = VirtualClock()
        let store = MemorySharedStore(clock: clock)
        let machine = Self.machine(store, clock)
        try await machine.enter(priority: .normal)
        let call = Task { try await machine.enter(priority: .normal) }
        await clock.scheduled(.milliseconds(100))
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        let next = Task { try await machine.enter(priority: .normal) }
        await machine.waiting(1)
        clock.advance(by: .milliseconds(100))
        try await next.value
    }
}
