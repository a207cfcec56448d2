import CatenaPlatform

/// Determines which failed calls are retried, how often, and after which wait.
///
/// ```swift
/// forum.retry = .exponential(limit: 2)
/// ```
///
/// By default, only idempotent methods and requests with an idempotency key are retried, because the backend may have processed a POST whose response
/// was lost. ``methods`` can name other methods. A wait that the server asks for with `Retry-After` or a `RateLimit` header is added to the random
/// wait. ``when(_:)`` and ``delay(_:)`` replace the reasons and the waits by closures of the app.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of retries after the first attempt.
    public var limit: Int
    /// The maximum wait before the first retry. The maximum doubles with each further retry.
    public var baseDelay: Duration
    /// The maximum random wait.
    public var maxDelay: Duration
    /// The only methods that are retried, or `nil` for the idempotent ones and every method with an idempotency key.
    public var methods: Set<HTTPMethod>?
    /// The HTTP statuses that are retried.
    public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    /// The kinds of failure that are retried if there is no response.
    public var kinds: Set<APIError.Kind> = [.timeout, .offline, .dns, .connect, .connectionLost]
    /// The business codes that are retried, whatever the status.
    public var codes: Set<ErrorCode> = []
    /// The longest wait of a server that the policy observes, before the random wait. After a longer one there is no further attempt, and the call fails
    /// at once with ``APIError/retryAfter``. Zero ignores the waits of servers.
    public var longestServerWait: Duration = .seconds(60)
    /// The budget of retries for all calls of a tag, or `nil` for no limit.
    public var budget: RetryBudget? = .standard
    /// The closures of the app, or `nil` if it sets none.
    private(set) var rules: RetryRules?
    /// Ends waits when the network is back, or `nil` if all waits have their full length.
    private(set) var network: NetworkReturn?

    /// Retries nothing.
    public static let never = RetryPolicy(limit: 0, baseDelay: .zero, maxDelay: .zero)

    /// Retries after random waits whose maximum doubles each time ("full jitter"), so that clients that failed together do not retry together.
    ///
    /// ```swift
    /// forum.retry = .exponential(limit: 2)       // waits up to 0.5 s, then up to 1 s
    /// ```
    ///
    /// - Parameters:
    ///   - limit: The maximum number of retries after the first attempt.
    ///   - baseDelay: The maximum wait before the first retry.
    ///   - maxDelay: The maximum of all random waits.
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

extension RetryPolicy {
    /// The longest wait that ``delay(_:)`` may return.
    private static let longestDelay = Duration.seconds(86_400)

    /// Returns a copy of this policy that retries the failures for which a closure returns `true`, and no others.
    ///
    /// ```swift
    /// forum.retry = .exponential(limit: 3).when { failure in failure.isTransient || failure.error.code == "LOCKED" }
    /// ```
    ///
    /// The closure replaces ``statuses``, ``kinds``, ``codes`` and the categories of the envelope. It cannot allow more than ``limit`` retries or
    /// more than the ``budget``. The rule for methods stays, so that ``methods`` has to name a POST that may be repeated. The closure is not called
    /// for a cancelled call, a missing credential, a failed credential refresh, or a request that is invalid.
    ///
    /// - Parameter predicate: Called after each failed attempt, on any thread. It must return quickly.
    public func when(_ predicate: @escaping @Sendable (FailedAttempt) -> Bool) -> RetryPolicy {
        var policy = self
        policy.rules = RetryRules(predicate: predicate, delay: rules?.delay)
        return policy
    }

    /// Returns a copy of this policy whose waits a closure determines.
    ///
    /// ```swift
    /// forum.retry = .exponential(limit: 3).delay { failure in .seconds(failure.attempt * 2) }
    /// ```
    ///
    /// A wait that the server asks for is the minimum. A negative wait counts as zero, and one of more than a day as a
    /// day. The deadline of the call includes the wait.
    ///
    /// - Parameter delay: Returns the wait, or `nil` for the random wait of the policy. Called on any thread; it must return quickly.
    public func delay(_ delay: @escaping @Sendable (FailedAttempt) -> Duration?) -> RetryPolicy {
        var policy = self
        policy.rules = RetryRules(predicate: rules?.predicate, delay: delay)
        return policy
    }

