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

/// Connects the cancellation of a subscription with the promise derived for it. The cancellation may come before that promise is registered.
final class PromiseConsumer: Sendable {
    private enum State {
        case idle
        case waiting(PromiseCore)
        case cancelled
    }

    private let state = Mutex(State.idle)

    func register(_ core: PromiseCore) {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .waiting(core)
            return false
        }
        if isCancelled { core.cancel() }
    }

    func cancel() {
        let core = state.withLock { state -> PromiseCore? in
            defer { state = .cancelled }
            guard case .waiting(let core) = state else { return nil }
            return core
        }
        core?.cancel()
    }
}
