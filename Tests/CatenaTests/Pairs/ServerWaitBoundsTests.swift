import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Waits of a server that do not fit", .limitedParallelism)
struct ServerWaitBoundsTests {
    let stubs = Stubs()
    /// Advances by itself, so that a wait that must not be ends.
    private var clock: VirtualClock { stubs.clock }

    private func client(_ change: (inout Profile) -> Void) -> Client {
        let client = Client(testing: stubs)
        client.configure("forum", change)
        return client
    }

    @Test(
        "a wait that does not fit into the deadline ends the call at once, with the server's error", arguments: [503, 429], [false, true])
    func deadline(status: Int, dedupes: Bool) async throws {
        stubs.get("/a").sequence(.status(status).header("Retry-After", "30"), .reply(data: 1))
        let client = client { ($0.retry, $0.dedupe) = (.exponential(limit: 2), dedupes) }
        let error = await #expect(throws: APIError.self) {
            try await client.tag("forum").get("/a").deadline(.seconds(2)).value(as: Int.self)
        }
        #expect(error?.status == status)
        #expect(error?.retryAfter == .seconds(30))
        #expect(clock.now == .zero)
        #expect(stubs.requests.count == 1)
    }

    @Test("a wait that fits into the deadline is waited for")
    func fits() async throws {
        stubs.get("/a").sequence(.status(503).header("Retry-After", "30"), .reply(data: 1))
        let client = client { $0.retry = .exponential(limit: 2, baseDelay: .zero) }
        #expect(try await client.tag("forum").get("/a").deadline(.seconds(40)).value(as: Int.self) == 1)
        #expect(clock.now == .seconds(30))
    }

    @Test("a wait that exceeds the policy's longest ends the call at once, and nothing is sent early", arguments: [false, true])
    func longest(hasOwnDelay: Bool) async throws {
        stubs.get("/a").sequence(.status(503).header("Retry-After", "90"), .reply(data: 1))
        let policy = RetryPolicy.exponential(limit: 2, baseDelay: .zero)
        let client = client { $0.retry = hasOwnDelay ? policy.delay { _ in .seconds(1) } : policy }
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").value(as: Int.self) }
        #expect(error?.status == 503)
        #expect(error?.retryAfter == .seconds(90))
        #expect(clock.now == .zero)
        #expect(stubs.requests.count == 1)
    }

    @Test("a policy may wait longer")
    func longer() async throws {
        stubs.get("/a").sequence(.status(503).header("Retry-After", "90"), .reply(data: 1))
        var policy = RetryPolicy.exponential(limit: 2, baseDelay: .zero)
        policy.longestServerWait = .seconds(120)
        let client = client { [policy] in $0.retry = policy }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 1)
        #expect(clock.now == .seconds(90))
    }

    @Test("a pause of the tag lasts as long as the server asks, and calls in it fail at once with the rest of the wait")
    func pause() async throws {
        stubs.get("/a").sequence(.status(429).header("Retry-After", "300"), .reply(data: 1))
        let client = client { $0.rateLimits = [RateLimit(100, per: .seconds(1))] }
        let request = client.tag("forum").get("/a")
        await #expect(throws: APIError.self) { try await request.value(as: Int.self) }
        clock.advance(by: .seconds(100))
        let error = await #expect(throws: APIError.self) { try await request.value(as: Int.self) }
        #expect(error?.kind == .rateLimited)
        #expect(error?.retryAfter == .seconds(200))
        #expect(stubs.requests.count == 1)
        clock.advance(by: .seconds(200))
        #expect(try await request.value(as: Int.self) == 1)
    }

    @Test("a call whose turn comes after its deadline fails at once, with the wait")
    func turn() async throws {
        stubs.get("/a").sequence(.status(429).header("Retry-After", "30"), .reply(data: 1))
        let client = client { $0.rateLimits = [RateLimit(100, per: .seconds(1))] }
        let request = client.tag("forum").get("/a")
        await #expect(throws: APIError.self) { try await request.value(as: Int.self) }
        let error = await #expect(throws: APIError.self) { try await request.deadline(.seconds(2)).value(as: Int.self) }
        #expect(error?.kind == .rateLimited)
        #expect(error?.retryAfter == .seconds(30))
        #expect(clock.now == .zero)
    }

    @Test("a poll whose deadline comes before the server's wait ends at once, and its error has the wait")
    func pollDeadline() async throws {
        stubs.get("/job").reply(.reply(data: 1).header("Retry-After", "120"))
        let client = client { _ in }
        let error = await #expect(throws: APIError.self) {
            try await client.tag("forum").get("/job").deadline(.seconds(60)).poll(every: .seconds(1)) { (number: Int) in number == 2 }
        }
        #expect(error?.kind == .timeout)
        #expect(error?.retryAfter == .seconds(120))
        #expect(clock.now == .zero)
    }

    @Test("a poll sends nothing earlier than the server asks, and ends at once if the wait exceeds its deadline or an hour")
    func poll() async throws {
        stubs.get("/job").reply(.reply(data: 1).header("Retry-After", "7200"))
        let client = client { _ in }
        for request in [client.tag("forum").get("/job"), client.tag("forum").get("/job").deadline(.seconds(60))] {
            let error = await #expect(throws: APIError.self) {
                let calls = Counter()
                _ = try await request.poll(every: .seconds(1)) { (number: Int) in
                    calls.increment()
                    return number == 2 || calls.count > 3
                }
            }
            #expect(error?.retryAfter == .seconds(7200))
        }
        #expect(clock.now == .zero)
        #expect(stubs.requests.count == 2)
    }
}
