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
    return try await promise.value
}
