/// Ends everything for which one call waits: transfers, pauses, places, and code of the app.
///
/// The deadline, cancelling the call and cancelling its promise stop it. What waits sees a cancellation, and ``error`` is the reason.
/// Calls that have joined a call wait with their own stopper.
final class CallStopper: StoppableWork {
    private struct State {
        var error: (any Error)?
        /// The work for which the call waits. Most calls wait for one thing at a time, which needs no array.
        var work: (any StoppableWork)?
        var others: [any StoppableWork] = []
        var deadline: ScheduledAction?
    }

    private let state = Mutex(State())
    /// Whether no other call has joined this one, or `nil` if none can.
    private let isAlone: (@Sendable () -> Bool)?

    init(isAlone: (@Sendable () -> Bool)? = nil) {
        self.isAlone = isAlone
    }

    /// Whether one call alone waits for the work.
    fileprivate var hasOneCall: Bool { isAlone?() == true }

    /// The reason why the call was stopped, or `nil` if it was not.
    var error: (any Error)? { state.withLock { $0.error } }

    var isStopped: Bool { state.withLock { $0.error != nil } }

    /// Whether a timer stops the call at its deadline.
    var keepsDeadline: Bool { state.withLock { $0.deadline != nil } }

    func cancel() { stop(with: CancellationError()) }

    /// Stops all work of the call, the last begun first, and all that begins later.
    func stop(with error: any Error) {
        let (stopped, timer) = state.withLock { state -> ([any StoppableWork], ScheduledAction?) in
            guard state.error == nil else { return ([], nil) }
            state.error = error
            return ((state.work.map { [$0] } ?? []) + state.others, state.deadline.take())
        }
        timer?.cancel()
        for work in stopped.reversed() { work.stop(with: error) }
    }

    /// Stops all work of the call, because a transfer has ended at the deadline. Its error names the phase in which the time ran out.
    func stop(late error: APIError) {
        stop(with: error)
        let former = state.withLock { state -> (any Error)? in
            guard let known = state.error as? APIError, let limit = known.limit, limit.phase == nil else { return nil }
            defer { state.error = error }
            return known
        }
        withExtendedLifetime(former) {}
    }

    /// Adds work that the stopper ends. If the call is stopped already, the work is ended at once.
    func add(_ work: any StoppableWork) {
        let error = state.withLock { state in
            if state.error == nil, state.work == nil, state.others.isEmpty {
                state.work = work
            } else if state.error == nil {
                state.others.append(work)
            }
            return state.error
        }
        if let error { work.stop(with: error) }
    }

    /// Removes work that has ended.
    func remove(_ work: any StoppableWork) {
        let released = state.withLock { state -> (any StoppableWork)? in
            if state.work === work { return state.work.take() }
            return state.others.firstIndex { $0 === work }.map { state.others.remove(at: $0) }
        }
        // Released after the lock, because it may own objects of the caller.
        withExtendedLifetime(released) {}
    }

    /// Keeps the timer of the deadline until the call ends or is stopped.
    func keep(_ deadline: ScheduledAction) {
        let superfluous = state.withLock { state in
            guard state.deadline == nil, state.error == nil else { return true }
            state.deadline = deadline
            return false
        }
        if superfluous { deadline.cancel() }
    }

    /// Ends the timer of the deadline with its call.
    func end() {
        state.withLock { $0.deadline.take() }?.cancel()
    }

    /// Runs work that may wait, in a task of its own with the task-local values of this one.
    ///
    /// A stop cancels that task. The caller continues at once, whether or not the work responds to its cancellation. Cancelling the caller's
    /// task does the same.
    ///
    /// - Parameter watch: Starts a timer that may reject the promise of the work.
    @_semantics("optimize.sil.specialize.generic.never")
    func run<Value: Sendable>(
        watchedBy watch: ((PromiseCore) -> ScheduledAction)? = nil, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let promise = Promise<Value>(core: PromiseCore(origin: nil))
        add(promise.core)
        defer { remove(promise.core) }
        let timer = watch?(promise.core)
        defer { timer?.cancel() }
        promise.core.run(work)
        return try await promise.result.get()
    }
}

