/// Measures how long a stage is at work itself, and not those that follow it.
final class StageWork: Sendable {
    private let name: String
    private let trace: CallTrace
    private let clock: any TimerClock
    /// `nil` while the stages that follow are at work.
    private let start: Mutex<Duration?>

    init(_ name: String, _ trace: CallTrace, _ clock: any TimerClock) {
        (self.name, self.trace, self.clock) = (name, trace, clock)
        start = Mutex(clock.now)
    }

    func rest() {
        let start = start.withLock { start in
            defer { start = nil }
            return start
        }
        guard let start else { return }
        let now = clock.now
        // What only hands the call on is not worth a word.
        if now - start >= .microseconds(20) { trace.note(name, from: start, to: now) }
    }

    func resume() {
        let now = clock.now
        start.withLock { $0 = now }
    }
}
