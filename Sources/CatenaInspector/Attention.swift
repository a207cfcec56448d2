import Catena
import CatenaPromise

/// Turns watching on while a page is open; otherwise the store receives failed calls only. It also watches for `linger` after the start and after the last
/// page has closed. A page that reloads, or that was waiting for the app, therefore misses no calls.
final class Attention: Sendable {
    private struct State {
        /// The number of beginnings and ends, by which a late timer knows that it is outdated.
        var changes = 0
        var timer: ScheduledAction?
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
    func begin() { change { $0.turn($1, isWatching: true) } }

    /// Stops watching `linger` from now, unless a page opens before.
    func end() {
        guard linger > .zero else {
            change { $0.turn($1, isWatching: false) }
            return
        }
        let number = change { _, _ in }
        let timer = clock.schedule(after: linger) { [weak self] in self?.lapse(number) }
        state.withLock { if $0.changes == number { $0.timer = timer } }
    }

    func stop() { change { _, _ in } }

    private func lapse(_ number: Int) {
        // Under the lock, because a page that opens at this moment must take effect last.
        state.withLock { if $0.changes == number { client.turn(store, isWatching: false) } }
    }

    @discardableResult
    private func change(_ change: (Client, CallStore) -> Void) -> Int {
        let (number, timer) = state.withLock { state in
            state.changes += 1
            change(client, store)
            defer { state.timer = nil }
            return (state.changes, state.timer)
        }
        timer?.cancel()
        return number
    }
}
