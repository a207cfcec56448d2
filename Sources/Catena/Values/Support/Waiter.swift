/// A suspended task that waits for a result. A class, because each copy of a continuation requests its metadata at run time.
package final class Waiter<Value: Sendable>: Sendable {
    private let continuation: CheckedContinuation<Value, any Error>
    fileprivate let wait: CallWait?

    fileprivate init(_ continuation: CheckedContinuation<Value, any Error>, _ wait: CallWait?) {
        self.continuation = continuation
        self.wait = wait
    }

    package func resume(with result: Result<Value, any Error>) {
        // End the wait first, because the call no longer waits once it is resumed.
        wait?.end()
        continuation.resume(with: result)
    }

    package func resume(throwing error: any Error) { resume(with: .failure(error)) }
}

extension Waiter<Void> {
    func resume() { resume(with: .success(())) }
}

/// Suspends the task until its waiter is resumed. Cancelling the task ends the wait at once.
///
/// - Parameters:
///   - enter: Stores the waiter. It must check `Task.isCancelled` under the lock that `withdraw` takes, because cancellation may come first.
///   - withdraw: Removes the waiter and returns it, or returns `nil` if its result has been determined. That result then takes precedence.
package func waitCancellably<Value: Sendable>(
    enter: (Waiter<Value>) -> Void,
    withdraw: @escaping @Sendable () -> Waiter<Value>?
) async throws -> Value {
    try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            let waiter = Waiter(continuation, CurrentCall.presence.map { CallWait(of: $0) })
            enter(waiter)
            waiter.wait?.begin()
        }
    } onCancel: {
        withdraw()?.resume(throwing: CancellationError())
    }
}
