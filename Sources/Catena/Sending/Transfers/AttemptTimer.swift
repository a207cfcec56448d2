/// The timer of an attempt. It stands still while the transfer waits for a place.
final class AttemptTimer: Sendable {
    private struct State {
        var left: Duration
        /// When the timer was started last; `nil` while it stands still.
        var start: Duration?
        var timer: ScheduledAction?
        var isOver = false
    }

    private let clock: any TimerClock
    private let action: @Sendable () -> Void
    private let state: Mutex<State>

    /// Makes a timer that runs.
    init(_ timeout: Duration, on clock: any TimerClock, _ action: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.action = action
        state = Mutex(State(left: timeout))
        resume()
    }

    /// Stops the timer, until it is resumed.
    func pause() {
        let now = clock.now
        let timer = state.withLock { state -> ScheduledAction? in
            guard let start = state.start.take() else { return nil }
            state.left -= now - start
            return state.timer.take()
        }
        timer?.cancel()
    }

    /// Continues with the time that is left.
    func resume() {
        let now = clock.now
        let left = state.withLock { state -> Duration? in
            guard state.start == nil, !state.isOver else { return nil }
            state.start = now
            return max(state.left, .zero)
        }
        guard let left else { return }
        let timer = clock.schedule(after: left) { [self] in fire() }
        let isUseless = state.withLock { state in
            // It may have been paused or ended meanwhile.
            guard state.start == now, !state.isOver, state.timer == nil else { return true }
            state.timer = timer
            return false
        }
        if isUseless { timer.cancel() }
    }

    private func fire() {
        let isLate = state.withLock { state in
            // A timer that has been paused may fire nevertheless.
            guard !state.isOver, state.start != nil else { return false }
            state.isOver = true
            return true
        }
        if isLate { action() }
    }

    /// Ends the timer for good.
    func cancel() {
        let timer = state.withLock { state in
            state.isOver = true
            return state.timer.take()
        }
        timer?.cancel()
    }
}
