import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("A retry policy with closures of the app", .limitedParallelism)
struct RetryRulesTests {
    let stubs = Stubs()

    private var client: Client { Client(testing: stubs) }

    private static let always = RetryPolicy.exponential(limit: 2).when { _ in true }

    // MARK: The predicate

    @Test("the predicate decides in place of statuses, kinds, codes and categories", arguments: [true, false])
    func decides(answer: Bool) async {
        stubs.get("/404").reply(status: 404)
        stubs.get("/503").reply(status: 503)
        stubs.get("/7").reply(code: 7)
        stubs.get("/tls").reply(.tlsFailure)
        let request = client.request.retry(.exponential(limit: 2).when { _ in answer }).envelope(.standard.validation(7))
        for path in ["/404", "/503", "/7", "/tls"] {
            let before = stubs.requests.count
            let error = await request.get(path).execute(.void).result.apiError
            #expect(stubs.requests.count - before == (answer ? 3 : 1), "\(path)")
            #expect(error?.attempts == (answer ? 3 : 1))
        }
    }

    @Test("a predicate that says yes to everything stays within limit, budget and deadline")
    func bounded() async {
        stubs.get("/a").reply(status: 404)
        var policy = Self.always
        policy.budget = RetryBudget(reserve: 3, share: 0)
        for _ in 0..<3 { _ = await client.get("/a").retry(policy).execute(.void).result }
        // Each client has a budget of its own: three calls with two retries each.
        #expect(stubs.requests.count == 9)
        let shared = client
        for _ in 0..<3 { _ = await shared.get("/a").retry(policy).execute(.void).result }
        #expect(stubs.requests.count == 15)
        let start = stubs.clock.now
        let endless = RetryPolicy.exponential(limit: .max).when { _ in true }.delay { _ in .seconds(1) }
        let error = await client.get("/a").retry(endless).deadline(.milliseconds(3500)).execute(.void).result.apiError
        #expect(error?.kind == .timeout)
        #expect(stubs.clock.now - start == .milliseconds(3500))
        #expect(stubs.requests.count == 19)
    }

