/// Runs an operation with a time limit.
///
/// When the limit passes, the operation's task is cancelled and the error is thrown at once. The operation need not respond to the cancellation, so
/// that a closure that never returns does not block its call.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration,
    on clock: any TimerClock,
    error: @autoclosure @escaping @Sendable () -> APIError,
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    guard limit > .zero else { throw error() }
    let promise = Promise<Value>(core: PromiseCore(origin: nil))
    // Start the time limit here, because the operation may begin later.
    let timer = clock.schedule(after: limit) { promise.core.settle(.rejected(error()), stopping: true) }
    defer { timer.cancel() }
    promise.core.run(operation)
    // Use `result` in place of `value`, so that the error stays unchanged.
    return try await promise.result.get()
}
