/// The clock of a client's calls.
package protocol CallClock: TimerClock {
    /// Hands out what a call keeps until it is over, if the clock wants to know when that is.
    func callBegins() -> (any CallPresence)?
}

extension SystemClock: CallClock {
    package func callBegins() -> (any CallPresence)? { nil }
}

/// A call, or a part of one that outlives it, as a clock sees it that wants to know when all calls wait. Only clocks for tests do.
package protocol CallPresence: AnyObject, Sendable {
    /// Work that calls wait for, and that has to be seen as long as the result is kept.
    func another() -> any CallPresence

    /// The call waits for another one, and not for the clock.
    func waitBegins()

    func waitEnds()
}

/// The call as part of which the current task runs, if its clock wants to know.
package enum CurrentCall {
    @TaskLocal package static var presence: (any CallPresence)?
}

/// One wait of a call for another one. It may end before it has begun, and then never begins.
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
