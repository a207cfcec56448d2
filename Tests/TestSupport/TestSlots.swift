import CatenaPromise
import Foundation

/// The places for tests that run at the same time: enough that no core is idle, and so few that each test gets on.
///
/// A thousand tests at once would wait for one another, and their calls would meet limits that are there for calls that hang.
package enum TestSlots {
    private struct State: Sendable {
        var free = 2 * ProcessInfo.processInfo.activeProcessorCount
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// How many of them have had their turn.
        var served = 0

        mutating func next() -> CheckedContinuation<Void, Never>? {
            guard served < waiting.count else {
                free += 1
                return nil
            }
            defer { served += 1 }
            return waiting[served]
        }
    }

    private static let state: Monitor<State> = {
        // Whatever proxy the environment names: the servers of the tests are on this machine, and URLSession heeds it.
        if getenv("no_proxy") == nil, getenv("NO_PROXY") == nil { setenv("no_proxy", "127.0.0.1,localhost", 1) }
        // Tests let promises fail unseen by the thousand. With this they can be looked at.
        if getenv("CATENA_UNHANDLED") == nil { PromiseDiagnostics.onUnhandledError = nil }
        return Monitor(State())
    }()

    /// Runs a test once there is a place for it, in the order in which they come.
    ///
    /// - Parameter hangs: Is called if the test does not end. It is cancelled then.
    package static func run(_ test: @escaping @Sendable () async throws -> Void, hangs: @escaping @Sendable () -> Void) async throws {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        defer { state.withLock { $0.next() }?.resume() }
        try await watched(test, hangs)
    }

    /// Cancels a test that takes so long that it has to be waiting for something that never comes.
    private static func watched(_ test: @escaping @Sendable () async throws -> Void, _ hangs: @escaping @Sendable () -> Void) async throws {
        let task = Task { try await test() }
        let watch = DispatchWorkItem {
            hangs()
            task.cancel()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(600), execute: watch)
        defer { watch.cancel() }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
