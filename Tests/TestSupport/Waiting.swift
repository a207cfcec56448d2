/// Waits until the task is cancelled, and for nothing else.
package func untilCancelled() async {
    let (stream, source) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(source) {}
}

/// Waits for the first of two things, each of which stops waiting when it is cancelled.
package func either(_ one: @escaping @Sendable () async -> Void, or other: @escaping @Sendable () async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
        group.addTask { await one() }
        group.addTask { await other() }
        await group.next()
        group.cancelAll()
    }
}
