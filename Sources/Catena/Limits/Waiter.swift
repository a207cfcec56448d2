/// A task that is suspended until somebody has a result for it.
struct Waiter<Value: Sendable>: Sendable {
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

extension Waiter<Void> {
    func resume() { resume(with: .success(())) }
}

/// Suspends the task until its turn comes. Cancelling the task ends the wait at once.
///
/// - Parameters:
///   - enter: Puts the turn where it will be found; must look at `Task.isCancelled` under the lock that `withdraw` takes, since the
///     cancellation may come first.
///   - withdraw: Takes the turn away from there; `nil` if its result is on the way already, which then counts.
func waitCancellably<Value: Sendable>(
    enter: (Waiter<Value>) -> Void,
    withdraw: @escaping @Sendable () -> Waiter<Value>?
) async throws -> Value {
    try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            let turn = Waiter(continuation, CurrentCall.presence.map { CallWait(of: $0) })
            enter(turn)
            turn.wait?.begin()
        }
    } onCancel: {
        withdraw()?.resume(throwing: CancellationError())
    }
}

/// Runs an operation for a limited time.
///
/// When the time is over the operation's task is cancelled and the error is thrown at once, whether or not the operation heeds the
/// cancellation: a closure that waits for ever must not hold up its call.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration,
    on clock: any TimerClock,
    error: @autoclosure @escaping @Sendable () -> APIError,
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    guard limit > .zero else { throw error() }
    let promise = Promise<Value>(core: PromiseCore(origin: nil))
    // The time counts from here, however long it takes until the operation begins.
    let timer = clock.schedule(after: limit) { promise.core.settle(.rejected(error()), stopping: true) }
    defer { timer.cancel() }
    promise.core.run(operation)
    // Not its value: the error goes on as it is.
    return try await promise.result.get()
}
