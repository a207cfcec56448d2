import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Responses from another origin", .limitedParallelism)
struct ForeignAnswerTests {
    let stubs = Stubs()

    private func client(_ change: (inout Profile) -> Void) -> Client {
        let client = Client(testing: stubs)
        client.configure("forum") { forum in
            forum.host = "https://forum.test"
            change(&forum)
        }
        stubs.get("https://forum.test/a").reply(.status(302).header("Location", "https://other.test/b"))
        stubs.get("https://forum.test/ok").reply(data: 7)
        return client
    }

    @Test("a 429 from a redirect's target does not delay the calls of the tag; one from the backend does", arguments: [true, false])
    func rate(isForeign: Bool) async throws {
        let client = client { $0.rateLimits = [RateLimit(100, per: .seconds(1))] }
        stubs.get("https://other.test/b").reply(.status(429).header("Retry-After", "30"))
        stubs.get("https://forum.test/busy").reply(.status(429).header("Retry-After", "30"))
        await #expect(throws: APIError.self) { try await client.tag("forum").get(isForeign ? "/a" : "/busy").value() }
        #expect(try await client.tag("forum").get("/ok").value(as: Int.self) == 7)
        #expect(stubs.clock.now == (isForeign ? .zero : .seconds(30)))
    }

    @Test("errors of a redirect's target do not open the backend's circuit breaker", arguments: [500, nil])
    func breaker(status: Int?) async throws {
        var policy = CircuitBreakerPolicy()
        policy.minimumCalls = 1
        let client = client { $0.circuitBreaker = policy }
        stubs.get("https://other.test/b").reply { _ in
            guard let status else { throw APIError(.connect) }
            return .status(status)
        }
        for _ in 0..<3 { await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").value() } }
        #expect(try await client.tag("forum").get("/ok").value(as: Int.self) == 7)
    }

    @Test(
        "an interceptor that moves a call to another origin keeps its own headers and the call's, and drops the backend's",
        arguments: [Interceptor.Position.before(.start), .after(.retry), .before(.signing), .before(.transport)])
    func moved(position: Interceptor.Position) async throws {
        let client = client { forum in
            forum.headers = ["X-Tag": "secret"]
            forum.authentication = Authentication(PersonScheme(), store: MemoryCredentialStore(Person(name: "A")))
        }
        client.commonHeaders { _ in ["X-Common": "secret"] }
        client.intercept("move", position) { call, next in
            var call = call
            call.request.address = try HTTPAddress(parsing: "https://other.test/b")
            call.request.headers["X-New"] = "1"
            return try await next(call)
        }
        stubs.get("https://other.test/b").reply(data: 7)
        #expect(try await client.tag("forum").get("/a").header("X-Own", "1").value(as: Int.self) == 7)
        let headers = try #require(stubs.requests.first?.headers)
        #expect(["X-Tag", "X-Common", "Authorization"].compactMap { headers[$0] } == [])
        #expect(headers["X-New"] == "1" && headers["X-Own"] == "1" && headers["User-Agent"] == "Catena")
    }

    @Test("an interceptor that moves a call within the origin keeps all headers")
    func movedWithin() async throws {
        let client = client { forum in
            forum.headers = ["X-Tag": "1"]
            forum.authentication = Authentication(PersonScheme(), store: MemoryCredentialStore(Person(name: "A")))
        }
        client.intercept("move") { call, next in
            var call = call
            call.request.address = try HTTPAddress(parsing: "https://forum.test/ok")
            return try await next(call)
        }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
        #expect(stubs.requests.first?.headers["X-Tag"] == "1" && stubs.requests.first?.headers["Authorization"] == "A0")
    }

    @Test("a response from the cache and an error of an open breaker have zero attempts")
    func unsent() async throws {
        var policy = CircuitBreakerPolicy()
        policy.minimumCalls = 1
        let client = client { forum in
            forum.circuitBreaker = policy
            forum.cache = .memory(limit: 100_000)
        }
        stubs.get("https://forum.test/kept").reply(.reply(data: 1).header("Cache-Control", "max-age=60"))
        stubs.get("https://forum.test/down").reply(status: 500)
        let request = client.tag("forum").get("/kept")
        let first = try await request.execute(.response(as: Int.self)).value
        #expect(first.attempts == 1 && first.source == .stub)
        let second = try await request.execute(.response(as: Int.self)).value
        #expect(second.attempts == 0 && second.source == .cache)
        let down = await #expect(throws: APIError.self) { try await client.tag("forum").get("/down").value() }
        #expect(down?.attempts == 1)
        let open = await #expect(throws: APIError.self) { try await client.tag("forum").get("/down").value() }
        #expect(open?.kind == .circuitOpen)
        #expect(open?.attempts == 0)
    }
}
