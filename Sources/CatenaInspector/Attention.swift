import Catena
import CatenaPromise

/// Turns watching on while a page is open; otherwise the store receives failed calls only. It also watches for `linger` after the start and after the last
/// page has closed, and for some time after a request of an agent. A page that reloads, or that was waiting for the app, therefore misses no calls.
final class Attention: Sendable {
    private struct State {
        /// The number of beginnings and ends, by which a late timer knows that it is outdated.
        var changes = 0
        var timer: ScheduledAction?
        var isOpen = false
        var isStopped = false
        /// The time until which calls are watched at least.
        var until = Duration.zero
    }

    private let client: Client
    private let store: CallStore
    private let linger: Duration
    private let clock: any TimerClock
    private let state = Mutex(State())

    init(_ client: Client, _ store: CallStore, linger: Duration, clock: any TimerClock) {
        (self.client, self.store, self.linger, self.clock) = (client, store, linger, clock)
    }

    /// Starts watching, because a page has opened.
    func begin() {
        change { state in
            state.isOpen = true
            client.turn(store, isWatching: true)
        }
    }

    /// Stops watching `linger` from now, unless a page opens before.
    func end() { watch(for: linger) { $0.isOpen = false } }

    /// Watches for some time from now, because an agent has asked.
    func attend(for time: Duration) { watch(for: time) { _ in } }

    func stop() { change { $0.isStopped = true } }

    private func watch(for time: Duration, _ adjust: (inout State) -> Void) {
        let now = clock.now
        var rest: Duration?
        let number = change { state in
            adjust(&state)
            state.until = max(state.until, now + time)
            guard !state.isOpen, !state.isStopped else { return }
            rest = state.until - now
            client.turn(store, isWatching: state.until > now)
        }
        guard let rest, rest > .zero else { return }
        let timer = clock.schedule(after: rest) { [weak self] in self?.lapse(number) }
        state.withLock { if $0.changes == number { $0.timer = timer } }
    }

    private func lapse(_ number: Int) {
        // Under the lock, because a page that opens at this moment must take effect last.
        state.withLock { if $0.changes == number { client.turn(store, isWatching: false) } }
    }

    @discardableResult
    private func change(_ change: (inout State) -> Void) -> Int {
        let (number, timer) = state.withLock { state in
            state.changes += 1
            change(&state)
            defer { state.timer = nil }
            return (state.changes, state.timer)
        }
        timer?.cancel()
        return number
    }
}