    @Test("the closures see error, response, attempt and request")
    func seen() async throws {
        stubs.get("/rooms/7").sequence(
            .reply(code: "BUSY", message: "later"), .status(503).header("Retry-After", "4").header("X-Trace", "t"), .connectionLost,
            .reply(data: 1))
        let failures = Recorder<FailedAttempt>()
        let policy = RetryPolicy.exponential(limit: 3).when { failure in
            failures.note(failure)
            return true
        }
        let request = client.get("/rooms/7").header("X-Own", "o").retry(policy)
        #expect(try await request.value(as: Int.self) == 1)
        let seen = failures.events
        #expect(seen.map(\.attempt) == [1, 2, 3])
        #expect(seen.map(\.error.code) == ["BUSY", 503, APIError(.connectionLost).code])
        #expect(seen.map(\.response?.status) == [200, 503, nil])
        #expect(seen.map(\.retryAfter) == [nil, .seconds(4), nil])
        #expect(seen.map(\.isTransient) == [false, true, true])
        #expect(seen[1].response?.headers["X-Trace"] == "t")
        #expect(
            seen.allSatisfy { $0.request.method == .get && $0.request.address.path == "/rooms/7" && $0.request.headers["X-Own"] == "o" })
        #expect("\(seen[0])".hasPrefix("attempt 1 of GET https://stubs.test/rooms/7: "))
    }

    @Test("isTransient continues with the policy's own reasons")
    func transient() async throws {
        stubs.get("/a").sequence(.status(503), .status(409), .reply(data: 1))
        let policy = RetryPolicy.exponential(limit: 3).when { $0.isTransient || $0.response?.status == 409 }
        #expect(try await client.get("/a").retry(policy).value(as: Int.self) == 1)
        #expect(stubs.requests.count == 3)
    }

    @Test("a predicate does not allow a second POST; methods or an idempotency key do", arguments: [false, true])
    func post(isNamed: Bool) async {
        stubs.post("/a").reply(status: 409)
        var policy = Self.always
        if isNamed { policy.methods = [.post] }
        let diagnostics = Recorder<DiagnosticEvent>()
        let client = client
        client.onDiagnostic { diagnostics.note($0) }
        _ = await client.post("/a").retry(policy).execute(.void).result
        #expect(stubs.requests.count == (isNamed ? 3 : 1))
        #expect(diagnostics.events.count == (isNamed ? 0 : 1))
        guard !isNamed else { return }
        _ = await client.post("/a").retry(policy).set(\.idempotencyKey, .random).execute(.void).result
        #expect(stubs.requests.count == 4)
    }

    @Test("a body that can be read only once is not sent again")
    func readOnce() async {
        stubs.put("/a").reply(status: 409)
        let body = AsyncStream<Data> { continuation in
            continuation.yield(Data("a".utf8))
            continuation.finish()
        }
        _ = await client.put("/a").body(stream: body).retry(Self.always).execute(.void).result
        #expect(stubs.requests.count == 1)
    }

    @Test("the predicate is not called after a sign-out, a failed refresh, an invalid request or a cancellation")
    func notCalled() async throws {
        let called = Counter()
        let policy = RetryPolicy.exponential(limit: 3).when { _ in
            called.increment()
            return true
        }
        let authentication = Authentication(
            PersonScheme(whileRefreshing: { throw Failure() }), store: MemoryCredentialStore(Person(name: "A")))
        let client = client
        client.configureDefaults { $0.authentication = authentication }
        stubs.get("/refused").reply(status: 401)
        _ = await client.get("/refused").retry(policy).execute(.void).result
        #expect(called.count == 0)
        stubs.get("/a").reply { _ in
            try authentication.signOut()
            return .status(503)
        }
        try authentication.signIn(Person(name: "A"))
        let error = await client.get("/a").retry(policy).execute(.void).result.apiError
        #expect(error?.kind == .missingCredential)
        #expect(called.count == 1)
        #expect(stubs.requests.count == 2)
        let invalid = await client.get("/b").header("a b", "c").retry(policy).execute(.void).result.apiError
        #expect(invalid?.kind == .invalidRequest)
        #expect(called.count == 1)
    }

    @Test("a call that is cancelled while a closure runs, or in a wait of the app's own, is not sent again", arguments: [true, false])
    func cancelled(whileDeciding: Bool) async {
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        stubs.get("/a").reply(status: 503)
        let policy = RetryPolicy.exponential(limit: 3).when { _ in
            if whileDeciding { client.calls.cancelAll() }
            return true
        }.delay { _ in whileDeciding ? .zero : .seconds(40) }
        let call: Promise<Void> = client.get("/a").retry(policy).execute(.void)
        if !whileDeciding {
            await clock.scheduled(.seconds(40))
            call.cancel()
        }
        let result = await call.result
        #expect(throws: CancellationError.self) { try result.get() }
        await client.hasNoCalls()
        #expect(stubs.requests.count == 1)
    }

    // MARK: The wait

    @Test(
        "the app's own wait is at least the server's, and between zero and a day; nil means the policy's own",
        arguments: [
            (.seconds(2), nil, 2000), (.seconds(2), "1", 2000), (.seconds(2), "7", 7000), (.zero, nil, 0), (.zero, "7", 7000),
            (.seconds(-5), nil, 0), (.seconds(Int64.min), "7", 7000), (.seconds(2), "60", 60_000), (.seconds(90), "60", 90_000),
            (.seconds(Int64.max), nil, 86_400_000), (.nanoseconds(1), "0", 0), (nil, nil, 500), (nil, "7", 7500),
        ] as [(Duration?, String?, Int)])
    func waits(own: Duration?, retryAfter: String?, milliseconds: Int) {
        var error = APIError(.status, status: 503)
        error.response = ResponseSummary(status: 503, headers: retryAfter.map { ["Retry-After": $0] as HTTPHeaders } ?? [:])
        let failed = FailedAttempt(error: error, attempt: 1, request: .with(.get), random: 1, now: Date(timeIntervalSince1970: 0))
        guard case .retry(let wait) = RetryPolicy.exponential(limit: 1).delay({ _ in own }).decide(failed) else {
            Issue.record("no retry")
            return
        }
        #expect(abs((wait - .milliseconds(milliseconds)) / .seconds(1)) < 0.000_001)
    }

    @Test("a longestServerWait of zero ignores the server's wait")
    func withoutServer() {
        var policy = RetryPolicy.exponential(limit: 1).delay { _ in .seconds(1) }
        policy.longestServerWait = .zero
        var error = APIError(.status, status: 503)
        error.response = ResponseSummary(status: 503, headers: ["Retry-After": "7"])
        let failed = FailedAttempt(error: error, attempt: 1, request: .with(.get), random: 1, now: Date(timeIntervalSince1970: 0))
        #expect(policy.decide(failed) == .retry(after: .seconds(1)))
    }

    @Test("each wait is the app's own, by the number of the attempt")
    func ownWaits() async throws {
        stubs.get("/a").sequence(.status(503), .status(503), .status(503), .reply(data: 1))
        let policy = RetryPolicy.exponential(limit: 3).delay { failure in .seconds(failure.attempt * 10) }
        #expect(try await client.get("/a").retry(policy).value(as: Int.self) == 1)
        #expect(stubs.clock.now == .seconds(60))
    }

    // MARK: The policy as a value

    @Test("policies with closures are equal only to their copies, and each closure keeps the other")
    func equality() {
        let policy = RetryPolicy.exponential(limit: 2)
        let (one, other) = (policy.when { _ in true }, policy.when { _ in true })
        let copy = one
        #expect(one == copy)
        #expect(one.hashValue == copy.hashValue)
        #expect(one != other)
        #expect(one != policy)
        let both = policy.when { _ in false }.delay { _ in .seconds(9) }
        let reversed = policy.delay { _ in .seconds(9) }.when { _ in false }
        for policy in [both, reversed] {
            let failed = FailedAttempt(
                error: APIError(.timeout), attempt: 1, request: .with(.get), random: 1, now: Date(timeIntervalSince1970: 0))
            #expect(policy.decide(failed) == .stop(.hopeless))
            #expect(policy.rules?.delay?(failed) == .seconds(9))
        }
    }

    @Test(
        ".never with a closure is refused by a message that names both; a limit of zero is not",
        arguments: [
            (RetryPolicy.never.when { _ in true }, "when"), (.never.delay { _ in nil }, "delay"),
            (.exponential(limit: 0).when { _ in true }, nil), (.never, nil),
        ] as [(RetryPolicy, String?)])
    func never(policy: RetryPolicy, step: String?) async {
        stubs.get("/a").reply(data: 1)
        let error = await client.get("/a").retry(policy).execute(.void).result.apiError
        #expect(error?.kind == (step == nil ? nil : .invalidRequest))
        if let step { #expect(error?.message.contains(step) == true && error?.message.contains(".never") == true) }
        #expect(stubs.requests.count == (step == nil ? 1 : 0))
    }

    @Test("the explanation says which parts of the policy are the app's own")
    func explanation() {
        let policy = RetryPolicy.exponential(limit: 2)
        func line(_ policy: RetryPolicy) -> String? {
            client.get("/a").retry(policy).explain().split(separator: "\n").first { $0.contains("retry") }.map(String.init)
        }
        #expect(line(policy) == "2. retry: up to 2 more attempts")
        #expect(line(policy.when { _ in true }) == "2. retry: up to 2 more attempts, by the app's own when")
        #expect(line(policy.delay { _ in nil }) == "2. retry: up to 2 more attempts, with the app's own delay")
        #expect(line(policy.when { _ in true }.delay { _ in nil }) == "2. retry: up to 2 more attempts, by the app's own when and delay")
    }

    @Test("a hedged call asks the predicate only once it has ended")
    func hedged() async throws {
        stubs.get("/a").sequence(.status(404), .reply(data: 1))
        let request = client.get("/a").set(\.hedgeDelay, .seconds(5)).retry(Self.always)
        #expect(try await request.value(as: Int.self) == 1)
        #expect(stubs.requests.count == 2)
    }
}
