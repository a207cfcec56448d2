import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Calls with a cache", .limitedParallelism)
struct CacheCallTests {
    /// The client's date, which a test advances.
    final class Day: Sendable {
        private let seconds = Mutex(784_111_777.0)

        var date: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

        func pass(_ time: Double) { seconds.withLock { $0 += time } }
    }

    let stubs = Stubs()
    let day = Day()
    let client: Client

    init() {
        client = Client(transport: stubs, timers: stubs.clock, random: { 1 }, date: { [day] in day.date })
        client.configureDefaults { defaults in
            defaults.host = "https://stubs.test"
            defaults.cache = .memory(limit: 1_000_000)
        }
    }

    /// Responds with the number of responses so far.
    private func answer(_ headers: HTTPHeaders, at path: String = "/a") {
        let count = Counter()
        stubs.on(nil, path).reply { call in
            count.increment()
            var reply = StubReply.reply(data: count.count)
            for field in headers.fields { reply = reply.header(field.name, field.value) }
            return reply
        }
    }

    private func value(_ request: Request? = nil) async throws -> Int {
        try await (request ?? client.get("/a")).value(as: Int.self)
    }

    @Test("a fresh response is used for every result type; a stale one is not")
    func fresh() async throws {
        answer(["Cache-Control": "max-age=60"])
        #expect(try await value() == 1)
        day.pass(59)
        let response = try await client.get("/a").execute(.response(as: Int.self)).value
        #expect(response.payload == 1)
        #expect(response.source == .cache)
        #expect(response.headers["Age"] == "59")
        #expect(try await client.get("/a").execute(.string).value.contains("1"))
        #expect(try await client.get("/a").value().int == 1)
        #expect(stubs.requests.count == 1)
        day.pass(1)
        #expect(try await value() == 2)
    }

    @Test("a response that cannot be decoded as the requested type does not stay in the cache")
    func undecodable() async throws {
        stubs.get("/a").sequence(
            .reply(data: "broken").header("Cache-Control", "max-age=60"), .reply(data: 7).header("Cache-Control", "max-age=60"))
        await #expect(throws: APIError.self) { try await value() }
        #expect(try await value() == 7)
        #expect(try await value() == 7)
        #expect(stubs.requests.count == 2)
    }

    @Test("a stale response that the server confirms is used and fresh again")
    func confirmed() async throws {
        stubs.get("/a").header("If-None-Match", nil).reply(.reply(data: 7).header("ETag", "\"1\"").header("Cache-Control", "max-age=60"))
        stubs.get("/a").header("If-None-Match", "\"1\"")
            .reply(.status(304).header("ETag", "\"1\"").header("Cache-Control", "max-age=100"))
        #expect(try await value() == 7)
        day.pass(60)
        #expect(try await value() == 7)
        day.pass(99)
        #expect(try await value() == 7)
        #expect(stubs.requests.count == 2)
        day.pass(1)
        #expect(try await value() == 7)
        #expect(stubs.requests.count == 3)
    }

    @Test(
        "a 304 that forbids storing ends the use of the kept response",
        arguments: [["Cache-Control": "no-store"], ["Cache-Control": "max-age=60", "Vary": "*"]] as [HTTPHeaders])
    func forbidden(headers: HTTPHeaders) async throws {
        var confirmation = StubReply.status(304)
        for field in headers.fields { confirmation = confirmation.header(field.name, field.value) }
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        stubs.get("/a").sequence(
            .reply(data: 7).header("ETag", "\"1\"").header("Cache-Control", "max-age=60").header("Last-Modified", date), confirmation,
            .reply(data: 8))
        #expect(try await value() == 7)
        day.pass(864_000)
        #expect(try await value() == 7)
        #expect(try await value() == 8)
    }

    /// Changes that make the status 304 look like a success or like a failure to retry.
    private static let meaningsOf304: [@Sendable (inout Profile) -> Void] = [
        { $0.envelope = .standard.success(status: 304, 404) },
        { $0.retry = .exponential(limit: 3).when { $0.error.status != 404 } },
    ]

