/// A task that awaits a promise. It is woken once: by the outcome, or because it was cancelled, which may come before it waits.
final class AwaitingTask: Sendable {
    private struct State {
        /// `nil` before the task waits, and once it has been woken.
        var continuation: UnsafeContinuation<Outcome, Never>?
        /// The promise that knows of the task.
        var source: PromiseCore?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Whether the outcome still matters.
    var isWaiting: Bool { state.withLock { $0.continuation != nil } }

    func wait(for source: PromiseCore, _ continuation: UnsafeContinuation<Outcome, Never>) {
        state.withLock { $0.continuation = continuation }
        // Attached before it is known as the source, so that nobody withdraws an interest that is not there yet.
        source.attach(.task(self))
        let isCancelled = state.withLock { state in
            guard state.continuation != nil else { return false }
            if !state.isCancelled { state.source = source }
            return state.isCancelled
        }
        if isCancelled { leave(source) }
    }

    func wake(with outcome: Outcome) {
        var former = State()
        state.withLock { state in
            former.isCancelled = state.isCancelled
            former.continuation = state.continuation.take()
            former.source = state.source.take()
        }
        former.continuation?.resume(returning: outcome)
    }

    func cancel() {
        let source = state.withLock { state in
            state.isCancelled = true
            return state.source.take()
        }
        if let source { leave(source) }
    }

    /// The promise is cancelled too, unless somebody else waits for it.
    private func leave(_ source: PromiseCore) {
        source.cancel(for: .task(self))
        wake(with: .cancelled)
    }
}
