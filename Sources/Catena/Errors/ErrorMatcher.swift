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
        ErrorMatcher { error in
            codes.contains { $0 == error.code || ($0.integer != nil && $0.integer == error.code.integer) }
        }
    }

    /// Errors whose HTTP status is one of these.
    public static func status(_ statuses: Int...) -> ErrorMatcher {
        ErrorMatcher { error in error.status.map(statuses.contains) ?? false }
    }

    /// Errors of one of these kinds.
    public static func kind(_ kinds: APIError.Kind...) -> ErrorMatcher {
        ErrorMatcher(matchesCancellation: kinds.contains(.cancelled)) { kinds.contains($0.kind) }
    }

    /// Errors for which a closure gives true. Cancellation is not among them.
    public static func matching(_ predicate: @escaping @Sendable (APIError) -> Bool) -> ErrorMatcher {
        ErrorMatcher(predicate)
    }

    /// HTTP status 401.
    public static let unauthorized = status(401)

    /// HTTP status 404.
    public static let notFound = status(404)

    /// The time for an attempt or for the whole call ran out.
    public static let timeout = kind(.timeout)

    /// No connection could be made: offline, no such host, or refused.
    public static let offline = kind(.offline, .dns, .connect)

    /// The call was cancelled, which no other matcher sees.
    public static let cancelled = kind(.cancelled)
}
