import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Kept responses and other settings", .limitedParallelism)
struct CachePairsTests {
    let stubs = Stubs()

    private func client(clock: VirtualClock? = nil, _ change: (inout Profile) -> Void = { _ in }) -> Client {
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum") { forum in
            forum.cache = .memory(limit: 10_000)
            change(&forum)
        }
        return client
    }

    /// The settings beside which a kept response replaces a failure.
    enum Beside: CaseIterable { case retries, hedge, askedWait }

    @Test("a kept response replaces a failure only after the last attempt, and needs no wait of the server", arguments: Beside.allCases)
    func standIn(beside: Beside) async throws {
        let counter = Counter()
        stubs.get("/a").reply { _ in
            counter.increment()
            if counter.count == 1 { return .reply(data: 7).header("Cache-Control", "max-age=0, stale-if-error=600") }
            let failure = StubReply.status(503)
            return beside == .askedWait ? failure.header("Retry-After", "20") : failure.delayed(by: .seconds(2))
        }
        var request = client().tag("forum").get("/a")
        #expect(try await request.value(as: Int.self) == 7)
        switch beside {
        case .retries: request = request.retry(.exponential(limit: 1, baseDelay: .zero))
        case .hedge: request = request.set(\.hedgeDelay, .seconds(1))
        case .askedWait: break
        }
        let response = try await request.response(as: Int.self)
        #expect(response.payload == 7)
        #expect(response.source == .cache)
        #expect(stubs.requests.count == (beside == .askedWait ? 2 : 3))
        if beside == .askedWait { #expect(stubs.clock.now < .seconds(20)) }
    }

    @Test("a missed deadline is no failure that a kept response replaces", arguments: [CachePolicy.protocol, .offline])
    func deadline(policy: CachePolicy) async throws {
        stubs.get("/a").sequence(
            .reply(data: 7).header("Cache-Control", "max-age=0, stale-if-error=600"), .reply(data: 8).delayed(by: .seconds(600)))
        let request = client().tag("forum").get("/a").cache(policy)
        #expect(try await request.value(as: Int.self) == 7)
        let error = await #expect(throws: APIError.self) { try await request.deadline(.seconds(1)).value(as: Int.self) }
        #expect(error?.kind == .timeout)
    }

    @Test("a timeout is a failure that a kept response replaces", arguments: [CachePolicy.protocol, .offline])
    func timeout(policy: CachePolicy) async throws {
        stubs.get("/a").sequence(
            .reply(data: 7).header("Cache-Control", "max-age=0, stale-if-error=600"), .reply(data: 8).delayed(by: .seconds(600)))
        let request = client().tag("forum").get("/a").cache(policy)
        #expect(try await request.value(as: Int.self) == 7)
        #expect(try await request.timeout(.seconds(1)).value(as: Int.self) == 7)
    }

    @Test("a kept response replaces the failure of a refresh whose server cannot be reached, for the same user")
    func unreachableRefresh() async throws {
        let scheme = CountingScheme { _ in throw APIError(.offline) }
        let authentication = Authentication(scheme, store: MemoryCredentialStore(.first))
        let client = client { $0.authentication = authentication }
        stubs.get("/a").reply(.reply(data: 7).header("Cache-Control", "max-age=0"))
        let request = client.tag("forum").get("/a").cache(.offline)
        #expect(try await request.value(as: Int.self) == 7)
        try authentication.signIn(Stamp(number: 5, isStale: true))
        #expect(try await request.value(as: Int.self) == 7)
        #expect(stubs.requests.count == 1)
        #expect(scheme.refreshed.count == 1)
    }

    @Test("a fresh response needs no refresh of an expired credential")
    func expired() async throws {
        let scheme = CountingScheme()
        let authentication = Authentication(scheme, store: MemoryCredentialStore(.first))
        let client = client { $0.authentication = authentication }
        stubs.get("/a").reply(.reply(data: 7).header("Cache-Control", "max-age=600"))
        let request = client.tag("forum").get("/a")
        #expect(try await request.value(as: Int.self) == 7)
        try authentication.signIn(Stamp(number: 5, isStale: true))
        #expect(try await request.value(as: Int.self) == 7)
        #expect(stubs.requests.count == 1)
        #expect(scheme.refreshed.count == 0)
    }

    @Test("a fresh response is given while the breaker is open, and takes neither a turn nor a place")
    func free() async throws {
        stubs.get("/a").reply(.reply(data: 7).header("Cache-Control", "max-age=600"))
        stubs.get("/broken").reply(status: 503)
        let client = client {
            $0.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 2)
            $0.rateLimits = [RateLimit(2, per: .seconds(7200))]
            $0.maxConcurrentCalls = ConcurrencyLimit(1, maxWaiting: 0)
        }
        let request = client.tag("forum").get("/a")
        #expect(try await request.value(as: Int.self) == 7)
        await #expect(throws: APIError.self) { try await client.tag("forum").get("/broken").value(as: Int.self) }
        #expect(client.circuitBreakerStatus(of: "forum") == .open)
        for _ in 0..<3 { #expect(try await request.value(as: Int.self) == 7) }
    }

    @Test("a page may be a kept response")
    func page() async throws {
        stubs.get("/a").query("page", 1).reply(.json(["items": [1], "total": 2]).header("Cache-Control", "max-age=600"))
        stubs.get("/a").query("page", 2).reply(.json(["items": [2], "total": 2]).header("Cache-Control", "max-age=600"))
        let request = client().tag("forum").get("/a")
        for _ in 0..<2 { #expect(try await request.items(of: Int.self).collected() == [1, 2]) }
        #expect(stubs.requests.count == 2)
    }

    @Test("streams, events and downloads share no response", arguments: [PairKind.stream, .events, .download])
    func unshared(kind: PairKind) async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            try await gate.value
            return kind.reply
        }
        let request = client(clock: VirtualClock()).tag("forum").get("/a").set(\.dedupe, true)
        let calls = (0..<2).map { _ in Task { try await kind.run(request) } }
        let stubs = stubs
        await stubs.requestsReceived(2)
        resolver.fulfill(())
        for call in calls { try await call.value }
    }
}
