import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Retried calls", .limitedParallelism)
struct RetryCallTests {
    let stubs = Stubs()

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPMethod.get
        var policy = RetryPolicy.exponential(limit: 2)
        let replies: [StubReply]
        let calls: Int
        let waited: Duration
        let succeeds: Bool

        init(
            _ description: String, _ method: HTTPMethod = .get, _ policy: RetryPolicy = .exponential(limit: 2), _ replies: [StubReply],
            calls: Int, waited: Duration, succeeds: Bool
        ) {
            testDescription = description
            self.method = method
            self.policy = policy
            self.replies = replies
            self.calls = calls
            self.waited = waited
            self.succeeds = succeeds
        }

        static let dated = StubReply.status(503).header("Date", "Sun, 06 Nov 1994 08:49:37 GMT")

        /// GitHub sends its reset as a date, ten seconds after the server's time.
        static func limited(_ left: String) -> StubReply {
            .status(403).header("Date", "Sun, 09 Sep 2001 01:46:40 GMT").header("X-RateLimit-Remaining", left)
                .header("X-RateLimit-Reset", "1000000010")
        }

        static let all = [
            Row("limit 2", [.status(503)], calls: 3, waited: .milliseconds(1500), succeeds: false),
            Row("limit 4", .get, .exponential(limit: 4), [.status(503)], calls: 5, waited: .milliseconds(7500), succeeds: false),
            Row("never", .get, .never, [.status(503)], calls: 1, waited: .zero, succeeds: false),
            Row(
                "a lost connection, then a response", [.connectionLost, .reply(data: 1)], calls: 2, waited: .milliseconds(500),
                succeeds: true),
            Row("408", [.status(408), .reply(data: 1)], calls: 2, waited: .milliseconds(500), succeeds: true),
            Row("425", [.status(425), .reply(data: 1)], calls: 2, waited: .milliseconds(500), succeeds: true),
            Row("404", [.status(404)], calls: 1, waited: .zero, succeeds: false),
            Row("401", [.status(401)], calls: 1, waited: .zero, succeeds: false),
            Row("a business code", [.reply(code: 7)], calls: 1, waited: .zero, succeeds: false),
            Row("tls", [.tlsFailure], calls: 1, waited: .zero, succeeds: false),
            Row("not JSON", [.malformedJSON], calls: 1, waited: .zero, succeeds: false),
            Row("PUT", .put, [.status(503), .reply(data: 1)], calls: 2, waited: .milliseconds(500), succeeds: true),
            Row("DELETE", .delete, [.status(503), .reply(data: 1)], calls: 2, waited: .milliseconds(500), succeeds: true),
            Row("POST", .post, [.status(503)], calls: 1, waited: .zero, succeeds: false),
            Row("PATCH", .patch, [.connectionLost], calls: 1, waited: .zero, succeeds: false),
            Row(
                "Retry-After", [.status(503).header("Retry-After", "7"), .reply(data: 1)], calls: 2, waited: .milliseconds(7500),
                succeeds: true),
            Row(
                "a 403 of GitHub's rate limit", [limited("0"), .reply(data: 1)], calls: 2, waited: .milliseconds(10500), succeeds: true),
            Row(
                "a 403 with a Retry-After", [.status(403).header("Retry-After", "3s"), .reply(data: 1)], calls: 2,
                waited: .milliseconds(3500), succeeds: true),
            Row(
                "a 413 with a Retry-After", .put, [.status(413).header("Retry-After", "2"), .reply(data: 1)], calls: 2,
                waited: .milliseconds(2500), succeeds: true),
            Row("a 413 without a Retry-After", .put, [.status(413)], calls: 1, waited: .zero, succeeds: false),
            Row(
                "retry-after-ms", [.status(503).header("retry-after-ms", "250").header("Retry-After", "1"), .reply(data: 1)], calls: 2,
                waited: .milliseconds(750), succeeds: true),
            Row("a 403 with requests left", [limited("1")], calls: 1, waited: .zero, succeeds: false),
            Row(
                "RateLimit", [.status(429).header("RateLimit", "\"a,b\";r=9;t=90, \"c\";r=0;t=7"), .reply(data: 1)], calls: 2,
                waited: .milliseconds(7500), succeeds: true),
            Row(
                "POST, which the policy names", .post, .exponential(limit: 2, methods: [.post]), [.status(503)], calls: 3,
                waited: .milliseconds(1500), succeeds: false),
            Row(
                "GET, which the policy does not name", .get, .exponential(limit: 2, methods: [.post]), [.status(503)], calls: 1,
                waited: .zero, succeeds: false),
            Row(
                "Retry-After, a date", [dated.header("Retry-After", "Sun, 06 Nov 1994 08:49:47 GMT"), .reply(data: 1)], calls: 2,
                waited: .milliseconds(10500), succeeds: true),
            Row(
                "Retry-After, in the past", [dated.header("Retry-After", "Sun, 06 Nov 1994 08:49:00 GMT"), .reply(data: 1)], calls: 2,
                waited: .milliseconds(500), succeeds: true),
            Row(
                "Retry-After, too long", [.status(429).header("Retry-After", "86400"), .reply(data: 1)], calls: 1, waited: .zero,
                succeeds: false),
        ]

