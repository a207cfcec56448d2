extension Promise {
    /// Awaits the value.
    ///
    /// A rejected promise throws its error. A call's error is an `APIError`, or the backend's own error if it defines one. A cancelled promise
    /// throws a `CancellationError`. If the awaiting task is cancelled, the promise is cancelled, too, unless another promise or task waits for it.
    @inlinable
    public var value: Value {
        get async throws {
            // Reading a settled promise needs no suspension.
            if let outcome = core.takeOutcome() { return try outcome.value(as: Value.self) }
            return try await core.awaitOutcome().value(as: Value.self)
        }
    }

    /// Awaits the outcome without throwing. The error of a call is an `APIError`; that of a cancelled promise is a `CancellationError`.
    public var result: Result<Value, any Error> {
        get async {
            if let outcome = core.takeOutcome() { return outcome.result(as: Value.self) }
            return await core.awaitOutcome().result(as: Value.self)
        }
    }
}

extension Promise {
    /// Explains the error of a sequence of one value.
    @available(*, unavailable, message: "a promise has one value: write `try await promise.value`")
    public var values: AsyncThrowingStream<Value, any Error> { AsyncThrowingStream { continuation in continuation.finish() } }
}

/// An error that wraps another one, which awaiting throws in its place.
package protocol ErrorCarrier: Error {
    var thrown: any Error { get }
}

/// An error of a type that can also mean that work was cancelled.
package protocol PossibleCancellation: Error {
    var meansCancellation: Bool { get }
}

extension Outcome {
    /// Returns the value or throws the error, as awaiting does.
    @inlinable
    func value<Value: Sendable>(as type: Value.Type) throws -> Value {
        switch self {
        case .fulfilled(let box): return Box<Value>.open(box)
        case .rejected(let error, _): throw Self.thrown(error)
        case .cancelled: throw CancellationError()
        }
    }

    @usableFromInline
    static func thrown(_ error: any Error) -> any Error {
        (error as? any ErrorCarrier)?.thrown ?? error
    }
}

extension PromiseCore {
    @usableFromInline
    func awaitOutcome() async -> Outcome {
        let task = AwaitingTask()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in task.wait(for: self, continuation) }
        } onCancel: {
            task.cancel()
        }
    }
}

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
