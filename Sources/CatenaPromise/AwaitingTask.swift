/// A task that awaits a promise. It is resumed once, by the promise's outcome or by the task's cancellation. Either may happen before the task
/// waits.
final class AwaitingTask: Sendable {
    private struct State {
        /// The continuation, or `nil` before the task waits and after it was resumed.
        var continuation: UnsafeContinuation<Outcome, Never>?
        /// The awaited promise, once the task is attached to it.
        var source: PromiseCore?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Whether the task still waits. If not, the promise may drop it from its consumers.
    var isWaiting: Bool { state.withLock { $0.continuation != nil } }

    func wait(for source: PromiseCore, _ continuation: UnsafeContinuation<Outcome, Never>) {
        state.withLock { $0.continuation = continuation }
        // Attach before storing `source`, because `cancel()` detaches the task from `source` and must not do so before it is attached.
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

    /// Resumes the task as cancelled. Also cancels the promise, unless another consumer waits for it.
    private func leave(_ source: PromiseCore) {
        source.cancel(for: .task(self))
        wake(with: .cancelled)
    }
}
