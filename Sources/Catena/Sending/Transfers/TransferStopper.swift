/// Ends a transfer from outside with a given error, such as that of a time limit, without a task.
package final class TransferStopper: Sendable {
    private enum State {
        case idle
        case watching(@Sendable (any Error) -> Void)
        case interrupted(any Error)
    }

    private let state = Mutex(State.idle)
    /// The watch for inactivity, if any. Transports report every piece to it.
    package let inactivity: InactivityWatch?
    /// The meter of the transfer's progress, if any. Transports report every piece to it.
    package let meter: (any TransferMeter)?
    /// `nil` until a caller sets limits. A transfer over a stub has none.
    private let boundary: Mutex<CopyOnWrite<TransferLimits>?>

    init(inactivity: InactivityWatch? = nil, meter: (any TransferMeter)? = nil, deadline: TransferDeadline? = nil) {
        (self.inactivity, self.meter) = (inactivity, meter)
        boundary = Mutex(deadline.map { CopyOnWrite(TransferLimits(keeping: $0)) })
    }

    /// The limits of time of the transfer. The engine enforces those that are deadlines, another object the others.
    var limits: TransferLimits {
        get { boundary.withLock { $0 }?.value ?? TransferLimits() }
        set {
            let limits = CopyOnWrite(newValue)
            // The former ones are released after the lock.
            _ = boundary.withLock { boundary in
                defer { boundary = limits }
                return boundary
            }
        }
    }

    /// Sets the closure that says in which phase the transfer is.
    func onPhase(_ describe: @escaping @Sendable (@escaping @Sendable (TransferPhase?) -> Void) -> Void) {
        var limits = self.limits
        limits.describe = describe
        self.limits = limits
    }

    /// Ends the transfer because a limit of time has struck. The error names the phase, if the transport knows it.
    func interrupt(late limit: TimeLimit, _ annotate: @escaping @Sendable (APIError) -> any Error = { $0 }) {
        guard let describe = limits.describe else { return interrupt(with: annotate(APIError(late: limit))) }
        describe { [self] phase in interrupt(with: annotate(APIError(late: limit, in: phase))) }
    }

    /// Ends the transfer in progress and every later one.
    func interrupt(with error: any Error) {
        let handler = state.withLock { state -> (@Sendable (any Error) -> Void)? in
            defer { state = .interrupted(error) }
            guard case .watching(let handler) = state else { return nil }
            return handler
        }
        handler?(error)
    }

    /// Registers the handler that ends the transfer that is beginning. Calls it at once if the stopper is already interrupted.
    package func watch(_ handler: @escaping @Sendable (any Error) -> Void) {
        let (former, error) = state.withLock { state -> (State, (any Error)?) in
            if case .interrupted(let error) = state { return (.idle, error) }
            defer { state = .watching(handler) }
            return (state, nil)
        }
        // Release the former handler outside the lock, because this may free its transfer.
        _ = consume former
        if let error { handler(error) }
    }

    /// Releases the handler of a finished transfer.
    func rest() {
        let former = state.withLock { state -> State in
            guard case .watching = state else { return .idle }
            defer { state = .idle }
            return state
        }
        _ = consume former
    }

    /// The error that ended the transfer, or `nil` if it was not interrupted.
    var interruption: (any Error)? {
        state.withLock { if case .interrupted(let error) = $0 { error } else { nil } }
    }

    /// Returns the request to send. If anything follows the transfer, its body is split, because progress is known only for bodies in
    /// pieces.
    package func sent(_ request: HTTPRequest) -> HTTPRequest { isTold ? request.inPieces : request }

    /// Whether anything follows the transfer piece by piece.
    var isTold: Bool { inactivity != nil || meter != nil }

    /// Returns the result of work that ended by itself, unless it was interrupted meanwhile.
    func checked<Value>(_ result: Result<Value, any Error>) throws -> Value {
        if let interruption { throw interruption }
        return try result.get()
    }

    /// Runs work that an interruption ends at once, even if the work ignores the cancellation of its task.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let promise = Promise<Value>(core: PromiseCore(origin: nil))
        // Watch before the work begins, so that no interruption is missed.
        watch { error in promise.core.settle(.rejected(error), stopping: true) }
        promise.core.run(work)
        return try await promise.result.get()
    }
}

