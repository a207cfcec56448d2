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

/// An error that wraps another one, which awaiting throws in its place.
package protocol ErrorCarrier: Error {
    var thrown: any Error { get }
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
