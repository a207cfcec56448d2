/// Attempts that run at the same time, and a queue of their events for the stage that has started them.
final class AttemptRace: StoppableWork {
    enum Event: Sendable {
        /// The delay of the second attempt has passed.
        case due
        case ended(attemptIndex: Int, Result<HTTPResponse, any Error>)
    }

    private struct State: Sendable {
        var events: [Event] = []
        var waiter: Waiter<Event>?
        /// Tells a test's clock that the stage waits.
        var wait: CallWait?
        var tasks: [Task<Void, Never>] = []
        var isOver = false
    }

    private let state = Mutex(State())

    /// Starts an attempt as a part of the current task's call. It runs even if the race is already over, so that it returns what it holds.
    func start(_ attemptIndex: Int, _ attempt: @escaping @Sendable () async throws -> HTTPResponse) {
        let presence = CurrentCall.presence?.another()
        let task = Task {
            let result: Result<HTTPResponse, any Error>
            do {
                result = .success(try await CurrentCall.$presence.withValue(presence, operation: attempt))
            } catch {
                result = .failure(error)
            }
            // Retained until the event is recorded, so that a test's clock does not see a gap.
            defer { withExtendedLifetime(presence) {} }
            note(.ended(attemptIndex: attemptIndex, result))
        }
        state.withLock { $0.tasks.append(task) }
    }

    /// Whether there is a response that `next()` has not returned yet, or the race is over.
    var hasResponse: Bool {
        state.withLock { state in
            state.isOver || state.events.contains { if case .ended(_, .success) = $0 { true } else { false } }
        }
    }

    /// Records an event. Events after the end of the race are ignored.
    func note(_ event: Event) {
        let (waiter, wait) = state.withLock { state -> (Waiter<Event>?, CallWait?) in
            guard !state.isOver else { return (nil, nil) }
            guard let waiter = state.waiter.take() else {
                state.events.append(event)
                return (nil, nil)
            }
            return (waiter, state.wait.take())
        }
        wait?.end()
        waiter?.resume(with: .success(event))
    }

    /// Returns the next event. Cancelling the task ends the wait immediately.
    func next() async throws -> Event {
        let wait = CurrentCall.presence.map { CallWait(of: $0) }
        defer { wait?.end() }
        return try await waitCancellably { turn in
            let result = state.withLock { state -> Result<Event, any Error>? in
                if Task.isCancelled || state.isOver { return .failure(CancellationError()) }
                if !state.events.isEmpty { return .success(state.events.removeFirst()) }
                state.waiter = turn
                state.wait = wait
                return nil
            }
            if let result { turn.resume(with: result) } else { wait?.begin() }
        } withdraw: { [self] in
            stop()
        }
    }

    func stop(with error: any Error) { stop()?.resume(throwing: CancellationError()) }

    /// Ends the race, and returns the waiter if there is one. Running attempts are cancelled, and their results ignored.
    ///
    /// It does not wait for them, because an interceptor that ignores the cancellation must not delay the call.
    @discardableResult
    func stop() -> Waiter<Event>? {
        var former = State(isOver: true)
        state.withLock { swap(&$0, &former) }
        former.wait?.end()
        // Cancelled here and not when the waiting stage continues, because the attempts could still send requests until then.
        for task in former.tasks { task.cancel() }
        return former.waiter
    }
}