    @Test("a 304 confirms the kept response, whatever else the tag takes this status for", arguments: meaningsOf304.indices)
    func meaningOf304(index: Int) async throws {
        client.configureDefaults(Self.meaningsOf304[index])
        stubs.get("/a").sequence(
            .reply(data: 7).header("ETag", "\"1\"").header("Cache-Control", "max-age=0"), .status(304), .status(304), .reply(data: 8))
        for _ in 0..<3 { #expect(try await value() == 7) }
        #expect(try await value() == 8)
    }

    @Test("a response to which a redirect led back is not stored under the request without the cookie that the redirect set")
    func redirectedToItself() async throws {
        let jar = CookieJar()
        client.configureDefaults { defaults in
            defaults.cookieJar = jar
            defaults.cachePolicy = .expire(.seconds(60))
        }
        stubs.get("/me").reply { call in
            call.headers["Cookie"] == nil
                ? .status(302).header("Location", "/me").header("Set-Cookie", "sid=ann")
                : .reply(data: call.headers["Cookie"] == "sid=ann" ? 1 : 2)
        }
        #expect(try await value(client.get("/me")) == 1)
        jar.removeAll()
        _ = try await value(client.get("/me"))
        #expect(stubs.requests.count == 4)
    }

    @Test("the server's new response replaces a stale one")
    func replaced() async throws {
        answer(["ETag": "\"1\"", "Cache-Control": "max-age=60"])
        #expect(try await value() == 1)
        day.pass(60)
        #expect(try await value() == 2)
        #expect(try await value() == 2)
        #expect(stubs.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
    }

    @Test("every attempt sends the conditional headers")
    func conditionsAndRetry() async throws {
        stubs.get("/a").sequence(
            .reply(data: 7).header("ETag", "\"1\""), .status(503), .status(401), .status(304))
        client.configureDefaults { $0.authentication = Authentication(CountingScheme(), store: MemoryCredentialStore(.first)) }
        let request = client.get("/a").retry(.exponential(limit: 1))
        #expect(try await value(request) == 7)
        #expect(try await value(request) == 7)
        #expect(stubs.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", "\"1\"", "\"1\""])
    }

    @Test("a response within stale-while-revalidate is used at once, and any number of calls refresh it once")
    func staleWhileRevalidate() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        let count = Counter()
        stubs.get("/a").reply { _ in
            count.increment()
            if count.count > 1 { try await gate.value }
            return StubReply.reply(data: count.count).header("Cache-Control", "max-age=60, stale-while-revalidate=30")
        }
        #expect(try await value() == 1)
        day.pass(70)
        for _ in 0..<10 { #expect(try await value() == 1) }
        await count.reached(2)
        #expect(try await value() == 1)
        resolver.fulfill(())
        await CallRun(client.get("/a")).profile.cache?.renewals.keys.wait { $0.isEmpty }
        #expect(try await value() == 2)
        #expect(stubs.requests.count == 2)
    }

    @Test("a client is not idle while a response is refreshed in the background")
    func idleAfterRenewal() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        let (count, journal) = (Counter(), Recorder<String>())
        stubs.get("/a").reply { _ in
            count.increment()
            if count.count > 1 { try await gate.value }
            return StubReply.reply(data: count.count).header("Cache-Control", "max-age=60, stale-while-revalidate=30")
        }
        #expect(try await value() == 1)
        day.pass(70)
        #expect(try await value() == 1)
        let client = client
        let wait = Task {
            await client.waitUntilIdle()
            journal.note("idle")
        }
        await count.reached(2)
        await giveChances()
        #expect(journal.events == [])
        resolver.fulfill(())
        await wait.value
        #expect(try await value() == 2)
    }

