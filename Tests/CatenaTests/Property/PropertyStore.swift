import CatenaTesting
import Foundation
import TestSupport

@testable import Catena
@testable import CatenaFleet

/// A store that the machines of a ``PropertyWorld`` share. It is slow, unreachable or lying at random.
final class PropertyStore: SharedStore {
    private struct Away: Error {}

    private struct State: Sendable {
        var random: SeededRandom
        var values: [String: Data] = [:]
        /// The previous value of each key.
        var formers: [String: Data?] = [:]
        var isCalm = false
    }

    private enum Mood { case honest, lies }

    private let clock: VirtualClock
    private let state: Mutex<State>

    init(clock: VirtualClock, seed: UInt64) {
        self.clock = clock
        state = Mutex(State(random: SeededRandom(seed: seed)))
    }

    /// Whether it neither lies nor delays its responses.
    var isCalm: Bool {
        get { state.withLock { $0.isCalm } }
        set { state.withLock { $0.isCalm = newValue } }
    }

    private func draw(_ limit: Int) -> Int { state.withLock { Int($0.random.next() % UInt64(limit)) } }

    /// Waits for a random time and returns how the store treats an operation.
    private func mood() async throws -> Mood {
        guard !isCalm else { return .honest }
        switch draw(20) {
        case 0..<8: return .honest
        case 8..<11: try await clock.sleep(for: .milliseconds([1, 50, 500][draw(3)]))
        case 11..<13: try await clock.sleep(for: .seconds(2))
        // The store ignores cancellation here.
        case 13: await clock.pause(for: .seconds(30))
        case 14: throw Away()
        case 15, 16: return .lies
        default: break
        }
        return .honest
    }

    func read(_ keys: [String]) async throws -> SharedReading {
        let mood = try await mood()
        let time = .seconds(1_800_000_000) + clock.now
        let values = state.withLock { state in keys.map { state.values[$0] } }
        guard mood == .lies else { return SharedReading(values: values, time: time) }
        switch draw(5) {
        case 0: return SharedReading(values: keys.map { _ in nil }, time: time)
        case 1: return SharedReading(values: [], time: time)
        case 2: return SharedReading(values: keys.map { _ in Data("made up".utf8) }, time: time)
        case 3: return SharedReading(values: state.withLock { state in keys.map { state.formers[$0] ?? nil } }, time: time)
        default: return SharedReading(values: values, time: time + .seconds([-3_600, -2, 2, 3_600][draw(4)]))
        }
    }

    func write(_ value: Data?, for key: String, lifetime: Duration) async throws {
        guard try await mood() == .honest else { return }
        set(value, for: key)
    }

    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool {
        let mood = try await mood()
        let isSame = state.withLock { $0.values[key] == former }
        if mood == .lies {
            // Reports a change that was not made, or the reverse.
            let isDone = draw(2) == 0
            if !isDone, isSame { set(value, for: key) }
            return isDone
        }
        if isSame { set(value, for: key) }
        return isSame
    }

    private func set(_ value: Data?, for key: String) {
        state.withLock { state in
            state.formers[key] = state.values[key]
            state.values[key] = value
        }
    }
}

/// A store in which two processes share one credential.
struct PropertyCredentialStore: CredentialStore, PromptStore {
    /// The lock, which the process that has it denies to the other.
    final class Lock: CredentialLock {}

    private struct Place: Sendable {
        var credential: PropertyMember?
        weak var lock: Lock?
    }

    private let place: MutexBox

    private final class MutexBox: Sendable {
        let place = Mutex(Place())
    }

    init() { place = MutexBox() }

    func load() -> PropertyMember? { place.place.withLock { $0.credential } }

    func save(_ credential: PropertyMember?) { place.place.withLock { $0.credential = credential } }

    func lock() -> (any CredentialLock)? {
        place.place.withLock { place in
            guard place.lock == nil else { return nil }
            let lock = Lock()
            place.lock = lock
            return lock
        }
    }
}

extension VirtualClock {
    /// Waits for the whole time, even after a cancellation.
    func pause(for time: Duration) async {
        await withCheckedContinuation { continuation in
            _ = schedule(after: time) { continuation.resume() }
        }
    }
}
