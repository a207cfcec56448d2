import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Retry policies", .limitedParallelism)
struct RetryPolicyTests {
    private static let timeout = APIError(.timeout)

    private static func status(_ status: Int) -> APIError {
        APIError(.status, code: .integer(status), status: status)
    }

    @Test(
        "waits double up to the longest, and the policy stops after its last retry",
        arguments: [
            (RetryPolicy.exponential(limit: 2), [500, 1000, nil]),
            (.exponential(limit: 4), [500, 1000, 2000, 4000, nil]),
            (.exponential(limit: 4, baseDelay: .milliseconds(100), maxDelay: .milliseconds(300)), [100, 200, 300, 300, nil]),
            (.exponential(limit: 2, baseDelay: .seconds(5), maxDelay: .seconds(1)), [1000, 1000, nil]),
            (.exponential(limit: 2, baseDelay: .zero), [0, 0, nil]),
            (.exponential(limit: 0), [nil]), (.exponential(limit: -1), [nil]), (.never, [nil]),
        ] as [(RetryPolicy, [Int?])])
    func waits(policy: RetryPolicy, expected: [Int?]) {
        let waits = expected.indices.map { policy.wait(after: Self.timeout, attempt: $0 + 1, method: .get, random: 1) }
        #expect(waits == expected.map { $0.map { .milliseconds($0) } })
    }

    @Test(
        "a wait is random between zero and its longest",
        arguments: [(0.0, 0), (0.25, 250), (0.5, 500), (1.0, 1000), (-1.0, 0), (2.0, 1000)])
    func jitter(random: Double, expected: Int) {
        let policy = RetryPolicy.exponential(limit: 3, baseDelay: .seconds(1))
        #expect(policy.wait(after: Self.timeout, attempt: 1, method: .get, random: random) == .milliseconds(expected))
    }

    @Test(
        "very large numbers of attempts and very long delays do not overflow",
        arguments: [Duration.milliseconds(500), .seconds(1 << 60), .seconds(Int64.max)])
    func largeNumbers(base: Duration) {
        let policy = RetryPolicy.exponential(limit: .max, baseDelay: base, maxDelay: .seconds(Int64.max))
        var former = Duration.zero
        for attempt in [1, 2, 31, 32, 63, 64, 65, 1000, Int.max] {
            let wait = policy.wait(after: Self.timeout, attempt: attempt, method: .get, random: 1)
            #expect(wait.map { $0 >= former && $0 <= policy.maxDelay } == true)
            former = wait ?? former
        }
        #expect(former >= .seconds(1 << 60))
    }

    @Test(
        "only idempotent methods are retried",
        arguments: [
            (HTTPMethod.get, true), (.head, true), (.put, true), (.delete, true), (.options, true), (.trace, true),
            (.post, false), (.patch, false), (.connect, false), ("PURGE", false),
        ])
    func methods(method: HTTPMethod, expected: Bool) {
        let wait = RetryPolicy.exponential(limit: 1).wait(after: Self.timeout, attempt: 1, method: method, random: 1)
        #expect((wait != nil) == expected)
    }

    @Test(
        "a policy with methods of its own retries no others, even with an idempotency key",
        arguments: [(HTTPMethod.get, false), (.put, false), (.post, true), ("PURGE", true)])
    func ownMethods(method: HTTPMethod, expected: Bool) {
        let policy = RetryPolicy.exponential(limit: 1, methods: [.post, "PURGE"])
        for hasKey in [false, true] {
            let failed = FailedAttempt(
                error: Self.timeout, attempt: 1, request: .with(method), hasIdempotencyKey: hasKey, random: 1, now: Date())
            #expect((policy.decide(failed) == .retry(after: .milliseconds(500))) == expected)
        }
        #expect(RetryPolicy.exponential(limit: 1).methods == nil)
        #expect(RetryPolicy.exponential(limit: 1, methods: []).wait(after: Self.timeout, attempt: 1, method: .get, random: 1) == nil)
    }

    @Test(
        "a 403 that reports a rate limit is retried like a 429",
        arguments: [(nil, true), ([429], true), ([403], true), ([500], false)] as [(Set<Int>?, Bool)])
    func rateLimited(statuses: Set<Int>?, expected: Bool) {
        var error = Self.status(403)
        var policy = RetryPolicy.exponential(limit: 1)
        if let statuses { policy.statuses = statuses }
        error.response = ResponseSummary(
            HTTPResponse(
                status: 403, headers: ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"],
                address: HTTPAddress(scheme: "https", host: "h", port: nil, path: "/", query: nil)))
        let wait = policy.wait(after: error, attempt: 1, method: .get, random: 1)
        #expect(wait == (expected ? .milliseconds(30_500) : nil))
    }

    @Test(
        "a 403 or 413 with a readable Retry-After is retried like a 429, after that time",
        arguments: [
            (403, "7", nil, true), (413, "7", nil, true), (413, "soon", nil, false), (404, "7", nil, false), (403, "", nil, false),
            (413, "7", [500], false), (403, "7", [500], false), (413, "7", [413], true),
        ] as [(Int, String, Set<Int>?, Bool)])
    func temporarilyRefused(status: Int, retryAfter: String, statuses: Set<Int>?, expected: Bool) {
        var error = Self.status(status)
        error.response = ResponseSummary(status: status, headers: ["Retry-After": retryAfter])
        var policy = RetryPolicy.exponential(limit: 1)
        if let statuses { policy.statuses = statuses }
        #expect(policy.wait(after: error, attempt: 1, method: .get, random: 1) == (expected ? .milliseconds(7500) : nil))
    }

