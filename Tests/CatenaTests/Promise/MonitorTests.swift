import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite("Waiting for a state", .limitedParallelism) struct MonitorTests {
    @Test("a wait ends when the state meets its condition, and not before")
    func waiting() async {
        let number = Monitor(0)
        let seen = Recorder<Int>()
        let waiting = [3, 1, 2].map { wished in
            Task {
                await number.wait { $0 >= wished }
                seen.note(wished)
            }
        }
        for step in 1...3 {
            #expect(
                number.withLock {
                    $0 += 1; return $0
                } == step)
            await seen.reached(step)
        }
        for task in waiting { await task.value }
        #expect(seen.events == [1, 2, 3])
    }

    @Test("a wait whose condition is met already ends at once")
    func already() async {
        await Monitor(7).wait { $0 == 7 }
    }

    @Test("cancelling ends a wait, before it begins and later", arguments: [true, false])
    func cancelled(isLate: Bool) async {
        let state = Monitor(false)
        let task = Task { await state.wait { $0 } }
        if isLate { await giveChances() }
        task.cancel()
        await task.value
    }

    @Test("no wait is lost while many threads change the state")
    func contention() async {
        let number = Monitor(0)
        await withTaskGroup(of: Void.self) { group in
            for wished in 1...500 {
                group.addTask { await number.wait { $0 >= wished } }
                group.addTask { number.withLock { $0 += 1 } }
            }
        }
        #expect(number.withLock { $0 } == 500)
    }
}

@Suite("Waiting for a turn", .limitedParallelism) struct TurnTests {
    private final class Presence: CallPresence {
        let waits = Monitor(0)

        func another() -> any CallPresence { Presence() }
        func waitBegins() { waits.withLock { $0 += 1 } }
        func waitEnds() { waits.withLock { $0 -= 1 } }
    }

    @Test("a call is marked as waiting until it gets its place, not until its task runs", arguments: [true, false])
    func seen(isCancelled: Bool) async throws {
        let presence = Presence()
        let limiter = ConcurrencyLimiter(ConcurrencyLimit(1), clock: VirtualClock())
        let place = try await limiter.enter(priority: .normal)
        let second = Task {
            try await CurrentCall.$presence.withValue(presence) { try await limiter.enter(priority: .normal) }
        }
        await presence.waits.wait { $0 == 1 }
        if isCancelled { second.cancel() } else { place.leave() }
        #expect(presence.waits.withLock { $0 } == 0)
        _ = await second.result
        #expect(presence.waits.withLock { $0 } == 0)
    }
}
