/// The time limits of one attempt: its own, and that of the call if no other code enforces it.
struct AttemptLimits {
    let stopper: TransferStopper
    private let timer: AttemptTimer?
    private let plainTimer: ScheduledAction?
    private let callTimer: ScheduledAction?

    /// Starts the limits.
    ///
    /// - Parameters:
    ///   - stopper: The stopper of a call without a task of its own, whose deadline is then enforced here.
    ///   - isOpen: Whether the limits end with the head of the response. No transport enforces such limits by itself.
    @inline(never)
    init(of run: CallRun, _ stopper: TransferStopper?, isOpen: Bool = false) throws {
        let (timeout, clock) = (run.configuration.timeout, run.client.clock)
        let left = stopper == nil ? nil : try run.timeLeft()
        let limited = stopper ?? TransferStopper(inactivity: .keeping(run.configuration.inactivity, on: clock), meter: run.inspected)
        self.stopper = limited
        if !isOpen, run.transportKeepsTime {
            let now = ContinuousClock.now
            var limits = TransferLimits(attempt: TransferDeadline(now + timeout, .attempt(timeout)))
            if let deadline = run.configuration.deadline {
                limits.isBounded = true
                if let left { limits.call = TransferDeadline(now + left, .call(deadline)) }
            }
            limited.limits = limits
            (timer, plainTimer, callTimer) = (nil, nil, nil)
            return
        }
        if run.mayWaitForPlace {
            // Weak, because the stopper has the timer.
            let attemptTimer = AttemptTimer(timeout, on: clock) { [weak limited] in limited?.interrupt(late: .attempt(timeout)) }
            let isBounded = run.configuration.deadline != nil
            // libcurl measures by the system's clock.
            let limit = run.client.keepsTime ? TimeLimit.attempt(timeout) : nil
            limited.limits = TransferLimits(timer: attemptTimer, keeping: limit, isBounded: isBounded)
            (timer, plainTimer) = (attemptTimer, nil)
        } else {
            timer = nil
            plainTimer = clock.schedule(after: timeout) { limited.interrupt(with: APIError.late(attempt: timeout)) }
        }
        if let left, let deadline = run.configuration.deadline {
            callTimer = clock.schedule(after: left) { [history = run.history] in
                limited.interrupt(late: .call(deadline)) { history.annotate(late: $0) }
            }
        } else {
            callTimer = nil
        }
    }

    /// Ends the limits when the attempt has its response, or when the body of its stream begins.
    func end() {
        plainTimer?.cancel()
        if let timer {
            timer.cancel()
            // With them the stopper lets go of the transfer.
            stopper.limits = TransferLimits()
        }
        callTimer?.cancel()
        stopper.inactivity?.end()
    }
}

extension CallRun {
    /// Whether the transport itself enforces the time limits of a whole response.
    fileprivate var transportKeepsTime: Bool { client.keepsTime && mayWaitForPlace && !isWatched }
    /// Whether the transport may have the transfer wait for a place.
    fileprivate var mayWaitForPlace: Bool { client.hasPlaces && configuration.transport == nil }
}
