import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The decision after an attempt", .limitedParallelism)
struct RetryDecisionTests {
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    private static func failed(_ error: APIError = APIError(.timeout), _ change: (inout FailedAttempt) -> Void = { _ in }) -> FailedAttempt
    {
        var failed = FailedAttempt(error: error, attempt: 1, request: .with(.get), random: 1, now: now)
        change(&failed)
        return failed
    }

    private static func answer(_ status: Int, _ headers: HTTPHeaders) -> APIError {
        var error = APIError(.status, status: status)
        error.response = ResponseSummary(status: status, headers: headers)
        return error
    }

    @Test(
        "the decision after each kind of failure, with its reason",
        arguments: [
            (failed { $0.attempt = 3 }, .stop(.limit)),
            (failed(APIError(.status, status: 404)), .stop(.hopeless)),
            (failed(APIError(.cancelled)), .stop(.hopeless)),
            (failed { $0.request.method = .post }, .stop(.notIdempotent)),
            (failed { $0.request.method = .patch }, .stop(.notIdempotent)),
            (failed { $0.request.bodySource = BodySource(stream: AsyncStream<Data> { $0.finish() }) }, .stop(.notReplayable)),
            (failed(), .retry(after: .milliseconds(500))),
            (
                failed {
                    $0.request.method = .post; $0.hasIdempotencyKey = true
                }, .retry(after: .milliseconds(500))
            ),
            (failed { $0.attempt = 2 }, .retry(after: .seconds(1))),
            (failed(answer(429, ["Retry-After": "60"])), .retry(after: .milliseconds(60_500))),
            (failed(answer(429, ["Retry-After": "61"])), .stop(.asksTooLong)),
        ] as [(FailedAttempt, RetryDecision)])
    func reasons(failed: FailedAttempt, expected: RetryDecision) {
        #expect(RetryPolicy.exponential(limit: 2).decide(failed) == expected)
    }

    @Test(
        "the wait is the server's, plus the random delay",
        arguments: [
            (["Retry-After": "7"], 0.0, 7000), (["Retry-After": "7"], 1.0, 7500), (["Retry-After": "60"], 0.0, 60_000),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"], 0.0, 10_000), (["Retry-After": "Sun, 06 Nov 1994 08:00:00 GMT"], 0.0, 0),
            (["Retry-After": "Sun, 06 Nov 1994 08:00:00 GMT"], 0.5, 250), (["RateLimit": "\"d\";r=0;t=4"], 0.0, 4000), ([:], 1.0, 500),
        ] as [(HTTPHeaders, Double, Int)])
    func serverWaits(headers: HTTPHeaders, random: Double, milliseconds: Int) {
        let failed = Self.failed(Self.answer(429, headers)) { $0.random = random }
        #expect(RetryPolicy.exponential(limit: 1).decide(failed) == .retry(after: .milliseconds(milliseconds)))
    }

    @Test(
        "a wait of the server that does not fit into the time left ends the call, and costs no retry of the budget",
        arguments: [(7000, false), (7500, false), (7501, true)])
    func timeLeft(milliseconds: Int, fits: Bool) {
        let account = RetryAccount(RetryBudget(reserve: 1, share: 0))
        let failed = Self.failed(Self.answer(429, ["Retry-After": "7"]))
        let decision = RetryPolicy.exponential(limit: 1).decide(failed, within: .milliseconds(milliseconds), account: account)
        #expect(decision == (fits ? .retry(after: .milliseconds(7500)) : .stop(.asksTooLong)))
        #expect(account.withdraw() == !fits)
    }

    @Test("a wait of the policy's own may reach beyond the deadline, which then ends it")
    func ownWait() {
        #expect(RetryPolicy.exponential(limit: 1).decide(Self.failed(), within: .zero) == .retry(after: .milliseconds(500)))
    }

    @Test("the policy's business codes are retried with any status")
    func businessCodes() {
        var policy = RetryPolicy.exponential(limit: 1)
        policy.codes = [5001, "BUSY"]
        for code in [5001, "BUSY"] as [ErrorCode] {
            #expect(policy.decide(Self.failed(APIError(.business, code: code, status: 200))) == .retry(after: .milliseconds(500)))
            #expect(policy.decide(Self.failed(APIError(.status, code: code, status: 400))) == .retry(after: .milliseconds(500)))
        }
        #expect(policy.decide(Self.failed(APIError(.business, code: 5002, status: 200))) == .stop(.hopeless))
        #expect(policy.decide(Self.failed(APIError(.business, code: "5001", status: 200))) == .stop(.hopeless))
    }

    @Test("a failure in a step of the client is judged by its underlying error")
    func wrapped() {
        let policy = RetryPolicy.exponential(limit: 1)
        func wrapped(_ error: any Error) -> APIError { APIError(.other, message: "commonHeaders: …", underlying: error) }
        #expect(policy.decide(Self.failed(wrapped(APIError(.connect)))) == .retry(after: .milliseconds(500)))
        #expect(policy.decide(Self.failed(wrapped(wrapped(APIError(.status, status: 503))))) == .retry(after: .milliseconds(500)))
        #expect(policy.decide(Self.failed(wrapped(APIError(.status, status: 403)))) == .stop(.hopeless))
        #expect(policy.decide(Self.failed(wrapped(Failure()))) == .stop(.hopeless))
    }

    @Test("retries are a bounded part of all calls, however many fail")
    func budget() {
        let policy = RetryPolicy.exponential(limit: 2)
        let account = RetryAccount(RetryBudget(reserve: 10, share: 0.2))
        var retries = 0
        for _ in 0..<1000 {
            account.deposit()
            for attempt in 1...3 {
                let decision = policy.decide(Self.failed { $0.attempt = attempt }, account: account)
                guard case .retry = decision else {
                    #expect(decision == .stop(.budget) || attempt == 3)
                    break
                }
                retries += 1
            }
        }
        #expect(retries == 209 || retries == 210)
        // A failure that would not be retried anyway uses no budget.
        #expect(policy.decide(Self.failed { $0.request.method = .post }, account: account) == .stop(.notIdempotent))
    }

    @Test("a budget accepts any numbers", arguments: [(-5, 0.5), (0, -1), (0, .nan), (3, .infinity)])
    func strangeBudgets(reserve: Int, share: Double) {
        let account = RetryAccount(RetryBudget(reserve: reserve, share: share))
        var withdrawn = 0
        for _ in 0..<100 {
            account.deposit()
            if account.withdraw() { withdrawn += 1 }
        }
        #expect(withdrawn <= 100 + max(reserve, 0))
        #expect(withdrawn == (share > 1 ? 100 : reserve == -5 ? 50 : 0))
    }

    @Test("an idempotency key is a random UUID, or the caller's own")
    func idempotencyKeys() {
        var generator = SystemRandomNumberGenerator()
        let keys = (0..<100).map { _ in IdempotencyKey.random.value(using: &generator) }
        #expect(Set(keys).count == 100)
        for key in keys {
            #expect(UUID(uuidString: key) != nil)
            #expect(Array(key)[14] == "4")
            #expect("89ab".contains(Array(key)[19]))
        }
        #expect(IdempotencyKey("order-7").value(using: &generator) == "order-7")
    }
}
