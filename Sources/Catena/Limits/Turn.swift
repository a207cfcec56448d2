/// A task that is suspended until somebody has a result for it.
typealias Turn<Value> = CheckedContinuation<Value, any Error>

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
        try await withCheckedThrowingContinuation { enter($0) }
    } onCancel: {
        withdraw()?.resume(throwing: CancellationError())
    }
}
