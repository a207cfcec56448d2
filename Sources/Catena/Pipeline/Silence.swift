import Synchronization

/// Ends an attempt when the server is silent for too long: before the first byte of its answer, or between any two bytes.
///
/// A clock that were set anew for every piece would cost more than the piece; so a piece only notes the time, and a timer that fires
/// looks how much of the silence is left.
final class Silence: Sendable {
    struct Limits: Sendable, Hashable {
        /// From the last byte sent to the first one of the answer.
        var firstByte: Duration?
        /// Between two bytes in either direction.
        var idle: Duration?
    }

    private enum Limit: CaseIterable {
        case firstByte, idle
    }

    private struct State {
        /// When something was last sent or received.
        var last = Duration.zero
        var hasAnswer = false
        var timers: [Limit: ScheduledAction] = [:]
        var isOver = false
    }

    private let limits: Limits
    private let clock: any TimerClock
    private let state = Mutex(State())

    /// `nil` if there is nothing to watch over.
    init?(_ limits: Limits, on clock: any TimerClock) {
        if limits.firstByte == nil, limits.idle == nil { return nil }
        self.limits = limits
        self.clock = clock
    }

    /// Begins to watch an exchange; the next one, if a redirect has ended the one before.
    func begin(_ interruption: Interruption) {
        let now = clock.now
        state.withLock { state in
            state.last = now
            state.hasAnswer = false
        }
        for limit in Limit.allCases { schedule(limit, interruption) }
    }

    /// Notes that bytes were sent.
    func noteSent() {
        let now = clock.now
        state.withLock { $0.last = now }
    }

    /// Notes that bytes arrived.
    func noteReceived() {
        let now = clock.now
        state.withLock { state in
            state.last = now
            state.hasAnswer = true
        }
    }

    /// Ends the watch.
    func end() {
        let timers = state.withLock { state in
            state.isOver = true
            defer { state.timers = [:] }
            return state.timers
        }
        for timer in timers.values { timer.cancel() }
    }

    private func schedule(_ limit: Limit, _ interruption: Interruption) {
        guard let duration = duration(of: limit) else { return }
        let now = clock.now
        let wait = state.withLock { state -> Duration? in
            if state.isOver || (limit == .firstByte && state.hasAnswer) { return nil }
            return state.last + duration - now
        }
        guard let wait else { return }
        guard wait > .zero else { return expire(limit, duration, interruption) }
        let timer = clock.schedule(after: wait) { [self] in schedule(limit, interruption) }
        let former = state.withLock { state in
            state.isOver ? timer : state.timers.updateValue(timer, forKey: limit)
        }
        former?.cancel()
    }

    private func expire(_ limit: Limit, _ duration: Duration, _ interruption: Interruption) {
        end()
        let message =
            switch limit {
            case .firstByte: "The answer did not begin within the limit of \(duration)."
            case .idle: "Nothing was sent or received for longer than the limit of \(duration)."
            }
        interruption.interrupt(with: APIError(.timeout, message: message))
    }

    private func duration(of limit: Limit) -> Duration? {
        switch limit {
        case .firstByte: limits.firstByte
        case .idle: limits.idle
        }
    }
}
