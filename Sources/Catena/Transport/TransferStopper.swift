/// Ends a transfer from outside with an error of its own, such as a time limit's, without a task for it.
final class TransferStopper: Sendable {
    private enum State {
        case idle
        case watching(@Sendable (any Error) -> Void)
        case interrupted(any Error)
    }

    private let state = Mutex(State.idle)
    /// What watches over the silences of the transfer, if anything does; transports tell it of every piece.
    let silence: InactivityWatch?
    /// Who follows the transfer, if anybody does; transports tell him likewise.
    let meter: (any TransferMeter)?
    private let limit: Mutex<TransferDeadline?>

    init(silence: InactivityWatch? = nil, meter: (any TransferMeter)? = nil, deadline: TransferDeadline? = nil) {
        (self.silence, self.meter) = (silence, meter)
        limit = Mutex(deadline)
    }

    /// When the transfer has to be over, which an engine sees to itself; `nil` where somebody else interrupts it then.
    var deadline: TransferDeadline? {
        get { limit.withLock { $0 } }
        set { limit.withLock { $0 = newValue } }
    }

    /// Ends the transfer under way, and any that begins later.
    func interrupt(with error: any Error) {
        let handler = state.withLock { state -> (@Sendable (any Error) -> Void)? in
            defer { state = .interrupted(error) }
            guard case .watching(let handler) = state else { return nil }
            return handler
        }
        handler?(error)
    }

    /// Says how to end the transfer that is beginning; does so at once if it is interrupted already.
    func watch(_ handler: @escaping @Sendable (any Error) -> Void) {
        let (former, error) = state.withLock { state -> (State, (any Error)?) in
            if case .interrupted(let error) = state { return (.idle, error) }
            defer { state = .watching(handler) }
            return (state, nil)
        }
        // With it goes the transfer before, which is not to happen under the lock.
        _ = consume former
        if let error { handler(error) }
    }

    /// Lets go of a transfer that is over.
    func rest() {
        let former = state.withLock { state -> State in
            guard case .watching = state else { return .idle }
            defer { state = .idle }
            return state
        }
        _ = consume former
    }

    /// The error with which the transfer was ended; `nil` if it was not.
    var interruption: (any Error)? {
        state.withLock { if case .interrupted(let error) = $0 { error } else { nil } }
    }

    /// A request as it is sent: only of a body that goes out in pieces is it known how far it is.
    func sent(_ request: HTTPRequest) -> HTTPRequest { isTold ? request.inPieces : request }

    /// Whether anything is to be told of each piece.
    var isTold: Bool { silence != nil || meter != nil }

    /// Runs work that comes to its end by itself; an interruption counts when it has.
    func check<Value>(_ work: () async throws -> Value) async throws -> Value {
        let result: Result<Value, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        if let interruption { throw interruption }
        return try result.get()
    }

    /// Runs work that an interruption ends at once, whether or not the work heeds the cancellation of its task.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let promise = Promise<Value>(core: PromiseCore(origin: nil))
        // Before the work begins, so that no interruption finds it unwatched.
        watch { error in promise.core.settle(.rejected(error), stopping: true) }
        promise.core.run(work)
        return try await promise.result.get()
    }
}

/// Ends an attempt when the server is silent for too long: before the first byte of its response, or between any two bytes.
///
/// A clock that were set anew for every piece would cost more than the piece; so a piece only notes the time, and a timer that fires
/// looks how much of the silence is left.
final class InactivityWatch: Sendable {
    struct Limits: Sendable, Hashable {
        /// From the last byte sent to the first one of the response.
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

    private init(_ limits: Limits, on clock: any TimerClock) {
        self.limits = limits
        self.clock = clock
    }

    /// `nil` if there is nothing to watch over: an initializer would make the object before it says so.
    static func keeping(_ limits: Limits, on clock: any TimerClock) -> InactivityWatch? {
        limits.firstByte == nil && limits.idle == nil ? nil : InactivityWatch(limits, on: clock)
    }

    /// Begins to watch an exchange; the next one, if a redirect has ended the one before.
    func begin(_ interruption: TransferStopper) {
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

    private func schedule(_ limit: Limit, _ interruption: TransferStopper) {
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

    private func expire(_ limit: Limit, _ duration: Duration, _ interruption: TransferStopper) {
        end()
        let message =
            switch limit {
            case .firstByte: "The response did not begin within the limit of \(duration)."
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
