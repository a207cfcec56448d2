import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Shutting down and other settings", .limitedParallelism)
struct ShutdownPairsTests {
    let stubs = Stubs()
    let clock = VirtualClock()

    private func client(_ change: (inout Profile) -> Void) -> Client {
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum", change)
        return client
    }

    /// A wait before a request, during which the client is shut down.
    enum Wait: CaseIterable { case retry, rate, concurrency, hedge }

    @Test("a call that waits when the client is shut down is sent afterwards", arguments: Wait.allCases)
    func waiting(wait: Wait) async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/first").reply { _ in
            if wait == .concurrency { try await gate.value }
            return .reply(data: 1)
        }
        stubs.get("/a").sequence(
            wait == .retry ? .status(503).header("Retry-After", "10") : wait == .hedge ? .unanswered : .reply(data: 2), .reply(data: 2))
        let client = client { forum in
            switch wait {
            case .retry: forum.retry = .exponential(limit: 1, baseDelay: .zero)
            case .rate: forum.rateLimits = [RateLimit(1, per: .seconds(10))]
            case .concurrency: forum.maxConcurrentCalls = ConcurrencyLimit(1)
            case .hedge: forum.hedgeDelay = .seconds(10)
            }
        }
        let first = client.tag("forum").get("/first").execute(as: Int.self)
        let stubs = stubs
        await stubs.requestsReceived(1)
        if wait == .hedge { _ = try await first.value }
        let call = client.tag("forum").get("/a").execute(as: Int.self)
        if wait == .hedge || wait == .retry { await stubs.requestsReceived(2) }
        if wait != .concurrency { await clock.scheduled(.seconds(10)) }
        client.shutdown()
        resolver.fulfill(())
        clock.advance(by: .seconds(10))
        #expect(try await call.value == 2)
        _ = try await first.value
    }

    @Test("after a shutdown a call is refused, though its response is kept or another call could give it", arguments: [true, false])
    func refused(isOnce: Bool) async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/kept").reply(.reply(data: 1).header("Cache-Control", "max-age=600"))
        stubs.get("/a").reply { _ in
            try await gate.value
            return .reply(data: 2)
        }
        let client = client { $0.cache = .memory(limit: 10_000) }
        let kept = client.tag("forum").get("/kept")
        #expect(try await kept.value(as: Int.self) == 1)
        let request = isOnce ? client.tag("forum").get("/a").once() : client.tag("forum").get("/a").set(\.dedupe, true)
        let first = request.execute(as: Int.self)
        let stubs = stubs
        await stubs.requestsReceived(2)
        client.shutdown()
        for refused in [kept, request] {
            let error = await #expect(throws: APIError.self) { try await refused.value(as: Int.self) }
            #expect(error?.kind == .invalidRequest)
        }
        resolver.fulfill(())
        #expect(try await first.value == 2)
    }
}
