import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

/// A store in memory that tests reach from several clients, as machines reach a Redis.
final class MemorySharedStore: SharedStore {
    struct Away: Error {}

    private struct State: Sendable {
        var values: [String: (value: Data, until: Duration)] = [:]
        var isAway = false
        var afterRead: (@Sendable () async -> Void)?
    }

    /// Counts what has been written.
    let writes = Counter()
    private let clock: VirtualClock
    private let state = Mutex(State())

    init(clock: VirtualClock = VirtualClock()) { self.clock = clock }

    /// As far from the clocks of the machines as another machine's.
    private var time: Duration { .seconds(1_800_000_000) + clock.now }

    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    var keys: [String] { state.withLock { $0.values.keys.sorted() } }

    /// Holds up whoever has read something.
    func afterRead(_ wait: (@Sendable () async -> Void)?) { state.withLock { $0.afterRead = wait } }

    /// Writes something else to every key.
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

    /// As in Redis, what is there already counts as written: so the values of two machines have to differ.
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
    var access: SharedAccess { SharedAccess(store: self, watch: .silent) }
}
