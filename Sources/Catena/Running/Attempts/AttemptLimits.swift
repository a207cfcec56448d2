/// The time limits of one attempt. The transfer of the attempt also ends with its call.
struct AttemptLimits {
    let stopper: TransferStopper
    private let call: CallStopper
    private let timer: AttemptTimer?
    private let plainTimer: ScheduledAction?

    /// Starts the limits.
    ///
    /// - Parameter isOpen: Whether the limits end with the head of the response. No transport enforces such limits by itself.
    @inline(never)
    init(of call: Call, isOpen: Bool = false) throws {
        // Each once, because a second read of a call's member may copy all of them.
        let (run, whole) = (call.run, call.stopper)
        let isOwn = whole === run.stopper
        let (timeout, clock, deadline) = (run.configuration.timeout, run.client.clock, run.configuration.deadline)
        let left = max(timeout - call.closureTime, .zero)
        let limited = TransferStopper(inactivity: .keeping(run.configuration.inactivity, on: clock), meter: run.inspected)
        (stopper, self.call) = (limited, whole)
        if !isOpen, run.transportKeepsTime {
            let now = ContinuousClock.now
            var limits = TransferLimits(attempt: TransferDeadline(instant: now + left, limit: .attempt(timeout)))
            if let deadline {
                limits.isBounded = isOwn
                if isOwn, !whole.keepsDeadline, let left = try run.timeLeft() {
                    limits.call = TransferDeadline(instant: now + left, limit: .call(deadline))
                }
            }
            limited.limits = limits
            (timer, plainTimer) = (nil, nil)
        } else {
            if run.mayWaitForPlace {
                // Weak, because the stopper has the timer.
                let attemptTimer = AttemptTimer(left, on: clock) { [weak limited] in limited?.interrupt(late: .attempt(timeout)) }
                // libcurl measures by the system's clock.
                let limit = run.client.keepsTime ? TimeLimit.attempt(timeout) : nil
                limited.limits = TransferLimits(timer: attemptTimer, keeping: limit, isBounded: isOwn && deadline != nil)
                (timer, plainTimer) = (attemptTimer, nil)
            } else {
                timer = nil
                plainTimer = clock.schedule(after: left) { limited.interrupt(with: APIError.late(attempt: timeout)) }
            }
            if isOwn { run.watchDeadline() }
        }
        whole.add(limited)
    }

    /// Ends the limits when the attempt has its response, or when the body of its stream begins.
    func end() {
        call.remove(stopper)
        plainTimer?.cancel()
        if let timer {
            timer.cancel()
            // With them the stopper lets go of the transfer.
            stopper.limits = TransferLimits()
        }
        stopper.inactivity?.end()
    }
}

extension CallRun {
    /// Whether the transport itself enforces the time limits of a whole response.
    fileprivate var transportKeepsTime: Bool { client.keepsTime && mayWaitForPlace && !isWatched }
    /// Whether the transport may have the transfer wait for a place.
    fileprivate var mayWaitForPlace: Bool { client.hasPlaces && configuration.carrier == nil }
}
