import Catena
import CatenaPromise

/// Has calls watched while a page is open; of others only the failed ones are kept. For a while it watches without a page too: one that is loaded anew, or that
/// was waiting for the app to start, misses nothing.
final class Attention: Sendable {
    private struct State {
        /// Counts beginnings and ends, so that a timer that comes late knows it.
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

    /// Takes it that somebody looks.
    func begin() { change { $0.turn($1, isWatching: true) } }

    /// Takes it that nobody looks any more.
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
        // Under the lock, so that a page that comes at this moment has the last word.
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
