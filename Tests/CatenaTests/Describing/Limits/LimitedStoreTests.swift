import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaFleet

/// A store that never responds, even if the calling task is cancelled.
private final class SilentStore: SharedStore {
    let asked = Recorder<String>()
    private let waiting = Mutex<[UnsafeContinuation<Void, Never>]>([])

    private func wait(_ operation: String) async {
        await withUnsafeContinuation { continuation in
            waiting.withLock { $0.append(continuation) }
            asked.note(operation)
        }
    }

    /// Resumes all operations, so that no task of a test remains.
    func release() {
        let continuations = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for continuation in continuations { continuation.resume() }
    }

    func read(_ keys: [String]) async throws -> SharedReading {
        await wait("read")
        return SharedReading(values: keys.map { _ in nil }, time: .zero)
    }

    func write(_ value: Data?, for key: String, lifetime: Duration) async throws { await wait("write") }

    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool {
        await wait("replace")
        return true
    }
}

@Suite("A shared store that does not respond", .limitedParallelism)
struct LimitedStoreTests {
    private static func perform(_ name: String, on store: any SharedStore) async throws {
        switch name {
        case "read": _ = try await store.read(["a"])
        case "write": try await store.write(nil, for: "a", lifetime: .seconds(9))
        default: _ = try await store.replace(nil, with: nil, for: "a", lifetime: .seconds(9))
        }
    }

    @Test(
        "each operation ends after five seconds, and the watch of the store receives the error",
        arguments: ["read", "write", "replace"])
    func operation(name: String) async throws {
        let (clock, store, heard) = (VirtualClock(), SilentStore(), Recorder<String>())
        defer { store.release() }
        let watch = OutageHandler(clock: clock) { _, error in heard.note((error as? APIError).map { "\($0.kind): \($0.message)" } ?? "fine")
        }
        let access = SharedAccess(store: store, outageHandler: watch)
        let outcome = Task { await access.attempt { try await Self.perform(name, on: $0) } != nil }
        await store.asked.reached(1)
        #expect(store.asked.events == [name])
        #expect(clock.delays == [.seconds(5)])
        clock.advance(by: .seconds(5))
        #expect(await outcome.value == false)
        #expect(heard.events == ["timeout: The shared store took longer than 5.0 seconds."])
    }

    @Test("a call continues without the store after five seconds, and one diagnostic reports that")
    func call() async throws {
        let (stubs, clock, store, heard) = (Stubs(), VirtualClock(), SilentStore(), Recorder<String>())
        defer { store.release() }
        stubs.get("/a").reply(.reply(data: 7))
        let client = Client(testing: stubs, clock: clock)
        client.onDiagnostic { if $0.kind == .sharedStore { heard.note($0.message) } }
        client.configureDefaults { defaults in
            defaults.host = "https://stubs.test"
            defaults.rateLimits = [RateLimit(10, per: .seconds(1))]
            defaults.sharedLimits = store
        }
        let value = Task { try await client.get("/a").value(as: Int.self) }
        await store.asked.reached(1)
        #expect(stubs.requests.isEmpty)
        clock.advance(by: .seconds(5))
        #expect(try await value.value == 7)
        await heard.reached(1)
        #expect(heard.count == 1)
    }
}
