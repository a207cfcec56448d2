import Foundation

/// Which failed calls are retried, how often, and after which wait.
///
/// ```swift
/// forum.retry = .exponential(limit: 2)
/// ```
///
/// Only idempotent methods are retried, since the backend may have carried out a POST whose response was lost; with an idempotency key
/// every method is, and ``methods`` can name others. The wait that a server asks for with `Retry-After` or a `RateLimit` header is added to
/// the random one.
public struct RetryPolicy: Sendable, Hashable {
    /// The largest number of retries after the first attempt.
    public var limit: Int
    /// The longest wait before the first retry; each further wait can be twice as long.
    public var baseDelay: Duration
    /// The longest random wait.
    public var maxDelay: Duration
    /// The only methods that are retried; `nil` means the idempotent ones, and every method with an idempotency key.
    public var methods: Set<HTTPMethod>?
    /// The HTTP statuses that are retried, if there is a response.
    public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    /// The kinds of failure that are retried, if there is no response.
    public var kinds: Set<APIError.Kind> = [.timeout, .offline, .dns, .connect, .connectionLost]
    /// The business codes that are retried, whatever the status is.
    public var codes: Set<ErrorCode> = []
    /// The longest wait that a server can ask for; the random wait is added to it.
    public var longestServerWait: Duration = .seconds(60)
    /// How many of all calls of a tag may be retries; `nil` sets no limit.
    public var budget: RetryBudget? = .standard

    /// Retries nothing.
    public static let never = RetryPolicy(limit: 0, baseDelay: .zero, maxDelay: .zero)

    /// Retries after random waits whose longest length doubles each time ("full jitter"), so that clients that failed together do not
    /// retry together.
    ///
    /// ```swift
    /// forum.retry = .exponential(limit: 2)       // waits up to 0.5 s, then up to 1 s
    /// ```
    ///
    /// - Parameters:
    ///   - limit: The largest number of retries after the first attempt.
    ///   - baseDelay: The longest wait before the first retry.
    ///   - maxDelay: The longest of all these waits.
    ///   - methods: The only methods that are retried, such as `[.get]`, or `[.get, .post]` for a backend whose POSTs change nothing.
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
        return status == 429 || response?.headers.sayUsedUp(status: status) ?? false
    }

    /// The failure behind an error that only says in which step it came.
    fileprivate var cause: APIError {
        guard kind == .other, status == nil, let cause = underlying as? APIError else { return self }
        return cause.cause
    }
}

/// Limits the load that retries add when many calls of a tag fail at once.
///
/// Every call adds its share to the budget, every retry takes one. While the budget is used up, a call fails with its last error.
public struct RetryBudget: Sendable, Hashable {
    /// The number of retries that are available at first, and the most that can be saved up.
    public var reserve: Int
    /// The part of a retry that each call adds: 0.2 is one retry for five calls.
    public var share: Double

    /// Makes a budget for the calls of a tag.
    ///
    /// - Parameters:
    ///   - reserve: The number of retries that are available at first, and the most that can be saved up.
    ///   - share: The part of a retry that each call adds, from 0 to 1.
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
