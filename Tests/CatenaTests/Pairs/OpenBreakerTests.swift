import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("What an open breaker stands for", .limitedParallelism)
struct OpenBreakerTests {
    let stubs = Stubs()

    private func client(clock: VirtualClock? = nil, _ change: (inout Profile) -> Void = { _ in }) -> Client {
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum") { forum in
            forum.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 2, pause: .seconds(5))
            change(&forum)
        }
        return client
    }

    /// A kept response, and the failures that open the breaker.
    struct Row: Sendable, CustomTestStringConvertible {
        let control: String
        let policy: CachePolicy
        let failure: StubReply
        let isUsed: Bool

        var testDescription: String { "\(control), \(policy.name)" }
    }

    private static let rows = [
        Row(control: "max-age=0, stale-if-error=600", policy: .protocol, failure: .status(503), isUsed: true),
        Row(control: "max-age=0", policy: .offline, failure: .connectionLost, isUsed: true),
        Row(control: "max-age=0", policy: .protocol, failure: .status(503), isUsed: false),
        Row(control: "max-age=0, stale-if-error=600, must-revalidate", policy: .protocol, failure: .status(503), isUsed: false),
    ]

    @Test("an open breaker stands for the failures that opened it: a kept response replaces its refusal", arguments: rows)
    func kept(row: Row) async throws {
        stubs.get("/a").sequence(.reply(data: 7).header("Cache-Control", row.control))
        stubs.get("/broken").reply(row.failure)
        let client = client { $0.cache = .memory(limit: 10_000) }
        let request = client.tag("forum").get("/a").cache(row.policy)
        #expect(try await request.value(as: Int.self) == 7)
        await #expect(throws: APIError.self) { try await client.tag("forum").get("/broken").value(as: Int.self) }
        #expect(client.circuitBreakerStatus(of: "forum") == .open)
        let result = await request.execute(as: Int.self).result
        #expect((try? result.get()) == (row.isUsed ? 7 : nil))
        if !row.isUsed { #expect(result.apiError?.kind == .circuitOpen) }
        #expect(stubs.requests.count == 2)
    }

    @Test("a refresh that fails at another host is no failure for the breaker of a call that was not sent")
    func refresh() async throws {
        let scheme = CountingScheme { _ in throw APIError(.connect) }
        let authentication = Authentication(scheme, store: MemoryCredentialStore(Stamp(number: 0, isStale: true)))
        let client = client { $0.authentication = authentication }
        stubs.get("/a").reply(data: 1)
        for _ in 0..<3 { await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").value(as: Int.self) } }
        #expect(client.circuitBreakerStatus(of: "forum") == .closed)
        #expect(try await client.tag("forum").get("/a").authenticated(false).value(as: Int.self) == 1)
    }

    @Test("an event stream waits while the breaker is open, and connects again afterwards")
    func events() async throws {
        let count = Counter()
        stubs.get("/feed").reply { _ in
            count.increment()
            return count.count < 3 ? .text("data: \(count.count)\n\n", contentType: "text/event-stream") : .status(204)
        }
        stubs.get("/broken").reply(status: 503)
        let client = client { $0.circuitBreaker?.minimumCalls = 1 }
        var data: [String] = []
        for try await event in client.tag("forum").get("/feed").events(reconnecting: .after(.seconds(3), limit: 3)) {
            data.append(event.data)
            if data.count == 1 {
                for _ in 0..<2 {
                    await #expect(throws: APIError.self) { try await client.tag("forum").get("/broken").value(as: Int.self) }
                }
            }
        }
        #expect(data == ["1", "2"])
    }

    /// A failure of a poll's second call, with a policy and headers that let a kept response replace it.
    static let polled: [(CachePolicy, StubReply)] = [(.protocol, .status(503)), (.offline, .offline)]

    @Test("a failing call of a poll ends it, and no kept response takes its place", arguments: polled.indices)
    func poll(index: Int) async throws {
        let (policy, failure) = Self.polled[index]
        stubs.get("/job").sequence(.reply(data: 1).header("Cache-Control", "max-age=0, stale-if-error=600"), failure)
        let client = Client(testing: stubs)
        client.configureDefaults { defaults in
            defaults.cache = .memory(limit: 10_000)
            defaults.cachePolicy = policy
        }
        let seen = Counter()
        await #expect(throws: APIError.self) {
            try await client.get("/job").poll(
                every: .seconds(2),
                until: { (number: Int) in
                    seen.increment()
                    return number == 2 || seen.count > 5
                })
        }
        #expect(seen.count == 1)
        #expect(stubs.requests.count == 2)
    }

    @Test("a call that says no-cache gets no response that the server has not confirmed (RFC 9111 §5.2.1.4)")
    func unconfirmed() async throws {
        stubs.get("/a").sequence(.reply(data: 7).header("Cache-Control", "max-age=600, stale-if-error=600"), .status(503))
        let client = Client(testing: stubs)
        client.configureDefaults { $0.cache = .memory(limit: 10_000) }
        #expect(try await client.get("/a").value(as: Int.self) == 7)
        let request = client.get("/a").header("Cache-Control", "no-cache")
        let error = await #expect(throws: APIError.self) { try await request.value(as: Int.self) }
        #expect(error?.status == 503)
    }

    @Test("a scope of stubs gives no response that the app's cache or another scope has kept, and leaves none")
    func scope() async throws {
        let cache = ResponseCache.memory(limit: 10_000)
        for number in 1...2 {
            let stubs = Stubs()
            stubs.get("/a").reply(.reply(data: number).header("Cache-Control", "max-age=600"))
            let outer = Stubs()
            try await outer.activate {
                // An outer scope stands for the app that has configured the tag before its tests.
                API.configure("pairs-cache") { profile in
                    profile.host = "https://forum.test"
                    profile.cache = cache
                }
                let value = try await stubs.activate { try await API.tag("pairs-cache").get("/a").value(as: Int.self) }
                #expect(value == number)
            }
        }
        #expect(cache.size == 0)
    }
}
