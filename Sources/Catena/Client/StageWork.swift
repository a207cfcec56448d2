/// Measures the time that a stage takes itself, without the stages that follow it.
final class StageWork: Sendable {
    private let name: String
    private let inspected: InspectedCall
    private let clock: any TimerClock
    /// The start of the stage's own work, or `nil` while the stages that follow run.
    private let start: Mutex<Duration?>

    init(_ name: String, _ inspected: InspectedCall, _ clock: any TimerClock) {
        (self.name, self.inspected, self.clock) = (name, inspected, clock)
        start = Mutex(clock.now)
    }

    func rest() {
        let start = start.withLock { start in
            defer { start = nil }
            return start
        }
        guard let start else { return }
        let now = clock.now
        // Stages that only pass the call on are not worth a span.
        if now - start >= .microseconds(20) { inspected.note(name, from: start, to: now) }
    }

    func resume() {
        let now = clock.now
        start.withLock { $0 = now }
    }
}
