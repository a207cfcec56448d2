import Foundation

/// When a failed call is tried again, and how long to wait before.
///
/// ```swift
/// forum.retry = .exponential(limit: 2)
/// ```
///
/// Only idempotent methods are tried again, since a POST that was lost on its way back may have been carried out; any method is that
/// has an idempotency key, and ``methods`` can say otherwise. What the server asks for with `Retry-After` or a `RateLimit` header is waited for.
public struct RetryPolicy: Sendable, Hashable {
    /// How many times a call is tried again after the first attempt.
    public var limit: Int
    /// The longest first wait; each further one is up to twice as long.
    public var baseDelay: Duration
    /// No wait is longer than this.
    public var maxDelay: Duration
    /// The methods that are tried again, and no others. Without a value those are the idempotent ones, and any method with an idempotency key.
    public var methods: Set<HTTPMethod>?
    /// The HTTP statuses after which another attempt may help.
    public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    /// The kinds of failure after which another attempt may help.
    public var kinds: Set<APIError.Kind> = [.timeout, .offline, .dns, .connect, .connectionLost]
    /// The business codes after which another attempt may help, whatever the status.
    public var codes: Set<ErrorCode> = []
    /// No wait that the server asks for is longer than this; the random one comes on top.
    public var longestServerWait: Duration = .seconds(60)
    /// How many of all calls of a tag may be retries; `nil` sets no bound.
    public var budget: RetryBudget? = .standard

    /// No second attempt.
    public static let never = RetryPolicy(limit: 0, baseDelay: .zero, maxDelay: .zero)

    /// Waits that double each time, drawn at random from zero to that length ("full jitter"), so that clients that failed together
    /// do not come back together.
    ///
    /// - Parameters:
    ///   - limit: How many times a call is tried again after the first attempt.
    ///   - baseDelay: The longest first wait.
    ///   - maxDelay: The longest of these waits.
    ///   - methods: The methods that are tried again, such as `[.get]`, or `[.get, .post]` for a backend whose POSTs change nothing.
    public static func exponential(
        limit: Int,
        baseDelay: Duration = .milliseconds(500),
        maxDelay: Duration = .seconds(30),
        methods: Set<HTTPMethod>? = nil
    ) -> RetryPolicy {
        RetryPolicy(limit: limit, baseDelay: baseDelay, maxDelay: maxDelay, methods: methods)
    }
}

/// An attempt that failed, and what has to be known to decide about the next one.
struct FailedAttempt: Sendable {
    var error: APIError
    /// Counts from 1.
    var attempt: Int
    var method: HTTPMethod
    var hasIdempotencyKey = false
    /// Whether the body can be sent a second time.
    var isReplayable = true
    /// A number from 0 to 1.
    var random: Double
    var now: Date
}

/// What comes after an attempt that failed.
enum RetryDecision: Sendable, Equatable {
    enum Reason: Sendable, Equatable {
        /// There were as many attempts as there may be.
        case limit
        /// Another attempt would end in the same way.
        case hopeless
        /// The request may have been carried out, and to send it again would do so twice; or the policy leaves its method out.
        case notIdempotent
        /// The body was a stream that has been read.
        case notReplayable
        /// Retries are too large a part of the calls of this tag already.
        case budget
    }

    case retry(after: Duration)
    case stop(Reason)
}

extension RetryDecision.Reason {
    /// Why there is no other attempt, in words.
    var words: String {
        switch self {
        case .limit: "no other attempt: there were as many as there may be"
        case .hopeless: "no other attempt: it would end in the same way"
        case .notIdempotent: "no other attempt: this one may have been carried out, and the method must not be repeated"
        case .notReplayable: "no other attempt: the body can be read only once"
        case .budget: "no other attempt: retries are too large a part of the calls of this tag already"
        }
    }
}

extension RetryPolicy {
    /// The one decision after an attempt.
    ///
    /// - Parameter account: Pays for the retry if there is to be one.
    func decide(_ failed: FailedAttempt, account: RetryAccount? = nil) -> RetryDecision {
        guard failed.attempt <= limit else { return .stop(.limit) }
        let error = failed.error.cause
        // A refresh has a retry policy of its own, and has told all who waited for it.
        guard mayHelp(error), !(failed.error.underlying is RefreshError) else { return .stop(.hopeless) }
        let isMeant = methods.map { $0.contains(failed.method) } ?? (failed.method.isIdempotent || failed.hasIdempotencyKey)
        guard isMeant else { return .stop(.notIdempotent) }
        guard failed.isReplayable else { return .stop(.notReplayable) }
        guard account?.withdraw() != false else { return .stop(.budget) }
        let jitter = jitter(before: failed.attempt, random: failed.random)
        guard let asked = error.askedWait(now: failed.now) else { return .retry(after: jitter) }
        // On top of what the server asks for, since it asks all of its clients for the same.
        return .retry(after: min(asked, longestServerWait) + jitter)
    }

