/// The time limits of one attempt: its own, and that of the call if no other code enforces it.
struct AttemptLimits {
    let stopper: TransferStopper
    private let attemptTimer: ScheduledAction?
    private let callTimer: ScheduledAction?

    /// Starts the limits.
    ///
    /// - Parameter stopper: The stopper of a call without a task of its own, whose deadline is then enforced here.
    @inline(never)
    init(of execution: Execution, _ stopper: TransferStopper?) throws {
        let (timeout, clock) = (execution.settings.timeout, execution.client.clock)
        let left = stopper == nil ? nil : try execution.timeLeft()
        let limited = stopper ?? TransferStopper(silence: .keeping(execution.settings.silence, on: clock), meter: execution.trace)
        self.stopper = limited
        if execution.transportKeepsTime {
            if let left, let deadline = execution.settings.deadline, left < timeout {
                limited.deadline = TransferDeadline(.now + left, .call(deadline))
            } else {
                limited.deadline = TransferDeadline(.now + timeout, .attempt(timeout))
            }
            (attemptTimer, callTimer) = (nil, nil)
            return
        }
        attemptTimer = clock.schedule(after: timeout) { limited.interrupt(with: APIError.late(attempt: timeout)) }
        if let left, let deadline = execution.settings.deadline {
            callTimer = clock.schedule(after: left) { [log = execution.log] in limited.interrupt(with: log.annotate(late: .late(deadline)))
            }
        } else {
            callTimer = nil
        }
    }

    /// Ends the limits when the attempt has its response, or when the body of its stream begins.
    func end() {
        attemptTimer?.cancel()
        callTimer?.cancel()
        stopper.silence?.end()
    }
}

extension Execution {
    /// Whether the transport itself enforces the time limits of a whole response.
    fileprivate var transportKeepsTime: Bool { client.keepsTime && request.options.transport == nil && !isWatched }
}