        init(
            _ description: String, _ replies: [StubReply], calls: Int, waited: Duration, succeeds: Bool
        ) {
            self.init(description, .get, replies, calls: calls, waited: waited, succeeds: succeeds)
        }

        init(
            _ description: String, _ method: HTTPMethod, _ replies: [StubReply], calls: Int, waited: Duration, succeeds: Bool
        ) {
            self.init(description, method, .exponential(limit: 2), replies, calls: calls, waited: waited, succeeds: succeeds)
        }
    }

    @Test("the number of attempts, and the waits between them", arguments: Row.all)
    func rows(_ row: Row) async {
        stubs.on(nil, "/a").reply { call in row.replies[min(call.attempt, row.replies.count) - 1] }
        let result = await Client(testing: stubs).method(row.method).path("/a").retry(row.policy).execute(as: Int.self).result
        #expect(stubs.requests.count == row.calls)
        #expect(stubs.clock.now == row.waited)
        #expect((try? result.get()) == (row.succeeds ? 1 : nil))
        if case .failure(let error) = result { #expect((error as? APIError)?.attempts == row.calls) }
    }

    @Test("a business code of the policy is retried, whatever the status")
    func businessCode() async throws {
        stubs.get("/a").sequence(.reply(code: "BUSY"), .reply(data: 1))
        var policy = RetryPolicy.exponential(limit: 1)
        policy.codes = ["BUSY"]
        #expect(try await Client(testing: stubs).get("/a").retry(policy).value(as: Int.self) == 1)
    }

    @Test("a POST with an idempotency key is retried, and each run has its own key")
    func idempotencyKey() async throws {
        stubs.post("/a").sequence(.status(503), .connectionLost, .reply(data: 1), .status(503), .reply(data: 2))
        let request = Client(testing: stubs).post("/a").json(["n": 1]).set(\.idempotencyKey, .random).retry(.exponential(limit: 2))
        try await request.execute(.void).value
        try await request.execute(.void).value
        let keys = stubs.requests.compactMap { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 5)
        #expect(Set(keys.prefix(3)).count == 1)
        #expect(Set(keys).count == 2)
        stubs.put("/b").reply(data: 1)
        try await Client(testing: stubs).put("/b").set(\.idempotencyKey, "order-7").execute(.void).value
        #expect(stubs.requests.last?.headers["Idempotency-Key"] == "order-7")
    }

    @Test("the calls of a tag share its retry budget, and a call with another policy does not change it")
    func budget() async {
        stubs.get("/a").reply(status: 503)
        let client = Client(testing: stubs)
        var policy = RetryPolicy.exponential(limit: 3)
        policy.budget = RetryBudget(reserve: 2, share: 0)
        for _ in 0..<2 {
            _ = await client.get("/a").retry(policy).execute(.void).result
            _ = await client.get("/a").retry(.never).execute(.void).result
        }
        #expect(stubs.requests.count == 6)
    }

    @Test("the deadline includes the waits, and its error contains the failure before it")
    func deadline() async {
        stubs.get("/a").reply(status: 503)
        let request = Client(testing: stubs).get("/a").retry(.exponential(limit: 9, baseDelay: .seconds(1))).deadline(.seconds(2))
        let call: Promise<Void> = request.execute(.void)
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout)
        #expect((error?.underlying as? APIError)?.status == 503)
        #expect(error?.attempts == 2)
        #expect(stubs.requests.count == 2)
        #expect(stubs.clock.now == .seconds(2))
    }

    @Test("the changes of an interceptor before the retry stage apply to every attempt")
    func interceptedBefore() async throws {
        stubs.on(.put, "/b").sequence(.status(503), .reply(data: 1))
        let client = Client(testing: stubs)
        client.commonHeaders { _ in ["X-Common": "1"] }
        client.intercept("outer", .before(.retry)) { call, next in
            var call = call
            call.request.headers["X-Outer"] = "1"
            call.request.headers.remove("X-Common")
            call.request.body = Data("changed".utf8)
            call.request.address = try HTTPAddress(parsing: "https://stubs.test/b?c=1")
            return try await next(call)
        }
        try await client.put("/a").body(Data("old".utf8), contentType: "text/plain").retry(.exponential(limit: 1)).execute(.void).value
        #expect(stubs.requests.map { $0.headers["X-Outer"] } == ["1", "1"])
        #expect(stubs.requests.map { $0.headers["X-Common"] } == [nil, nil])
        #expect(stubs.requests.map(\.text) == ["changed", "changed"])
        #expect(stubs.requests.map { $0.query("c") } == ["1", "1"])
    }

    @Test(
        "an interceptor that changes the address leaves the params of each attempt current",
        arguments: [503, 401],
        [
            ("https://gateway.test/g/a", HostRewrite(["stubs.test": "https://gateway.test/g"]).intercept),
            (
                "https://stubs.test/a/v2",
                { call, next in
                    var call = call
                    call.request.address.append(path: "/v2")
                    return try await next(call)
                }
            ),
        ] as [(String, Interceptor.Body)])
    func currentParams(status: Int, row: (address: String, change: Interceptor.Body)) async throws {
        let address = try HTTPAddress(parsing: row.address)
        stubs.on(.get, address.path).sequence(.status(status), .reply(data: 1))
        let client = Client(testing: stubs)
        let asked = Counter()
        client.commonParams { _ in
            asked.increment()
            return ["nonce": asked.count]
        }
        client.configureDefaults { $0.authentication = Authentication(CountingScheme(), store: MemoryCredentialStore(.first)) }
        client.intercept("address", .before(.retry), with: row.change)
        try await client.get("/a").params(["x": 1]).retry(.exponential(limit: 1)).authenticated().commonParams(.query).execute(.void).value
        #expect(stubs.requests.compactMap(\.sent?.address.origin) == [address.origin, address.origin])
        #expect(stubs.requests.map { $0.query("nonce") } == ["1", "2"])
        #expect(stubs.requests.map { $0.query("x") } == ["1", "1"])
    }

    @Test("the attempts of a call share one trace, and each has its own span")
    func trace() async throws {
        stubs.get("/a").sequence(.status(503), .status(401), .reply(data: 1))
        let client = Client(testing: stubs)
        client.configureDefaults { defaults in
            defaults.sendsTraceparent = true
            defaults.authentication = Authentication(CountingScheme(), store: MemoryCredentialStore(.first))
        }
        try await client.get("/a").retry(.exponential(limit: 1)).execute(.void).value
        let parents = stubs.requests.compactMap { $0.headers["traceparent"]?.split(separator: "-") }
        #expect(parents.count == 3)
        #expect(Set(parents.map { $0[1] }).count == 1)
        #expect(Set(parents.map { $0[2] }).count == 3)
    }

    @Test(
        "a call that an interceptor has moved to another origin has no trace",
        arguments: [Interceptor.Position.after(.retry), .after(.authentication)])
    func movedTrace(position: Interceptor.Position) async throws {
        stubs.get("/a").reply(data: 1)
        let client = Client(testing: stubs)
        client.configureDefaults { $0.sendsTraceparent = true }
        client.intercept("elsewhere", position) { call, next in
            var call = call
            call.request.address = try HTTPAddress(parsing: "https://other.example.com/a")
            return try await next(call)
        }
        try await client.get("/a").execute(.void).value
        #expect(stubs.requests.map { $0.headers["traceparent"] } == [nil])
        // A trace that the interceptor itself sets is sent.
        client.intercept("own", position) { call, next in
            var call = call
            call.request.headers["traceparent"] = "00-1-2-01"
            return try await next(call)
        }
        try await client.get("/a").execute(.void).value
        #expect(stubs.requests.map { $0.headers["traceparent"] } == [nil, "00-1-2-01"])
    }
}