    /// A random wait from zero to a length that doubles each time.
    private func jitter(before attempt: Int, random: Double) -> Duration {
        // Divided, not multiplied, because the product may be longer than a `Duration` can be.
        let doublings = 1 << min(max(attempt - 1, 0), 62)
        let longest = baseDelay > maxDelay / doublings ? maxDelay : baseDelay * doublings
        return min(longest * min(max(random, 0), 1), longest)
    }

    /// Whether a failure is a response that another attempt would bring, too.
    func isFinal(_ error: any Error) -> Bool {
        guard let error = (error as? APIError)?.cause, error.status != nil else { return false }
        return !mayHelp(error)
    }

    /// Whether another attempt may bring something else than this failure.
    private func mayHelp(_ error: APIError) -> Bool {
        switch error.category {
        case .retryable?: return true
        // What is not valid stays so, and what is closed for a while is not open a second later.
        case .validation?, .maintenance?: return false
        default: break
        }
        if codes.contains(error.code) { return true }
        if error.isRateLimit, statuses.contains(429) { return true }
        if let status = error.status { return statuses.contains(status) }
        return kinds.contains(error.kind)
    }
}

extension APIError {
    /// How long the server asks to wait, in its envelope or in its headers.
    func askedWait(now: Date) -> Duration? {
        if let retryAfter { return retryAfter }
        guard let status, let headers = response?.headers else { return nil }
        return ServerWait.read(headers, status: status, now: now)
    }

    /// Whether the server says that it was asked too often.
    var isRateLimit: Bool {
        guard let status else { return false }
        return status == 429 || response.map { ServerWait.isUsedUp($0.headers, status: status) } ?? false
    }

    /// The failure behind an error that only says in which step it came.
    fileprivate var cause: APIError {
        guard kind == .other, status == nil, let cause = underlying as? APIError else { return self }
        return cause.cause
    }
}

/// How much more load retries may make, so that many calls that fail together do not keep a backend down.
///
/// Every call adds its share, every retry takes one. Once nothing is left a call fails with its latest failure.
public struct RetryBudget: Sendable, Hashable {
    /// How many retries there may be beyond the share, such as those of an app's first calls.
    public var reserve: Int
    /// How many retries each call adds: 0.2 is one for five calls.
    public var share: Double

    /// Makes a budget for the calls of a tag.
    ///
    /// - Parameters:
    ///   - reserve: How many retries there may be beyond the share.
    ///   - share: How many retries each call adds, from 0 to 1.
    public init(reserve: Int, share: Double) {
        self.reserve = reserve
        self.share = share
    }

    /// One retry for five calls, and ten in reserve.
    public static let standard = RetryBudget(reserve: 10, share: 0.2)
}

/// What is left of a budget that all calls of a tag share.
final class RetryAccount: Sendable {
    private let budget: RetryBudget
    private let balance: Mutex<Double>

    init(_ budget: RetryBudget) {
        self.budget = budget
        balance = Mutex(Double(max(budget.reserve, 0)))
    }

    /// A call begins.
    func deposit() {
        balance.withLock { $0 = min($0 + min(max(budget.share, 0), 1), Double(max(budget.reserve, 1))) }
    }

    /// Whether there may be another retry, which then counts.
    func withdraw() -> Bool {
        balance.withLock { balance in
            // Ten times a tenth is a little less than one.
            guard balance > 1 - 1e-9 else { return false }
            balance -= 1
            return true
        }
    }
}

/// The accounts of a tag, one for each budget that its calls have.
final class RetryAccounts: Sendable {
    private let accounts = Mutex<[RetryBudget: RetryAccount]>([:])

    func account(of budget: RetryBudget) -> RetryAccount {
        accounts.withLock { accounts in
            if let account = accounts[budget] { return account }
            let account = RetryAccount(budget)
            accounts[budget] = account
            return account
        }
    }
}
