import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A gate that opens when so many callers have arrived.
final class Crowd: Sendable {
    private let size: Int
    private let arrived = Counter()
    private let gate = Promise<Void>.pending()

    init(_ size: Int) {
        self.size = size
    }

    func arrive() async throws {
        arrived.increment()
        if arrived.count >= size { gate.resolver.fulfill(()) }
        try await gate.promise.value
    }
}

@Suite("Calls of a signed-in user", .limitedParallelism)
struct SignInCallTests {
    let stubs = Stubs()

    private func client(
        _ scheme: CountingScheme, _ stamp: Stamp? = .first, window: RefreshWindow? = .standard, clock: VirtualClock? = nil
    ) -> Client {
        client(Authentication(scheme, store: MemoryCredentialStore(stamp), window: window), clock: clock)
    }

    private func client(_ authentication: Authentication<CountingScheme>, clock: VirtualClock? = nil) -> Client {
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum") { forum in
            forum.host = "https://forum.test/api"
            forum.authentication = authentication
        }
        return client
    }

    private func accept(_ token: String, refusal: StubReply = .status(401)) {
        stubs.get("/a").reply { call in call.headers["X-Token"] == token ? .reply(data: 7) : refusal }
    }

    @Test(
        "a refused call refreshes its credential and is sent once more",
        arguments: [StubReply.status(401), .reply(code: 10001, message: "expired")])
    func replay(refusal: StubReply) async throws {
        let scheme = CountingScheme(rule: UnauthorizedRule(codes: [10001]))
        accept("a1", refusal: refusal)
        let response = try await client(scheme).tag("forum").get("/a").execute(.response(as: Int.self)).value
        #expect(response.payload == 7)
        #expect(response.attempts == 2)
        #expect(stubs.requests.map { $0.headers["X-Token"] } == ["a0", "a1"])
        #expect(scheme.counts == [2, 1, 1])
    }

    @Test("GraphQL: UNAUTHENTICATED in any of the errors refreshes the credential, and the call is sent once more")
    func graphQL() async throws {
        let scheme = CountingScheme()
        let errors =
            #"{"data":null,"errors":[{"message":"m","extensions":{"code":"NOT_FOUND"}},{"extensions":{"code":"UNAUTHENTICATED"}}]}"#
        accept("a1", refusal: .json(text: errors))
        let client = client(scheme)
        client.configure("forum") { $0.envelope = .graphQL }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
        #expect(stubs.requests.map { $0.headers["X-Token"] } == ["a0", "a1"])
    }

    @Test("1,000 callers that find one expired token refresh it once")
    func crowd() async throws {
        let count = 1000
        let scheme = CountingScheme()
        let crowd = Crowd(count)
        stubs.get("/a").reply { call in
            if call.headers["X-Token"] == "a1" { return .reply(data: 7) }
            try await crowd.arrive()
            return .status(401)
        }
        let client = client(scheme)
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count { group.addTask { try await client.tag("forum").get("/a").value(as: Int.self) } }
            return try await group.reduce(0, +)
        }
        #expect(values == 7 * count)
        #expect(scheme.counts == [2 * count, 1, count])
        #expect(stubs.requests.count == 2 * count)
    }

    @Test("a call that is refused twice is not sent a third time")
    func endless() async {
        let scheme = CountingScheme()
        accept("never")
        let error = await #expect(throws: APIError.self) { try await client(scheme).tag("forum").get("/a").value() }
        #expect(error?.status == 401)
        #expect(error?.attempts == 2)
        #expect(stubs.requests.count == 2)
        #expect(scheme.refreshed.count == 1)
    }

    @Test("a failed refresh fails all waiting calls, their retries do not repeat it, and the next call may refresh again")
    func failingRefresh() async throws {
        let fails = Counter()
        let (firstRefresh, resolver) = Promise<Void>.pending()
        let scheme = CountingScheme { stamp in
            defer { fails.increment() }
            if fails.count == 0 { try await firstRefresh.value }
            return Stamp(number: stamp.number + 1)
        }
        let crowd = Crowd(3)
        stubs.get("/a").reply { call in
            if call.headers["X-Token"] == "a1" { return .reply(data: 7) }
            if fails.count == 0 { try await crowd.arrive() }
            return .status(401)
        }
        let authentication = Authentication(scheme, store: MemoryCredentialStore(.first))
        let request = client(authentication).tag("forum").get("/a").retry(.exponential(limit: 3))
        let calls = (0..<3).map { _ in request.execute(as: Int.self) }
        await authentication.waiting(3)
        resolver.reject(APIError(.offline, message: "no network"))
        for call in calls {
            let error = await #expect(throws: APIError.self) { try await call.value }
            #expect(error?.kind == .offline)
            #expect((error?.underlying as? RefreshError)?.original?.status == 401)
        }
        #expect(scheme.counts == [3, 1, 3])
        #expect(try await request.value(as: Int.self) == 7)
        #expect(scheme.refreshed.count == 2)
    }

    @Test("a refresh that never responds ends all calls that wait for it with a timeout")
    func silentRefresh() async {
        let clock = VirtualClock()
        let (never, resolver) = Promise<Stamp>.pending()
        defer { withExtendedLifetime(resolver) {} }
        let scheme = CountingScheme { _ in try await never.value }
        accept("a1")
        let call = client(scheme, clock: clock).tag("forum").get("/a").execute()
        await clock.scheduled(.seconds(30))
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout)
        #expect(error?.underlying is RefreshError)
    }

    @Test("a call with `authenticated(false)` is sent without a credential")
    func without() async throws {
        let scheme = CountingScheme()
        stubs.get("/a").reply(status: 401)
        await #expect(throws: APIError.self) { try await client(scheme).tag("forum").get("/a").authenticated(false).value() }
        #expect(stubs.requests.map { $0.headers["X-Token"] } == [nil])
        #expect(scheme.counts == [0, 0, 0])
    }

    @Test(
        "a credential is sent only to the origin of the tag's host",
        arguments: [
            ("https://forum.test/elsewhere", true), ("https://forum.test:443/x", true), ("https://other.test/a", false),
            ("http://forum.test/a", false), ("https://forum.test:8443/a", false), ("https://forum.test.evil/a", false),
        ])
    func foreign(url: String, isHome: Bool) async throws {
        stubs.on(nil, "*").reply(status: 401)
        stubs.on(nil, "/**").reply(status: 401)
        let request = client(CountingScheme()).tag("forum").absoluteURL(url).get("")
        #expect(try await request.preview().headers["X-Token"] == (isHome ? "a0" : nil))
    }

    @Test("a refusal from a redirect's target does not refresh the credential")
    func foreignRefusal() async throws {
        let scheme = CountingScheme()
        stubs.get("/a").reply(.status(302).header("Location", "https://other.test/b"))
        stubs.get("https://other.test/b").reply(status: 401)
        let error = await #expect(throws: APIError.self) { try await client(scheme).tag("forum").get("/a").value() }
        #expect(error?.status == 401)
        #expect(scheme.counts.dropFirst() == [0, 0])
        #expect(stubs.requests.map { $0.headers["X-Token"] } == ["a0", nil])
    }

    @Test("a refusal at the tag's host does not refresh the credential if a redirect to another origin removed it")
    func refusalAfterDetour() async throws {
        let scheme = CountingScheme()
        stubs.get("/a").reply(.status(302).header("Location", "https://other.test/b"))
        stubs.get("https://other.test/b").reply(.status(302).header("Location", "https://stubs.test/c"))
        stubs.get("https://stubs.test/c").reply(status: 401)
        let client = client(scheme)
        client.configure("forum") { $0.host = "https://stubs.test" }
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").value() }
        #expect(error?.status == 401)
        #expect(scheme.counts.dropFirst() == [0, 0])
        #expect(stubs.requests.count == 3)
    }

    @Test("the call's own header overrides the credential in every attempt")
    func ownHeader() async throws {
        accept("never")
        let client = client(CountingScheme())
        await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").header("X-Token", "mine").value() }
        await #expect(throws: APIError.self) {
            try await client.tag("forum").get("/a").header("X-Token", "one").header("X-Token", adding: "two").value()
        }
        await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").header("X-Token", nil).value() }
        #expect(stubs.requests.map { $0.headers["X-Token"] } == ["mine", "mine", "one, two", "one, two", nil, nil])
    }

    @Test("an interceptor's changes are kept with the credential, and in the second sending")
    func intercepted() async throws {
        accept("a1")
        let client = client(CountingScheme())
        client.intercept("change") { call, next in
            var call = call
            call.request.headers["X-Own"] = "changed"
            call.request.headers["X-New"] = "added"
            call.request.headers.remove("X-Old")
            return try await next(call)
        }
        try await client.tag("forum").get("/a").header("X-Own", "1").header("X-Old", "1").execute(.void).value
        #expect(stubs.requests.map { $0.headers["X-Own"] } == ["changed", "changed"])
        #expect(stubs.requests.map { $0.headers["X-New"] } == ["added", "added"])
        #expect(stubs.requests.map { $0.headers["X-Old"] } == [nil, nil])
    }

    @Test("a preview shows the current credential and refreshes none")
    func preview() async throws {
        let scheme = CountingScheme()
        let client = client(scheme, Stamp(number: 3, isStale: true))
        #expect(try await client.tag("forum").get("/a").preview().headers["X-Token"] == "a3")
        #expect(scheme.refreshed.count == 0)
        #expect(stubs.requests.isEmpty)
        let error = await #expect(throws: APIError.self) {
            try await self.client(CountingScheme(), nil).tag("forum").get("/a").preview()
        }
        #expect(error?.kind == .missingCredential)
    }

    @Test("the requests of a refresh are sent without a credential and ignore the tag's limits")
    func refreshBypasses() async throws {
        let client = Client(testing: stubs)
        let scheme = CountingScheme { _ in
            Stamp(number: try await client.tag("forum").get("/token").value(as: Int.self))
        }
        client.configure("forum") { forum in
            forum.host = "https://forum.test"
            forum.authentication = Authentication(scheme, store: MemoryCredentialStore(.first))
            forum.maxConcurrentCalls = ConcurrencyLimit(1)
            forum.rateLimits = [RateLimit(1, per: .seconds(1000))]
        }
        stubs.get("/token").reply(data: 1)
        accept("a1")
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
        #expect(stubs.requests(to: "/token").map { $0.headers["X-Token"] } == [nil])
    }

    @Test("two tags refresh independently, unless they share a sign-in")
    func tags() async throws {
        let schemes = [CountingScheme(), CountingScheme()]
        let client = Client(testing: stubs)
        let shared = Authentication(schemes[0], store: MemoryCredentialStore(.first))
        client.configure("forum") { $0.authentication = shared }
        client.configure("files") { $0.authentication = shared }
        client.configure("wallet") { $0.authentication = Authentication(schemes[1], store: MemoryCredentialStore(.first)) }
        accept("a1")
        for tag in ["forum", "files", "wallet"] as [Catena.Tag] { try await client.tag(tag).get("/a").execute(.void).value }
        #expect(schemes.map(\.counts) == [[3, 1, 1], [2, 1, 1]])
    }

    @Test("a body that can be read only once is not sent again")
    func oneShot() async {
        let scheme = CountingScheme()
        stubs.post("/a").reply(status: 401)
        let stream = AsyncStream { $0.finish() } as AsyncStream<Data>
        let error = await #expect(throws: APIError.self) {
            try await client(scheme).tag("forum").post("/a").body(BodySource(stream: stream), contentType: "text/plain").value()
        }
        #expect(error?.message.contains("second time") == true)
        #expect(stubs.requests.count == 1)
    }

    @Test("the second sending after a refusal does not count as a retry")
    func replayAndRetry() async throws {
        let scheme = CountingScheme()
        stubs.get("/a").sequence(.status(401), .status(503), .status(503), .reply(data: 7))
        let response = try await client(scheme).tag("forum").get("/a").retry(.exponential(limit: 2)).execute(.response(as: Int.self)).value
        #expect(response.attempts == 4)
        #expect(stubs.requests.map(\.attempt) == [1, 2, 3, 4])
        #expect(stubs.clock.now == .milliseconds(1500))
    }
}