    @Test(
        "a cached response replaces a failure where its headers or the policy allow that",
        arguments: [
            ("max-age=60, stale-if-error=60", CachePolicy.protocol, StubReply.status(503), true),
            ("max-age=60, stale-if-error=60", .protocol, .connectionLost, true),
            ("max-age=60, stale-if-error=60", .protocol, .status(404), false),
            ("max-age=60, stale-if-error=60", .protocol, .reply(code: 5), false),
            ("max-age=60", .protocol, .status(503), false), ("max-age=60", .protocol, .offline, false),
            ("max-age=60", .offline, .offline, true), ("max-age=60", .offline, .timeout, true),
            ("max-age=60", .offline, .status(503), false), ("no-store", .expire(.seconds(60)).orOffline, .offline, true),
        ])
    func standIn(_ control: String, _ policy: CachePolicy, _ failure: StubReply, _ isUsed: Bool) async throws {
        stubs.get("/a").sequence(.reply(data: 7).header("Cache-Control", control).header("ETag", "\"1\""), failure)
        let request = client.get("/a").cache(policy)
        #expect(try await value(request) == 7)
        day.pass(70)
        let later = await request.execute(.response(as: Int.self)).result
        #expect((try? later.get())?.payload == (isUsed ? 7 : nil))
        if isUsed { #expect(try later.get().source == .cache) }
        #expect(stubs.requests.count == 2)
    }

    @Test(
        "responses that are never cached",
        arguments: [
            StubReply.reply(code: 5).header("Cache-Control", "max-age=60"), .status(404), .status(410),
            .status(405).header("Cache-Control", "max-age=60"),
            .status(404).header("Cache-Control", "max-age=60, no-store"),
            .status(503).header("Cache-Control", "max-age=60"), .malformedJSON.header("Cache-Control", "max-age=60"),
            .reply(data: 1).header("Cache-Control", "no-store"), .reply(data: 1).header("Vary", "*"),
        ])
    func notKept(reply: StubReply) async {
        stubs.get("/a").reply(reply)
        for _ in 0..<2 { _ = await client.get("/a").execute(as: Int.self).result }
        #expect(stubs.requests.count == 2)
    }

    @Test("a 404 and a 410 are cached for as long as the server says, and fail the next call with an equal error", arguments: [404, 410])
    func absent(status: Int) async throws {
        stubs.get("/a").reply(.json(["code": 7, "message": "gone"], status: status).header("Cache-Control", "max-age=60"))
        var errors: [APIError?] = []
        for _ in 0..<2 { errors.append(await #expect(throws: APIError.self) { try await client.get("/a").value(as: Int.self) }) }
        #expect(stubs.requests.count == 1)
        #expect(errors[0] == errors[1])
        #expect(errors[1]?.status == status && errors[1]?.code == 7)
        day.pass(60)
        _ = await client.get("/a").execute(as: Int.self).result
        #expect(stubs.requests.count >= 2)
    }

    @Test("a cached response has no `Set-Cookie` header, and only its own user receives it")
    func cookies() async throws {
        answer(["Cache-Control": "max-age=60", "Set-Cookie": "sid=made-up"])
        let first = try await client.get("/a").execute(.response(as: Int.self)).value
        let again = try await client.get("/a").execute(.response(as: Int.self)).value
        #expect(again.source == .cache)
        #expect(first.headers["Set-Cookie"] == "sid=made-up" && again.headers["Set-Cookie"] == nil)
        client.configureDefaults { $0.authentication = Authentication(CountingUsers(), store: MemoryCredentialStore("one")) }
        #expect(try await client.get("/a").response(as: Int.self).payload == 2)
    }

    @Test(
        "a user never receives the cached response of another user",
        arguments: ["sign-in", "common header", "own header", "cookie", "nobody"])
    func users(_ difference: String) async throws {
        answer(["Cache-Control": "max-age=60"])
        let authentication = Authentication(CountingUsers(), store: MemoryCredentialStore("one"))
        let jar = CookieJar()
        let user = Recorder<String>()
        user.note("Bearer one")
        client.configureDefaults { defaults in
            defaults.authentication = authentication
            defaults.cookieJar = jar
        }
        client.commonHeaders { _ in ["Authorization": user.events.last] }
        let request = client.get("/a").header("X-User", "one")
        var later = request
        #expect(try await value(request) == 1)
        #expect(try await value(request) == 1)
        switch difference {
        case "sign-in": try authentication.signIn("two")
        case "common header": user.note("Bearer two")
        case "own header": later = request.header("X-User", "two")
        case "cookie": jar.set(try #require(Cookie(parsing: "sid=2", from: HTTPAddress(parsing: "https://stubs.test/"), at: Date())))
        default: later = request.authenticated(false)
        }
        #expect(try await value(later) == 2)
        #expect(try await value(later) == 2)
    }

    @Test("a cached response stays valid for its user after a sign-in with a new token")
    func sameUser() async throws {
        answer(["Cache-Control": "max-age=60"])
        let authentication = Authentication(CountingScheme(), store: MemoryCredentialStore(.first))
        client.configureDefaults { $0.authentication = authentication }
        #expect(try await value() == 1)
        try authentication.signIn(Stamp(number: 5))
        #expect(try await value() == 1)
    }

    @Test("a request that changes a resource invalidates the cached responses of its address only")
    func invalidated() async throws {
        answer(["Cache-Control": "max-age=60"])
        stubs.get("/b").reply(.reply(data: 1).header("Cache-Control", "max-age=60"))
        #expect(try await value() == 1)
        #expect(try await value(client.get("/b")) == 1)
        try await client.get("/a").execute(.void).value
        #expect(stubs.requests.count == 2)
        try await client.delete("/a").execute(.void).value
        #expect(try await value() == 3)
        #expect(try await value(client.get("/b")) == 1)
        #expect(stubs.requests(.get, to: "/b").count == 1)
    }

    @Test("a response is cached although its request has a signature in its address")
    func signed() async throws {
        answer(["Cache-Control": "max-age=60"])
        client.configureDefaults { $0.signer = ParameterSigner(.sha256, placement: .query("mark")) }
        #expect(try await value() == 1)
        #expect(try await value() == 1)
        #expect(stubs.requests.first?.query("mark") != nil)
    }

    @Test("the response of a redirect's target is not cached for the original address")
    func redirected() async throws {
        stubs.get("/a").reply(.status(302).header("Location", "/b"))
        answer(["Cache-Control": "max-age=60"], at: "/b")
        #expect(try await value() == 1)
        #expect(try await value() == 2)
    }

    @Test("calls share a cached response if they differ only in volatile params")
    func params() async throws {
        answer(["Cache-Control": "max-age=60"])
        let asked = Counter()
        client.commonParams { _ in
            asked.increment()
            return ["timestamp": asked.count, "nonce": "n\(asked.count)"]
        }
        #expect(try await value(client.get("/a").params(["page": 1])) == 1)
        #expect(try await value(client.get("/a").params(["page": 1])) == 1)
        #expect(try await value(client.get("/a").params(["page": 2])) == 2)
    }

    @Test(
        "a call obeys its own cache policy and `Cache-Control` header",
        arguments: ["never", "expire", "always", "only-if-cached", "no-cache"])
    func policies(_ name: String) async throws {
        answer(["Cache-Control": name == "no-cache" ? "max-age=60" : "no-cache"])
        switch name {
        case "never":
            for expected in 1...2 { #expect(try await value(client.get("/a").cache(.never)) == expected) }
        case "expire":
            let request = client.get("/a").cache(.expire(.seconds(30)))
            #expect(try await value(request) == 1)
            day.pass(29)
            #expect(try await value(request) == 1)
            day.pass(1)
            #expect(try await value(request) == 2)
        case "always":
            #expect(try await value(client.get("/a").cache(.always)) == 1)
            day.pass(1_000_000)
            #expect(try await value(client.get("/a").cache(.always)) == 1)
        case "only-if-cached":
            let error = await #expect(throws: APIError.self) {
                try await value(client.get("/a").header("Cache-Control", "only-if-cached"))
            }
            #expect(error?.status == 504)
            #expect(stubs.requests.isEmpty)
        default:
            #expect(try await value() == 1)
            #expect(try await value(client.get("/a").header("Cache-Control", "no-cache")) == 2)
            #expect(try await value() == 2)
        }
    }

    @Test("identical calls that find a stale response send one request")
    func staleCrowd() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        let count = Counter()
        stubs.get("/a").reply { _ in
            count.increment()
            if count.count > 1 { try await gate.value }
            return StubReply.reply(data: count.count).header("Cache-Control", "max-age=60")
        }
        let request = client.get("/a").set(\.dedupe, true)
        #expect(try await value(request) == 1)
        day.pass(60)
        let calls = (0..<5).map { _ in request.execute(as: Int.self) }
        let key = try #require(try DedupeKey(try await Preparation.call(of: CallRun(request)), needsPayload: true))
        let flights = CallRun(request).tagState.flights
        await flights.waiters(of: key, count: 5)
        resolver.fulfill(())
        for call in calls { #expect(try await call.value == 2) }
        #expect(stubs.requests.count == 2)
    }

    @Test("a response from the cache uses no limit, and passes only the interceptors before the cache")
    func order() async throws {
        answer(["Cache-Control": "max-age=60"])
        let outer = Counter()
        let inner = Counter()
        client.intercept("outer", .before(.cache)) { call, next in
            outer.increment()
            return try await next(call)
        }
        client.intercept("inner", .after(.cache)) { call, next in
            inner.increment()
            return try await next(call)
        }
        client.configureDefaults { defaults in
            defaults.rateLimits = [RateLimit(1, per: .seconds(1000))]
            defaults.maxConcurrentCalls = ConcurrencyLimit(1, maxWaiting: 0)
        }
        for _ in 0..<3 { #expect(try await value() == 1) }
        #expect(outer.count == 3)
        #expect(inner.count == 1)
    }

    @Test("an interceptor's change to a cached response is not cached")
    func interceptedAnswer() async throws {
        answer(["Cache-Control": "max-age=60"])
        let outer = client.intercept("outer", .before(.cache)) { call, next in
            var response = try await next(call)
            response.body = Data(#"{"code": 0, "data": 99}"#.utf8)
            return response
        }
        #expect(try await value() == 99)
        outer.end()
        #expect(try await value() == 1)
    }
}