    /// Returns a copy of this policy whose waits end early when the network is back after it could not be reached.
    ///
    /// ```swift
    /// forum.retry = .exponential(limit: 5).whenOnline()
    /// ```
    ///
    /// Only the wait after a failure without a response ends early. A wait that the server asks for keeps its length, and no wait becomes longer. When
    /// the network is back, a call still waits for a random part of a tenth of the rest. So calls that wait together do not all begin at once.
    ///
    /// - Parameter reachability: The status of the network. Without it, Apple platforms use a shared `PathReachability`. Other platforms do not report
    ///   their network: waits have their full length, and a diagnostic says so once. Pass one object to all policies: calls share a listener for
    ///   each object.
    public func whenOnline(_ reachability: (any Reachability)? = nil) -> RetryPolicy {
        var policy = self
        policy.network = reachability.map { NetworkReturn($0) } ?? .ofPlatform
        return policy
    }

    /// Returns the network whose return ends the wait after a failure, or `nil` if none does.
    func network(after failed: FailedAttempt) -> NetworkReturn? {
        failed.error.cause.status == nil && failed.retryAfter == nil ? network : nil
    }

    /// Describes the steps of the policy for ``Request/explain()``.
    var explanation: String {
        (rules?.explanation ?? "") + (network?.isKnown == true ? ", waiting only until the network is back" : "")
    }

    /// The reason why the policy makes no sense, or `nil` if it does.
    var fault: String? {
        guard rules != nil || network != nil, limit == 0, baseDelay == .zero, maxDelay == .zero else { return nil }
        let step = rules.map { $0.predicate == nil ? "delay" : "when" } ?? "whenOnline"
        return "\(step) has no effect on .never, which retries nothing; use a policy with a limit, such as .exponential(limit: 2)"
    }
}

/// The decision after a failed attempt.
enum RetryDecision: Sendable, Equatable {
    enum Reason: Sendable, Equatable {
        /// The number of attempts has reached its limit.
        case limit
        /// Another attempt would fail in the same way.
        case hopeless
        /// The server may have processed the request, so that a retry would repeat its effect, or the policy excludes the method.
        case notIdempotent
        /// The body was a stream, which can be read only once.
        case notReplayable
        /// The tag's retry budget is used up.
        case budget
        /// The server asks for a wait that is longer than the policy's longest, or than the rest of the call's deadline.
        case asksTooLong
    }

    case retry(after: Duration)
    case stop(Reason)
}

extension RetryDecision.Reason {
    /// Explains why there is no other attempt.
    var words: String {
        switch self {
        case .limit: "no other attempt: there were as many as there may be"
        case .hopeless: "no other attempt: it would end in the same way"
        case .notIdempotent: "no other attempt: this one may have been carried out, and the method must not be repeated"
        case .notReplayable: "no other attempt: the body can be read only once"
        case .budget: "no other attempt: retries are too large a part of the calls of this tag already"
        case .asksTooLong: "no other attempt: the server asks for a wait that the policy or the deadline does not allow"
        }
    }
}

extension RetryPolicy {
    /// Decides whether to retry after a failed attempt.
    ///
    /// - Parameters:
    ///   - left: The time that the call has left, or `nil` if it has no deadline.
    ///   - account: The account that a retry is charged to.
    func decide(_ failed: FailedAttempt, within left: Duration? = nil, account: RetryAccount? = nil) -> RetryDecision {
        guard failed.attempt <= limit else { return .stop(.limit) }
        var failed = failed
        failed.isTransient = mayHelp(failed.error.cause)
        // A refresh is a call with its own retry policy, so its failure is not retried here.
        guard !(failed.error.underlying is RefreshError), isChosen(failed) else { return .stop(.hopeless) }
        let isMeant = methods.map { $0.contains(failed.request.method) } ?? failed.mayBeRepeated
        guard isMeant else { return .stop(.notIdempotent) }
        guard failed.request.isReplayable else { return .stop(.notReplayable) }
        let asked = longestServerWait > .zero ? failed.retryAfter : nil
        let wait = wait(after: failed, asked: asked)
        // Nothing is sent before the server allows it (RFC 9110 §10.2.3).
        if let asked, asked > longestServerWait || left.map({ wait >= $0 }) == true { return .stop(.asksTooLong) }
        guard account?.withdraw() != false else { return .stop(.budget) }
        return .retry(after: wait)
    }

    /// The policy without the closures of the app.
    var withoutRules: RetryPolicy {
        var policy = self
        policy.rules = nil
        return policy
    }

    /// Whether the predicate, or else the policy's own reasons, choose the failure for a retry.
    private func isChosen(_ failed: FailedAttempt) -> Bool {
        guard let predicate = rules?.predicate else { return failed.isTransient }
        // Another attempt would fail in the same way before it is sent.
        if [.invalidRequest, .missingCredential].contains(failed.error.cause.kind) { return false }
        // It answers the condition of the request.
        if failed.error.status == 304 { return false }
        return predicate(failed)
    }