/// Work that can be ended from outside, with a reason.
protocol StoppableWork: AnyObject, Sendable {
    func stop(with error: any Error)
}

extension PromiseCore: StoppableWork {
    // The reason is that of the call, and not of the part that is waiting.
    func stop(with error: any Error) { cancel() }
}

extension BodyPipe: StoppableWork {}

extension TransferStopper: StoppableWork {
    func stop(with error: any Error) {
        if let limit = (error as? APIError)?.limit?.limit { interrupt(late: limit) } else { interrupt(with: error) }
    }
}

extension Call {
    /// Runs work that may wait, such as code of the app, until the call is stopped. See ``CallStopper/run(_:)``.
    func wait<Value: Sendable>(for work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if isOwn { run.watchDeadline() }
        return try await stopper.run(work)
    }

    /// Whether the deadline and the cancellation of the run apply to this call. They do not if other calls may have joined it.
    var isOwn: Bool { stopper === run.stopper }

    /// The time until the deadline, or `nil` if there is none or if other calls wait for the same work.
    var deadlineLeft: Duration? { isOwn || stopper.hasOneCall ? run.deadlineLeft : nil }

    var isStopped: Bool { Task.isCancelled || stopper.isStopped }

    func throwIfStopped() throws {
        if isStopped { throw CancellationError() }
    }

    /// Returns the error of a transfer as the stages see it. A transport may have kept the deadline of the call itself.
    func seenByStages(_ error: any Error) -> any Error {
        if isOwn, run.configuration.deadline != nil, let late = error as? APIError, case .call? = late.limit?.limit {
            stopper.stop(late: run.history.annotate(late: late))
        }
        return stopper.isStopped ? CancellationError() : error
    }
}

extension CallRun {
    /// Runs work that may wait, such as code of the app, until the call is stopped. See ``CallStopper/run(_:)``.
    func wait<Value: Sendable>(for work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        watchDeadline()
        return try await stopper.run(work)
    }

    /// Runs a closure of the app that is part of an attempt, until the attempt's timeout.
    ///
    /// - Parameters:
    ///   - closure: The name of the closure for the error.
    ///   - stopper: The stopper of the attempt, or `nil` for that of the run.
    ///   - time: The time that the closures of the attempt have taken, to which that of this one is added.
    func wait<Value: Sendable>(
        for closure: String, until stopper: CallStopper? = nil, adding time: inout Duration,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let stopper = stopper ?? self.stopper
        if stopper === self.stopper { watchDeadline() }
        let (clock, timeout, former, start) = (client.clock, configuration.timeout, time, now)
        defer { time = former + (now - start) }
        return try await stopper.run(
            watchedBy: { core in
                clock.schedule(after: max(timeout - former, .zero)) { [weak core] in
                    core?.settle(.rejected(APIError(late: .attempt(timeout), in: .closure(closure))), stopping: true)
                }
            }, work)
    }

    /// The time until the deadline, which is negative after it, or `nil` without one.
    var deadlineLeft: Duration? { configuration.deadline.map { $0 - (client.clock.now - deadlineStart) } }

    /// Stops the call at its deadline. Only a call that waits for more than a transfer needs a timer; the engine keeps the deadline of a transfer.
    func watchDeadline() {
        guard let deadline = configuration.deadline, !stopper.keepsDeadline, !stopIfLate(), let left = deadlineLeft else { return }
        stopper.keep(
            client.clock.schedule(after: left) { [weak self] in
                guard let self else { return }
                stopper.stop(with: history.annotate(late: .late(deadline)))
            })
    }

    /// Stops the call if its deadline has passed, such as in code of the app that blocks. Returns whether it has.
    @discardableResult
    func stopIfLate() -> Bool {
        guard let deadline = configuration.deadline, let left = deadlineLeft, left <= .zero else { return false }
        stopper.stop(with: history.annotate(late: .late(deadline)))
        return true
    }
}
