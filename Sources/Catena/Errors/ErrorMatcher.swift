/// Says which errors a `catch` or a `recover` is for.
///
/// ```swift
/// .catch(.unauthorized) { _ in self.signIn() }
/// .catch(.code(10086)) { error in self.explain(error.message) }
/// ```
public struct ErrorMatcher: Sendable {
    let matchesCancellation: Bool
    private let predicate: @Sendable (APIError) -> Bool

    private init(matchesCancellation: Bool = false, _ predicate: @escaping @Sendable (APIError) -> Bool) {
        self.matchesCancellation = matchesCancellation
        self.predicate = predicate
    }

    /// Every error; cancellation is not among them.
    static let any = ErrorMatcher { _ in true }

    /// Cancellation is not a failure, so it is only for a matcher that asks for it, even where it comes as an `APIError`.
    func matches(_ error: APIError) -> Bool {
        (error.kind != .cancelled || matchesCancellation) && predicate(error)
    }

    /// Errors with one of these codes; a number also matches text that spells it.
    public static func code(_ codes: ErrorCode...) -> ErrorMatcher {
        self.codes(codes)
    }

    /// Errors with one of these codes, for a list that has a name: `.codes(Wallet.lockedCodes)`.
    public static func codes(_ codes: some Sequence<ErrorCode>) -> ErrorMatcher {
        let codes = Set(codes)
        let integers = Set(codes.compactMap(\.integer))
        return ErrorMatcher { error in codes.contains(error.code) || error.code.integer.map(integers.contains) ?? false }
    }

    /// Errors whose code is a number in this range, or text that spells one: `.codes(40000...40099)`.
    public static func codes(_ range: some RangeExpression<Int> & Sendable) -> ErrorMatcher {
        ErrorMatcher { $0.code.integer.map(range.contains) ?? false }
    }

    /// Errors whose HTTP status is one of these.
    public static func status(_ statuses: Int...) -> ErrorMatcher {
        ErrorMatcher { $0.status.map(statuses.contains) ?? false }
    }

    /// Errors whose HTTP status is in this range: `.status(500...)`.
    public static func status(_ range: some RangeExpression<Int> & Sendable) -> ErrorMatcher {
        ErrorMatcher { $0.status.map(range.contains) ?? false }
    }

    /// Errors of one of these kinds.
    public static func kind(_ kinds: APIError.Kind...) -> ErrorMatcher {
        ErrorMatcher(matchesCancellation: kinds.contains(.cancelled)) { kinds.contains($0.kind) }
    }

    /// Errors for which a closure gives true. Cancellation is not among them.
    public static func `where`(_ predicate: @escaping @Sendable (APIError) -> Bool) -> ErrorMatcher {
        ErrorMatcher(predicate)
    }

    /// HTTP status 401, or an error whose ``APIError/category`` is `authentication`.
    public static let unauthorized = ErrorMatcher { $0.status == 401 || $0.category == .authentication }

    /// HTTP status 404.
    public static let notFound = status(404)

    /// HTTP status 422: what was sent is well formed, but not acceptable (RFC 9110 §15.5.21). Or an error whose
    /// ``APIError/category`` is `validation`.
    public static let validation = ErrorMatcher { $0.status == 422 || $0.category == .validation }

    /// The time for an attempt or for the whole call ran out.
    public static let timeout = kind(.timeout)

    /// No connection could be made: offline, no such host, or refused.
    public static let offline = kind(.offline, .dns, .connect)

    /// The call was cancelled, which no other matcher sees.
    public static let cancelled = kind(.cancelled)
}
