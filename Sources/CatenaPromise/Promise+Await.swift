extension Promise {
    /// Awaits the value.
    ///
    /// A rejected promise throws its error: of a call an `APIError`, or the backend's own error if it defines one. A cancelled promise
    /// throws a `CancellationError`. If the awaiting task is cancelled, the promise is cancelled, too, unless another promise or task
    /// waits for it.
    @inlinable
    public var value: Value {
        get async throws {
            // A promise that is settled already costs no suspension.
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

/// An error that is there for the sake of another one, which is what awaiting throws.
package protocol ErrorCarrier: Error {
    var thrown: any Error { get }
}

extension Outcome {
    /// What awaiting gives.
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