    /// Returns the wait before the next attempt.
    ///
    /// - Parameter asked: The wait that the server asks for.
    private func wait(after failed: FailedAttempt, asked: Duration?) -> Duration {
        if let own = rules?.delay?(failed) { return max(min(own, Self.longestDelay), asked ?? .zero, .zero) }
        // Added to the server's wait, because the server asks all of its clients for the same wait.
        return (asked ?? .zero) + jitter(before: failed.attempt, random: failed.random)
    }

    /// Returns a random wait from zero to a maximum that doubles with each attempt.
    private func jitter(before attempt: Int, random: Double) -> Duration {
        // Divide, because the product may exceed the range of `Duration`.
        let doublings = 1 << min(max(attempt - 1, 0), 62)
        let longest = baseDelay > maxDelay / doublings ? maxDelay : baseDelay * doublings
        return min(longest * min(max(random, 0), 1), longest)
    }

    /// Whether an error response is final, so that another attempt would get it, too.
    func isFinal(_ error: any Error) -> Bool {
        guard let error = (error as? APIError)?.cause, error.status != nil else { return false }
        return !mayHelp(error)
    }

    /// Whether another attempt may succeed.
    private func mayHelp(_ error: APIError) -> Bool {
        switch error.category {
        case .retryable?: return true
        // Do not retry validation errors, which are permanent, or maintenance, which outlasts any retry delay.
        case .validation?, .maintenance?: return false
        default: break
        }
        if codes.contains(error.code) { return true }
        if error.isRateLimit || error.isTemporaryRefusal, statuses.contains(429) { return true }
        if let status = error.status { return statuses.contains(status) }
        return kinds.contains(error.kind)
    }
}

extension APIError {
    /// Returns the wait that the server asks for in its envelope or headers.
    func askedWait(now: Date) -> Duration? {
        if let retryAfter { return retryAfter }
        guard let status, let headers = response?.headers else { return nil }
        return ServerWait.read(headers, status: status, now: now)
    }

    /// Whether the server reports too many requests.
    var isRateLimit: Bool {
        guard let status else { return false }
        // GitHub's secondary rate limit is a 403 with a `Retry-After` alone.
        return status == 429 || response?.headers.sayUsedUp(status: status) ?? false || status == 403 && isTemporaryRefusal
    }

    /// Whether the server refuses the request only for a time: a 403 or 413 that states a wait (RFC 9110 §15.5.14).
    var isTemporaryRefusal: Bool {
        guard status == 403 || status == 413, let headers = response?.headers else { return false }
        return ServerWait.isStated(in: headers)
    }

    /// The cause of an error that only names the step in which it occurred.
    var cause: APIError {
        guard kind == .other, status == nil, let cause = underlying as? APIError else { return self }
        return cause.cause
    }
}

/// Limits the load that retries add when many calls of a tag fail at once.
///
/// Every call adds its share to the budget, and every retry takes one. While the budget is used up, a failed call is not retried.
public struct RetryBudget: Sendable, Hashable {
    /// The initial number of available retries, which is also the maximum.
    public var reserve: Int
    /// The fraction of a retry that each call adds: 0.2 allows one retry per five calls.
    public var share: Double

    /// Creates a budget for the calls of a tag.
    ///
    /// - Parameters:
    ///   - reserve: The initial number of available retries, which is also the maximum.
    ///   - share: The fraction of a retry that each call adds, from 0 to 1.
    public init(reserve: Int, share: Double) {
        self.reserve = reserve
        self.share = share
    }

    /// One retry per five calls, and ten in reserve.
    public static let standard = RetryBudget(reserve: 10, share: 0.2)
}

/// The balance of a retry budget that all calls of a tag share.
final class RetryAccount: Sendable {
    private let budget: RetryBudget
    private let balance: Mutex<Double>

    init(_ budget: RetryBudget) {
        self.budget = budget
        balance = Mutex(Double(max(budget.reserve, 0)))
    }

    /// Adds the share of a call that begins.
    func deposit() {
        balance.withLock { $0 = min($0 + min(max(budget.share, 0), 1), Double(max(budget.reserve, 1))) }
    }

    /// Takes a retry from the budget. Returns `false` if the budget is used up.
    func withdraw() -> Bool {
        balance.withLock { balance in
            // Compare with a tolerance, because ten times a tenth is slightly less than one.
            guard balance > 1 - 1e-9 else { return false }
            balance -= 1
            return true
        }
    }
}

/// The accounts of a tag, one per budget.
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

/// Determines when a call starts a second attempt beside a slow first one.
struct Hedge: Sendable, Hashable {
    /// The time that the first attempt has to receive its response, or `nil` for no second attempt.
    var delay: Duration?
    /// Whether the call itself sets the delay, and not its tag.
    var isOwn = false
}
