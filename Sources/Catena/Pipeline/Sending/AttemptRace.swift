/// Attempts that run at the same time, and what becomes of them, for the one who has started them and waits.
final class AttemptRace: Sendable {
    enum Event: Sendable {
        /// It is time for the second attempt.
        case due
        case ended(lane: Int, Result<HTTPResponse, any Error>)
    }

    private struct State: Sendable {
        var events: [Event] = []
        var waiter: Waiter<Event>?
        /// What tells a clock for tests that the one who has started them waits.
        var wait: CallWait?
        var tasks: [Task<Void, Never>] = []
        var isOver = false
    }

    private let state = Mutex(State())

    /// Starts an attempt as a part of the call as which the current task runs. It runs also where the race is over by then, so that it gives
    /// back what it has.
    func start(_ lane: Int, _ attempt: @escaping @Sendable () async throws -> HTTPResponse) {
        let presence = CurrentCall.presence?.another()
        let task = Task {
            let result: Result<HTTPResponse, any Error>
            do {
                result = .success(try await CurrentCall.$presence.withValue(presence, operation: attempt))
            } catch {
                result = .failure(error)
            }
            // Until the one who waits goes on.
            defer { withExtendedLifetime(presence) {} }
            note(.ended(lane: lane, result))
        }
        state.withLock { $0.tasks.append(task) }
    }

    /// Whether there is a response that the one who waits has not seen yet.
    var hasResponse: Bool {
        state.withLock { state in
            state.events.contains { if case .ended(_, .success) = $0 { true } else { false } }
        }
    }

    /// Takes note of something that has happened. What happens after the end of the race is nobody's business.
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

    /// What has happened next. Cancelling the task ends the wait at once.
    func next() async throws -> Event {
        let wait = CurrentCall.presence.map { CallWait(of: $0) }
        defer { wait?.end() }
        return try await waitCancellably { turn in
            let result = state.withLock { state -> Result<Event, any Error>? in
                if Task.isCancelled { return .failure(CancellationError()) }
                if !state.events.isEmpty { return .success(state.events.removeFirst()) }
                state.waiter = turn
                state.wait = wait
                return nil
            }
            if let result { turn.resume(with: result) } else { wait?.begin() }
        } withdraw: { [self] in
            let (waiter, tasks) = state.withLock { ($0.waiter.take(), $0.tasks) }
            wait?.end()
            // Now, and not when the one who waits goes on: until then they could still send something.
            for task in tasks { task.cancel() }
            return waiter
        }
    }

    /// Ends the race: what still runs is cancelled, and what comes of it is thrown away.
    ///
    /// It is not waited for: code on the way that does not heed a cancellation must not hold up its call.
    func stop() {
        var over = State()
        over.isOver = true
        let former = state.withLock { state in
            swap(&state, &over)
            return over.tasks
        }
        for task in former { task.cancel() }
    }
}
