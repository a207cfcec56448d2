#if canImport(Combine)
public import Combine

extension Promise {
    /// The promise as a publisher of one value. Cancelling the subscription cancels the promise, unless another promise or task waits for
    /// it.
    public var publisher: AnyPublisher<Value, any Error> {
        Deferred { () -> AnyPublisher<Value, any Error> in
            let consumer = PromiseConsumer()
            return Future<Value, any Error> { fulfil in
                // Safe, because the reaction calls it only once.
                nonisolated(unsafe) let fulfil = fulfil
                consumer.register(
                    core.derive(interest: .any) { outcome in
                        fulfil(outcome.result(as: Value.self))
                        return .settle(outcome.seen)
                    })
            }
            .handleEvents(receiveCancel: { consumer.cancel() })
            .eraseToAnyPublisher()
        }
        .eraseToAnyPublisher()
    }
}
#endif
