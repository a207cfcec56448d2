/// The credential in use, with its generation and session. It has no side effects.
///
/// A call stores the generation that it was sent with. So a refusal of an old credential does not start a refresh of a new one.
package struct CredentialState<Credential: Sendable>: Sendable {
    enum Refresh: Sendable {
        case start(with: Credential)
        /// The credential has already been replaced or removed.
        case superseded
        case missing
        case excessive(retryAfter: Duration)
    }

    package private(set) var credential: Credential?
    /// The credential that the store had at the beginning, with its user.
    struct First: Sendable {
        let user: ExactText?
    }

    /// The user of the credential, or `nil` if unknown.
    package private(set) var user: ExactText?
    /// The credential of the beginning, or `nil` if the store had none or has not been read.
    private(set) var first: First?
    package private(set) var generation = 0
    /// The number of changes of user. A refresh for the same user does not change it, nor does a sign-in of that user without a sign-out before.
    package private(set) var session = 0
    private(set) var isLoaded = false
    /// Whether the server has refused to refresh the credential, which has ended the session.
    private var isRefused = false
    /// The changes of the session that are yet to be reported.
    private var changes: [SessionChange.Kind] = []
    private let window: RefreshWindow?
    private var refreshes: [Duration] = []
    /// The routes that refused a freshly refreshed credential, with the time of the refusal.
    private var refusals: [String: Duration] = [:]

    init(window: RefreshWindow?) {
        self.window = window
    }

    /// Stores the credential read from the store, unless a sign-in or sign-out came first.
    mutating func load(_ credential: Credential?, of user: ExactText?) {
        guard !isLoaded else { return }
        self.credential = credential
        self.user = user
        first = credential.map { _ in First(user: user) }
        isLoaded = true
    }

    /// Replaces the credential at a sign-in or sign-out.
    package mutating func replace(with credential: Credential?, of user: ExactText?) {
        let isSameUser = self.credential != nil && credential != nil && user != nil && user == self.user
        let isUnderWay = self.credential != nil && !isRefused
        if isUnderWay, !isSameUser { changes.append(.signedOut) }
        if credential != nil { changes.append(isUnderWay && isSameUser ? .refreshed : .signedIn) }
        isRefused = false
        self.credential = credential
        self.user = user
        isLoaded = true
        generation += 1
        refusals = [:]
        if !isSameUser { session += 1 }
    }

    /// Decides whether to refresh the credential of a generation.
    mutating func beginRefresh(of generation: Int, at now: Duration) -> Refresh {
        guard generation == self.generation else { return .superseded }
        guard let credential else { return .missing }
        if let window {
            refreshes.removeAll { $0 <= now - window.interval }
            guard refreshes.count < window.limit else {
                return .excessive(retryAfter: refreshes.first.map { $0 + window.interval - now } ?? window.interval)
            }
            refreshes.append(now)
        }
        return .start(with: credential)
    }

    /// Stores the result of a refresh. Another user's credential counts as that user's sign-in.
    ///
    /// - Returns: `false` if a sign-in or sign-out has replaced the credential meanwhile.
    package mutating func finishRefresh(of generation: Int, with credential: Credential, of user: ExactText?) -> Bool {
        guard generation == self.generation else { return false }
        if let user, let known = self.user, user != known {
            // Calls of the known user would otherwise continue with the other user's credential.
            replace(with: credential, of: user)
            return true
        }
        self.credential = credential
        changes.append(isRefused ? .signedIn : .refreshed)
        isRefused = false
        // Keep the known user if the new credential does not name one.
        self.user = user ?? self.user
        self.generation += 1
        return true
    }
}

// MARK: Changes of the session

extension CredentialState {
    /// Records that the server has refused to refresh the credential of a generation.
    mutating func noteRefusedRefresh(of generation: Int, _ error: APIError) {
        guard generation == self.generation, credential != nil, !isRefused else { return }
        isRefused = true
        changes.append(.refused(error))
    }

    /// Returns the changes since the last time, in order.
    mutating func takeChanges() -> [SessionChange.Kind] {
        defer { changes = [] }
        return changes
    }
}

// MARK: Routes that refuse every credential

extension CredentialState {
    private var memory: Duration { (window ?? .standard).interval }

    /// Records that a route refused a credential that had been refreshed because of that route.
    mutating func noteRefusal(by route: String, of generation: Int, at now: Duration) {
        guard generation == self.generation else { return }
        refusals = refusals.filter { $0.value > now - memory }
        refusals[route] = now
    }

    /// Whether the route recently refused a fresh credential. Another refresh would not help, and would use up the window that other calls need.
    func refusesEveryCredential(_ route: String, at now: Duration) -> Bool {
        refusals[route].map { $0 > now - memory } ?? false
    }
}

/// Limits how often a credential may be refreshed, so that a backend that refuses every credential does not cause endless refreshes.
public struct RefreshWindow: Sendable, Equatable {
    /// The maximum number of refreshes per interval.
    public var limit: Int
    /// The length of the interval.
    public var interval: Duration

    /// Creates a window that allows `limit` refreshes per `interval`.
    public init(limit: Int, per interval: Duration) {
        self.limit = limit
        self.interval = interval
    }

    /// Five refreshes per 30 seconds.
    public static let standard = RefreshWindow(limit: 5, per: .seconds(30))
}
