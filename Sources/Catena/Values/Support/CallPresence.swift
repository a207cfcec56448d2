/// The clock of a client's calls.
package protocol CallClock: TimerClock {
    /// Returns an object that the call retains until it has ended, or `nil` if the clock does not track calls.
    func callBegins() -> (any CallPresence)?
}

extension SystemClock: CallClock {
    package func callBegins() -> (any CallPresence)? { nil }
}

/// A call, or a part of one that outlives it, for a clock that detects when all calls are waiting. Only test clocks do.
package protocol CallPresence: AnyObject, Sendable {
    /// Returns the presence of work for which calls wait. It lasts as long as the result is retained.
    func another() -> any CallPresence

    /// Notes that the call waits for another one, and not for the clock.
    func waitBegins()

    func waitEnds()
}

/// The call to which the current task belongs, if its clock tracks calls.
package enum CurrentCall {
    @TaskLocal package static var presence: (any CallPresence)?
}

/// One wait of a call for another one. `end()` may be called before `begin()`; `begin()` then has no effect.
final class CallWait: Sendable {
    private enum Phase { case new, under, over }

    private let presence: any CallPresence
    private let phase = Mutex(Phase.new)

    init(of presence: any CallPresence) {
        self.presence = presence
    }

    func begin() {
        let begins = phase.withLock { phase in
            defer { if phase == .new { phase = .under } }
            return phase == .new
        }
        if begins { presence.waitBegins() }
    }

    func end() {
        let ends = phase.withLock { phase in
            defer { phase = .over }
            return phase == .under
        }
        if ends { presence.waitEnds() }
    }
}
