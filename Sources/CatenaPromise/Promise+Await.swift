extension Promise {
    /// Awaits the value.
    ///
    /// Throws the error of a rejected promise, `CancellationError` for a cancelled one. Cancelling the awaiting task withdraws its
    /// interest, which cancels the promise if nobody else wants it.
    @inlinable
    public var value: Value {
        get async throws {
            // A promise that is settled already costs no suspension.
            if let outcome = core.takeOutcome() { return try outcome.result(as: Value.self).get() }
            return try await core.awaitOutcome().result(as: Value.self).get()
        }
    }

    /// Awaits the outcome without throwing.
    public var result: Result<Value, any Error> {
        get async {
            if let outcome = core.takeOutcome() { return outcome.result(as: Value.self) }
            return await core.awaitOutcome().result(as: Value.self)
        }
    }
}

extension PromiseCore {
    @usableFromInline
    func awaitOutcome() async -> Outcome {
        let consumer = PromiseConsumer()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                // The reaction runs exactly once: either the source settles or the consumer is cancelled.
                let waiting = derive(on: .direct, interest: .any) { outcome in
                    continuation.resume(returning: outcome)
                    return .settle(outcome.seen)
                }
                consumer.register(waiting)
            }
        } onCancel: {
            consumer.cancel()
        }
    }
}
