import CatenaTesting
import Foundation
import TestSupport

@testable import Catena
@testable import CatenaFleet

/// A store in memory that several clients of a test share, as machines share a Redis.
final class MemorySharedStore: SharedStore {
    struct Away: Error {}

    private struct State: Sendable {
        var values: [String: (value: Data, until: Duration)] = [:]
        var isAway = false
        var afterRead: (@Sendable () async -> Void)?
    }

    /// Counts the writes.
    let writes = Counter()
    private let clock: VirtualClock
    private let state = Mutex(State())

    init(clock: VirtualClock = VirtualClock()) { self.clock = clock }

    /// The store's time, which differs from the machines' clocks as another machine's does.
    private var time: Duration { .seconds(1_800_000_000) + clock.now }

    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    var keys: [String] { state.withLock { $0.values.keys.sorted() } }

    /// Suspends each read until the closure returns.
    func afterRead(_ wait: (@Sendable () async -> Void)?) { state.withLock { $0.afterRead = wait } }

    /// Replaces the value of every key.
    func replaceAll(with value: (String) -> Data) {
        state.withLock { state in
            for key in state.values.keys { state.values[key]?.value = value(key) }
        }
    }

    func removeAll() { state.withLock { $0.values = [:] } }

    func read(_ keys: [String]) async throws -> SharedReading {
        let now = time
        let (values, wait) = try state.withLock { state in
            if state.isAway { throw Away() }
            return (keys.map { key in state.values[key].flatMap { $0.until > now ? $0.value : nil } }, state.afterRead)
        }
        await wait?()
        return SharedReading(values: values, time: now)
    }

    func write(_ value: Data?, for key: String, lifetime: Duration) async throws {
        let until = time + lifetime
        try state.withLock { state in
            if state.isAway { throw Away() }
            state.values[key] = value.map { ($0, until) }
        }
        writes.increment()
    }

    /// Returns true also if the new value is already there, as the Redis store does. The values of two machines therefore have to differ.
    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool {
        let now = time
        let isDone = try state.withLock { state in
            if state.isAway { throw Away() }
            let present = state.values[key].flatMap { $0.until > now ? $0.value : nil }
            if present == value { return true }
            guard present == former else { return false }
            state.values[key] = value.map { ($0, now + lifetime) }
            return true
        }
        if isDone { writes.increment() }
        return isDone
    }
}

extension MemorySharedStore {
    var access: SharedAccess { SharedAccess(store: self, outageHandler: OutageHandler(clock: LimitlessClock()) { _, _ in }) }
}

/// A clock whose time limits never end, so that a busy machine ends no operation of a store.
private final class LimitlessClock: TimerClock {
    var now: Duration { .zero }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction { ScheduledAction(0, of: self) }

    func cancel(_ id: Int) {}

    func sleep(for delay: Duration) async throws { try await SystemClock.shared.sleep(for: delay) }
}
