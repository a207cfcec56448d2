/// A task that is suspended until somebody has a result for it.
struct Turn<Value: Sendable>: Sendable {
    private let continuation: CheckedContinuation<Value, any Error>
    fileprivate let wait: CallWait?

    fileprivate init(_ continuation: CheckedContinuation<Value, any Error>, _ wait: CallWait?) {
        self.continuation = continuation
        self.wait = wait
    }

    func resume(with result: Result<Value, any Error>) {
        // First, so that the call does not look as if it waited when it does not any more.
        wait?.end()
        continuation.resume(with: result)
    }

    func resume(throwing error: any Error) { resume(with: .failure(error)) }
}

extension Turn<Void> {
    func resume() { resume(with: .success(())) }
}

/// Suspends the task until its turn comes. Cancelling the task ends the wait at once.
///
/// - Parameters:
///   - enter: Puts the turn where it will be found; must look at `Task.isCancelled` under the lock that `withdraw` takes, since the
///     cancellation may come first.
///   - withdraw: Takes the turn away from there; `nil` if its result is on the way already, which then counts.
func awaitTurn<Value: Sendable>(
    enter: (Turn<Value>) -> Void,
    withdraw: @escaping @Sendable () -> Turn<Value>?
) async throws -> Value {
    try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            let turn = Turn(continuation, CurrentCall.presence.map { CallWait(of: $0) })
            enter(turn)
            turn.wait?.begin()
        }
    } onCancel: {
        withdraw()?.resume(throwing: CancellationError())
    }
}
