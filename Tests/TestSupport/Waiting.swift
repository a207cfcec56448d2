/// Waits until the task is cancelled.
package func untilCancelled() async {
    let (stream, source) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(source) {}
}

/// Waits for the first of two operations and cancels the other. Each operation has to end when it is cancelled.
package func either(_ one: @escaping @Sendable () async -> Void, or other: @escaping @Sendable () async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
        group.addTask { await one() }
        group.addTask { await other() }
        await group.next()
        group.cancelAll()
    }
}
