/// Selects the errors that a `catch` or `recover` handles, for promises and for awaited calls.
///
/// ```swift
/// .catch(.unauthorized) { _ in self.signIn() }
/// .catch(.code(10086)) { error in self.explain(error.localizedDescription) }
///
/// do {
///     user = try await API.tag(.forum).get("/me").value()
/// } catch .notFound {
///     user = .guest
/// }
/// ```
public struct ErrorMatcher: Sendable {
    let matchesCancellation: Bool
    private let predicate: @Sendable (APIError) -> Bool

    private init(matchesCancellation: Bool = false, _ predicate: @escaping @Sendable (APIError) -> Bool) {
        self.matchesCancellation = matchesCancellation
        self.predicate = predicate
    }

    /// Matches every error except a cancellation.
    static let any = ErrorMatcher { _ in true }

    /// Matches errors that at least one of the matchers matches.
    static func one(of matchers: [ErrorMatcher]) -> ErrorMatcher {
        ErrorMatcher(matchesCancellation: matchers.contains(where: \.matchesCancellation)) { error in
            matchers.contains { $0.matches(error) }
        }
    }

    /// Whether the error matches. A cancellation matches only a matcher that includes it, because it is not a failure.
    func matches(_ error: APIError) -> Bool {
        (error.kind != .cancelled || matchesCancellation) && predicate(error)
    }

    /// Matches errors with one of these codes. A number also matches a string that spells it.
    public static func code(_ codes: ErrorCode...) -> ErrorMatcher {
        self.codes(codes)
    }

    /// Matches errors with one of these numbers as their code: `.code(Wallet.locked)`.
    @_disfavoredOverload
    public static func code(_ codes: Int...) -> ErrorMatcher { self.codes(codes.map { ErrorCode($0) }) }

    /// Matches errors with one of these texts as their code.
    @_disfavoredOverload
    public static func code(_ codes: String...) -> ErrorMatcher { self.codes(codes.map { ErrorCode($0) }) }

    /// Matches errors with one of these codes: `.codes(Wallet.lockedCodes)`.
    public static func codes(_ codes: some Sequence<ErrorCode>) -> ErrorMatcher {
        let codes = Set(codes)
        let integers = Set(codes.compactMap(\.integer))
        return ErrorMatcher { error in codes.contains(error.code) || error.code.integer.map(integers.contains) ?? false }
    }

    /// Matches errors whose code is a number in this range, or a string that spells one: `.codes(40000...40099)`.
    public static func codes(_ range: some RangeExpression<Int> & Sendable) -> ErrorMatcher {
        ErrorMatcher { $0.code.integer.map(range.contains) ?? false }
    }

    /// Matches errors with one of these HTTP statuses.
    public static func status(_ statuses: Int...) -> ErrorMatcher {
        ErrorMatcher { $0.status.map(statuses.contains) ?? false }
    }

    /// Matches errors with an HTTP status in this range: `.status(500...)`.
    public static func status(_ range: some RangeExpression<Int> & Sendable) -> ErrorMatcher {
        ErrorMatcher { $0.status.map(range.contains) ?? false }
    }

    /// Matches errors of one of these kinds.
    public static func kind(_ kinds: APIError.Kind...) -> ErrorMatcher {
        ErrorMatcher(matchesCancellation: kinds.contains(.cancelled)) { kinds.contains($0.kind) }
    }

    /// Matches errors for which the closure returns `true`. Cancellations never match.
    public static func `where`(_ predicate: @escaping @Sendable (APIError) -> Bool) -> ErrorMatcher {
        ErrorMatcher(predicate)
    }

    /// Matches HTTP status 401, errors whose ``APIError/category`` is `authentication`, and errors of kind ``APIError/Kind/excessiveRefresh``.
    public static let unauthorized = ErrorMatcher {
        $0.status == 401 || $0.category == .authentication || $0.kind == .excessiveRefresh
    }

    /// Matches HTTP status 404.
    public static let notFound = status(404)

    /// Matches HTTP status 422 (RFC 9110 §15.5.21), and errors whose ``APIError/category`` is `validation`.
    public static let validation = ErrorMatcher { $0.status == 422 || $0.category == .validation }

    /// Matches errors of kind ``APIError/Kind/timeout``, and timeouts of promises.
    public static let timeout = kind(.timeout)

    /// Matches errors of kind ``APIError/Kind/offline``: there is no network.
    public static let offline = kind(.offline)

    /// Matches errors of the kinds `offline`, `dns` and `connect`: no connection to the server could be made.
    public static let unreachable = kind(.offline, .dns, .connect)

    /// Matches a cancelled call. Only this matcher and `.kind(.cancelled)` do.
    public static let cancelled = kind(.cancelled)
}

extension ErrorMatcher {
    /// Whether an error matches, for patterns in `catch`, `switch` and `if case`.
    ///
    /// ```swift
    /// switch error {
    /// case .unauthorized: signIn()
    /// case .status(500...): offerRetry()
    /// default: alert(error.localizedDescription)
    /// }
    /// ```
    ///
    /// A `CancellationError` matches ``cancelled``. Other errors that are not an ``APIError``, such as a backend's own, have the kind
    /// ``APIError/Kind/other``.
    @_disfavoredOverload
    public static func ~= (matcher: ErrorMatcher, error: any Error) -> Bool {
        matcher.matches(.wrapping(error))
    }
}

extension APIError {
    /// Whether a matcher matches the error, as in a `catch` of a promise.
    ///
    /// ```swift
    /// } catch let error as APIError where error.matches(.unauthorized) {
    ///     signIn(because: error.message)
    /// }
    /// ```
    public func matches(_ matcher: ErrorMatcher) -> Bool { matcher.matches(self) }
}
