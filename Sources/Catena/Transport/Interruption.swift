import Synchronization

/// Ends a transfer from outside with an error of its own, such as a time limit's, without a task for it.
final class Interruption: Sendable {
    private enum State {
        case idle
        case watching(@Sendable (any Error) -> Void)
        case interrupted(any Error)
    }

    private let state = Mutex(State.idle)
    /// What watches over the silences of the transfer, if anything does; transports tell it of every piece.
    let silence: Silence?

    init(silence: Silence? = nil) {
        self.silence = silence
    }

    /// Ends the transfer under way, and any that begins later.
    func interrupt(with error: any Error) {
        let handler = state.withLock { state -> (@Sendable (any Error) -> Void)? in
            defer { state = .interrupted(error) }
            guard case .watching(let handler) = state else { return nil }
            return handler
        }
        handler?(error)
    }

    /// Says how to end the transfer that is beginning; does so at once if it is interrupted already.
    func watch(_ handler: @escaping @Sendable (any Error) -> Void) {
        let error = state.withLock { state -> (any Error)? in
            if case .interrupted(let error) = state { return error }
            state = .watching(handler)
            return nil
        }
        if let error { handler(error) }
    }

    /// Runs work that an interruption ends at once, whether or not the work heeds the cancellation of its task.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let promise = Promise<Value>(core: PromiseCore(origin: nil))
        // Before the work begins, so that no interruption finds it unwatched.
        watch { error in promise.core.settle(.rejected(error), stopping: true) }
        promise.core.run(work)
        return try await promise.value
    }
}
