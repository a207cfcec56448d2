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
