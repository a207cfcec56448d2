extension Promise {
    /// Awaits the value.
    ///
    /// Throws the error of a rejected promise, `CancellationError` for a cancelled one. Cancelling the awaiting task withdraws its
    /// interest, which cancels the promise if nobody else wants it.
    public var value: Value {
        get async throws {
            try await result.get()
        }
    }

    /// Awaits the outcome without throwing.
    public var result: Result<Value, any Error> {
        get async {
            let outcome = await core.awaitOutcome()
            return outcome.result(as: Value.self)
        }
    }
}

extension PromiseCore {
    fileprivate func awaitOutcome() async -> Outcome {
        if let outcome = takeOutcome() { return outcome }
        let consumer = PromiseConsumer()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                // The reaction runs exactly once: either the source settles or the consumer is cancelled.
                let waiting = derive(interest: .any) { outcome in
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
