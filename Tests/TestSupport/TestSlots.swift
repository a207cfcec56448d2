import CatenaPromise
import Foundation

#if canImport(CatenaURLSession)
import CatenaURLSession
#endif

/// The places for tests that run at the same time: enough to keep all cores busy, and few enough for each test to make progress.
///
/// A thousand tests at once would delay one another, and their calls would exceed time limits that are meant for hanging calls.
package enum TestSlots {
    private struct State: Sendable {
        var free = 2 * ProcessInfo.processInfo.activeProcessorCount
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The number of waiting tests that have been resumed.
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
        // The tests' servers run on this machine, and URLSession would use a proxy that the environment names.
        if getenv("no_proxy") == nil, getenv("NO_PROXY") == nil { setenv("no_proxy", "127.0.0.1,localhost", 1) }
        // Thousands of promises fail unhandled in tests. `CATENA_UNHANDLED` turns the reports of these errors on.
        if getenv("CATENA_UNHANDLED") == nil { PromiseDiagnostics.onUnhandledError = nil }
        // The transports are also tested over URLSession, which the environment selects.
        #if canImport(CatenaURLSession)
        URLSessionTransport.useWithoutLibcurl()
        #endif
        return Monitor(State())
    }()

    /// Runs a test once a place is free, in order of arrival.
    ///
    /// - Parameter hangs: Runs if the test does not end in time. The test is then cancelled.
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

    /// Cancels a test that runs so long that it must be hanging.
    private static func watched(_ test: @escaping @Sendable () async throws -> Void, _ hangs: @escaping @Sendable () -> Void) async throws {
        let task = Task { try await test() }
        let watch = DispatchWorkItem {
            hangs()
            task.cancel()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1200), execute: watch)
        defer { watch.cancel() }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