    @Test(
        "only some statuses are retried",
        arguments: [
            (408, true), (425, true), (429, true), (500, true), (502, true), (503, true), (504, true),
            (200, false), (304, false), (400, false), (401, false), (403, false), (404, false), (409, false), (501, false), (505, false),
        ])
    func statuses(status: Int, expected: Bool) {
        let wait = RetryPolicy.exponential(limit: 1).wait(after: Self.status(status), attempt: 1, method: .get, random: 1)
        #expect((wait != nil) == expected)
    }

    @Test(
        "an error without a status is retried by its kind",
        arguments: [
            (APIError.Kind.timeout, true), (.offline, true), (.dns, true), (.connect, true), (.connectionLost, true),
            (.tls, false), (.protocolViolation, false), (.bodyTooLarge, false), (.decompression, false), (.redirect, false),
            (.tooManyRedirects, false), (.invalidRequest, false), (.cancelled, false), (.decoding, false), (.missingPayload, false),
            (.business, false), (.other, false), (APIError.Kind("mine"), false),
        ])
    func kinds(kind: APIError.Kind, expected: Bool) {
        let wait = RetryPolicy.exponential(limit: 1).wait(after: APIError(kind), attempt: 1, method: .get, random: 1)
        #expect((wait != nil) == expected)
    }

    @Test("a business error is judged by its status")
    func businessErrors() {
        let policy = RetryPolicy.exponential(limit: 1)
        #expect(policy.wait(after: APIError(.business, code: 10086, status: 200), attempt: 1, method: .get, random: 1) == nil)
        #expect(policy.wait(after: APIError(.business, code: 10086, status: 503), attempt: 1, method: .get, random: 1) != nil)
    }

    @Test("statuses and kinds can be set")
    func ownReasons() {
        var policy = RetryPolicy.exponential(limit: 1)
        policy.statuses = [404]
        policy.kinds = [.tls]
        #expect(policy.wait(after: Self.status(404), attempt: 1, method: .get, random: 1) != nil)
        #expect(policy.wait(after: Self.status(503), attempt: 1, method: .get, random: 1) == nil)
        #expect(policy.wait(after: APIError(.tls), attempt: 1, method: .get, random: 1) != nil)
        #expect(policy.wait(after: Self.timeout, attempt: 1, method: .get, random: 1) == nil)
        #expect(policy != .exponential(limit: 1))
    }

    @Test(
        "a call's policy overrides the tag's, and the tag's overrides the default",
        arguments: [(nil, 2, 3), (1, 2, 2), (0, 2, 1), (1, nil, 2)] as [(Int?, Int?, Int)])
    func precedence(call: Int?, tag: Int?, sent: Int) async throws {
        let stubs = Stubs()
        stubs.get("/").reply(status: 503)
        let client = Client(testing: stubs)
        client.configureDefaults { $0.retry = .exponential(limit: 7) }
        client.configure("forum") { forum in forum.retry = tag.map { .exponential(limit: $0) } }
        var request = client.tag("forum").get("/")
        if let call { request = request.retry(.exponential(limit: call)) }
        let error = await #expect(throws: APIError.self) { try await request.value() }
        #expect(error?.attempts == sent)
        #expect(stubs.requests.count == sent)
    }

    @Test(
        "a retryable error waits as long as it says, plus a random delay, and is not retried if it asks for more than the longest wait",
        arguments: [
            (nil, 500), (.milliseconds(200), 700), (.seconds(3), 3500), (.seconds(30), 30500), (.seconds(60), 60500), (.seconds(90), nil),
        ]
            as [(Duration?, Int?)])
    func retryable(asked: Duration?, expected: Int?) {
        var error = APIError(.business, code: "BUSY", status: 200)
        let policy = RetryPolicy.exponential(limit: 1)
        error.retryAfter = asked
        #expect(policy.wait(after: error, attempt: 1, method: .get, random: 1) == nil)
        error.category = .retryable
        #expect(policy.wait(after: error, attempt: 1, method: .get, random: 1) == expected.map { .milliseconds($0) })
        #expect(policy.wait(after: error, attempt: 1, method: .post, random: 1) == nil)
        #expect(policy.wait(after: error, attempt: 2, method: .get, random: 1) == nil)
    }
}

extension HTTPRequest {
    /// A request whose method alone matters.
    static func with(_ method: HTTPMethod) -> HTTPRequest {
        HTTPRequest(method: method, address: HTTPAddress(scheme: "https", host: "h", port: nil, path: "/", query: nil))
    }
}

extension RetryPolicy {
    /// Returns the wait before the next attempt, or `nil` if there is none.
    fileprivate func wait(after error: APIError, attempt: Int, method: HTTPMethod, random: Double) -> Duration? {
        let failed = FailedAttempt(error: error, attempt: attempt, request: .with(method), random: random, now: Date())
        guard case .retry(let wait) = decide(failed) else { return nil }
        return wait
    }
}