/// Ends an attempt if the server is silent for too long: before the first byte of its response, or between two bytes.
///
/// A piece only records the time, because rescheduling a timer for each piece would cost more than the piece. A timer that fires checks how
/// much time is left.
package final class InactivityWatch: Sendable {
    struct Limits: Sendable, Hashable {
        /// The time from the last byte sent to the first byte of the response.
        var firstByte: Duration?
        /// The time between two bytes in either direction.
        var idle: Duration?
    }

    private enum Limit: CaseIterable {
        case firstByte, idle
    }

    private struct State {
        /// The time at which bytes were last sent or received.
        var last = Duration.zero
        var hasAnswer = false
        var timers: [Limit: ScheduledAction] = [:]
        weak var stopper: TransferStopper?
        /// Whether the transfer waits for a place, so that there is nothing that could arrive.
        var isPaused = false
        var isOver = false
    }

    private let limits: Limits
    private let clock: any TimerClock
    private let state = Mutex(State())

    private init(_ limits: Limits, on clock: any TimerClock) {
        self.limits = limits
        self.clock = clock
    }

    /// Returns a watch, or `nil` if there are no limits. A failable initializer would allocate the object before it fails.
    static func keeping(_ limits: Limits, on clock: any TimerClock) -> InactivityWatch? {
        limits.firstByte == nil && limits.idle == nil ? nil : InactivityWatch(limits, on: clock)
    }

    /// Begins to watch an exchange. Called again for the next exchange, after a redirect or after the end of the former one.
    func begin(_ stopper: TransferStopper) {
        let now = clock.now
        state.withLock { state in
            state.last = now
            state.hasAnswer = false
            // The former exchange may have ended while it waited for a place.
            state.isPaused = false
            state.isOver = false
            state.stopper = stopper
        }
        for limit in Limit.allCases { schedule(limit, stopper) }
    }

    /// Stops the watch while the transfer waits for a place.
    func pause() { state.withLock { $0.isPaused = true } }

    /// Continues the watch, as if bytes had just been sent.
    func resume() {
        let now = clock.now
        let stopper = state.withLock { state in
            state.last = now
            state.isPaused = false
            return state.stopper
        }
        guard let stopper else { return }
        for limit in Limit.allCases { schedule(limit, stopper) }
    }

    package func noteSent() {
        let now = clock.now
        state.withLock { $0.last = now }
    }

    package func noteReceived() {
        let now = clock.now
        state.withLock { state in
            state.last = now
            state.hasAnswer = true
        }
    }

    func end() {
        let timers = state.withLock { state in
            state.isOver = true
            defer { state.timers = [:] }
            return state.timers
        }
        for timer in timers.values { timer.cancel() }
    }

    private func schedule(_ limit: Limit, _ stopper: TransferStopper) {
        guard let duration = duration(of: limit) else { return }
        let now = clock.now
        let wait = state.withLock { state -> Duration? in
            if state.isOver || state.isPaused || (limit == .firstByte && state.hasAnswer) { return nil }
            return state.last + duration - now
        }
        guard let wait else { return }
        guard wait > .zero else { return expire(limit, duration, stopper) }
        let timer = clock.schedule(after: wait) { [self] in schedule(limit, stopper) }
        let former = state.withLock { state in
            state.isOver ? timer : state.timers.updateValue(timer, forKey: limit)
        }
        former?.cancel()
    }

    private func expire(_ limit: Limit, _ duration: Duration, _ stopper: TransferStopper) {
        end()
        let message =
            switch limit {
            case .firstByte: "The response did not begin within the firstByteTimeout of \(duration)."
            case .idle: "Nothing was sent or received within the idleTimeout of \(duration)."
            }
        stopper.interrupt(with: APIError(.timeout, message: message))
    }

    private func duration(of limit: Limit) -> Duration? {
        switch limit {
        case .firstByte: limits.firstByte
        case .idle: limits.idle
        }
    }
}
