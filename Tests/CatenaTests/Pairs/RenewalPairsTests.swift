import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A response that `stale-while-revalidate` allows to be given while it is refreshed.
@Suite("Refreshes in the background and other settings", .limitedParallelism)
struct RenewalPairsTests {
    let stubs = Stubs()
    let client: Client
    private let gate = Promise<Void>.pending()
    private let keeper: Promise<Void>

    init() {
        client = Client(testing: stubs, clock: VirtualClock())
        client.configure("forum") { forum in
            forum.cache = .memory(limit: 10_000)
            forum.maxConcurrentCalls = ConcurrencyLimit(1, maxWaiting: 0)
        }
        let (count, promise) = (Counter(), gate.promise)
        keeper = promise.map {}
        stubs.get("/a").reply { _ in
            count.increment()
            guard count.count > 1 else { return .reply(data: 1).header("Cache-Control", "max-age=0, stale-while-revalidate=600") }
            try await promise.value
            return .reply(data: 2).header("Cache-Control", "max-age=600")
        }
        stubs.get("/b").reply(data: 3)
    }

    private var request: Request { client.tag("forum").get("/a") }

    /// Fills the cache, and waits until a call has begun a refresh.
    private func begin(_ request: Request) async throws {
        #expect(try await request.value(as: Int.self) == 1)
        #expect(try await request.value(as: Int.self) == 1)
        await stubs.requestsReceived(2)
    }

    @Test("a refresh in the background takes a place, as a call does")
    func place() async throws {
        try await begin(request)
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/b").value(as: Int.self) }
        #expect(error?.kind == .overloaded)
        gate.resolver.fulfill(())
        await client.waitUntilIdle()
        #expect(try await client.tag("forum").get("/b").value(as: Int.self) == 3)
    }

    @Test("cancelling all calls does not end a refresh in the background, whose call has its value already")
    func cancelled() async throws {
        try await begin(request)
        client.calls.cancelAll()
        gate.resolver.fulfill(())
        await client.waitUntilIdle()
        #expect(try await request.value(as: Int.self) == 2)
        #expect(stubs.requests.count == 2)
    }

    @Test("a refresh in the background continues after a shutdown")
    func shutdown() async throws {
        try await begin(request)
        client.shutdown()
        gate.resolver.fulfill(())
        await client.waitUntilIdle()
        #expect(stubs.requests.count == 2)
    }

    @Test("a refresh in the background shows no indicator") @MainActor
    func loading() async throws {
        let told = Recorder<Bool>()
        let request = request.loading { told.note($0) }
        _ = try await request.execute(as: Int.self).value
        _ = try await request.execute(as: Int.self).value
        await stubs.requestsReceived(2)
        await mainQueueIsEmpty()
        #expect(told.events == [true, false, true, false])
        gate.resolver.fulfill(())
        await client.waitUntilIdle()
        await mainQueueIsEmpty()
        #expect(told.events.count == 4)
    }
}
