import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The cached value and what the server's value waits for", .limitedParallelism)
struct ValuesPairsTests {
    let stubs = Stubs()
    let clock = VirtualClock()
    let client: Client

    init() {
        client = Client(testing: stubs, clock: clock)
        client.configure("forum") { $0.cache = .memory(limit: 10_000) }
    }

    private var request: Request { client.tag("forum").get("/a") }

    /// Fills the cache with 1, which the replies follow.
    private func fill(_ replies: StubReply...) async throws {
        let (count, first) = (Counter(), StubReply.reply(data: 1).header("Cache-Control", "max-age=600"))
        stubs.get("/a").reply { _ in
            count.increment()
            return ([first] + replies)[min(count.count - 1, replies.count)]
        }
        #expect(try await request.value(as: Int.self) == 1)
    }

    @Test("the cached value does not wait for the wait that the server asks for, and only the server's call is sent again")
    func retry() async throws {
        try await fill(.status(503).header("Retry-After", "20"), .reply(data: 2))
        var values = request.retry(.exponential(limit: 1, baseDelay: .zero)).values(of: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 1)
        await clock.scheduled(.seconds(20))
        clock.advance(by: .seconds(20))
        #expect(try await values.next() == 2)
        #expect(stubs.requests.count == 3)
    }

    @Test("the cached value does not wait for a second attempt, which only the server's call has")
    func hedge() async throws {
        try await fill(.unanswered, .reply(data: 2))
        var values = request.set(\.hedgeDelay, .seconds(1)).values(of: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 1)
        await clock.scheduled(.seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try await values.next() == 2)
        #expect(stubs.requests.count == 3)
    }

    @Test("the cached value does not wait for a turn, which the server's call takes")
    func rate() async throws {
        client.configure("forum") { $0.rateLimits = [RateLimit(1, per: .seconds(30))] }
        try await fill(.reply(data: 2))
        var values = request.values(of: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 1)
        await clock.scheduled(.seconds(30))
        clock.advance(by: .seconds(30))
        #expect(try await values.next() == 2)
    }

    @Test("the cached value does not wait for a place, which the server's call takes")
    func place() async throws {
        client.configure("forum") { $0.maxConcurrentCalls = ConcurrencyLimit(1) }
        try await fill(.reply(data: 2))
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/slow").reply { _ in
            try await gate.value
            return .reply(data: 3)
        }
        let slow = client.tag("forum").get("/slow").execute(as: Int.self)
        await stubs.requestsReceived(2)
        var values = request.values(of: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 1)
        #expect(stubs.requests.count == 2)
        resolver.fulfill(())
        #expect(try await slow.value == 3)
        #expect(try await values.next() == 2)
    }

    @Test("while the breaker is open, the cached value ends the sequence, and a diagnostic reports the refusal")
    func breaker() async throws {
        client.configure("forum") { $0.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 2) }
        try await fill(.reply(data: 2))
        stubs.get("/broken").reply(status: 503)
        await #expect(throws: APIError.self) { try await client.tag("forum").get("/broken").value(as: Int.self) }
        let reported = Recorder<DiagnosticEvent>()
        client.onDiagnostic { reported.note($0) }
        #expect(try await request.values(of: Int.self).collected() == [1])
        #expect(reported.events.map(\.kind) == [.unrefreshedValue])
        #expect(stubs.requests.count == 2)
    }

    @Test("the cached value does not wait for a refresh of the credential, which the server's call needs")
    func refresh() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        let scheme = CountingScheme { former in
            try await gate.value
            return Stamp(number: former.number + 1)
        }
        let authentication = Authentication(scheme, store: MemoryCredentialStore(.first))
        client.configure("forum") { $0.authentication = authentication }
        try await fill(.reply(data: 2))
        try authentication.signIn(Stamp(number: 5, isStale: true))
        var values = request.values(of: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 1)
        resolver.fulfill(())
        #expect(try await values.next() == 2)
        #expect(stubs.requests.last?.headers["X-Token"] == "a6")
    }

    @Test("a sequence that has begun gets the server's value after a shutdown")
    func shutdown() async throws {
        try await fill(.reply(data: 2))
        var values = request.values(of: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 1)
        client.shutdown()
        #expect(try await values.next() == 2)
    }

    @Test("a sequence joins no call in progress, whatever dedupe says")
    func dedupe() async throws {
        let count = Counter()
        stubs.get("/a").reply { _ in
            count.increment()
            return count.count == 2 ? .unanswered : .reply(data: count.count).header("Cache-Control", "max-age=0")
        }
        #expect(try await request.value(as: Int.self) == 1)
        let other = request.set(\.dedupe, true).execute(as: Int.self)
        await stubs.requestsReceived(2)
        #expect(try await request.set(\.dedupe, true).values(of: Int.self).collected() == [1, 3])
        other.cancel()
    }
}
