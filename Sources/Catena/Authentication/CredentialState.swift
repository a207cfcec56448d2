/// The credential in use, and how many there were before it. Pure.
///
/// A call remembers the generation with which it was sent, so that a refusal of an old credential is told from one of the present.
struct CredentialState<Credential: Sendable>: Sendable {
    enum Refresh: Sendable {
        case start(with: Credential)
        /// There is another credential, or none any more, already.
        case superseded
        case missing
        case excessive(retryAfter: Duration)
    }

    private(set) var credential: Credential?
    /// Who the credential belongs to, where that is known.
    private(set) var user: String?
    private(set) var generation = 0
    /// How many times somebody else has come or gone. A refresh changes nothing in that, and neither does the same user who signs in
    /// without having signed out.
    private(set) var session = 0
    private(set) var isLoaded = false
    private let window: RefreshWindow?
    private var refreshes: [Duration] = []
    /// Routes that have refused a credential which was new, and when.
    private var refusals: [String: Duration] = [:]

    init(window: RefreshWindow?) {
        self.window = window
    }

    /// Takes over what the store has, unless somebody has signed in or out meanwhile.
    mutating func load(_ credential: Credential?, of user: String?) {
        guard !isLoaded else { return }
        self.credential = credential
        self.user = user
        isLoaded = true
    }

    /// Signs in or out.
    mutating func replace(with credential: Credential?, of user: String?) {
        let isSameUser = self.credential != nil && credential != nil && user != nil && user == self.user
        self.credential = credential
        self.user = user
        isLoaded = true
        generation += 1
        refusals = [:]
        if !isSameUser { session += 1 }
    }

    /// Begins to refresh the credential of a generation.
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

    /// Takes over what a refresh brought; false if somebody has signed in or out meanwhile, which counts.
    mutating func finishRefresh(of generation: Int, with credential: Credential, of user: String?) -> Bool {
        guard generation == self.generation else { return false }
        self.credential = credential
        // What is known of the session stays known, also where the new credential does not say it.
        self.user = user ?? self.user
        self.generation += 1
        return true
    }
}

// MARK: Routes that refuse every credential

extension CredentialState {
    private var memory: Duration { (window ?? .standard).interval }

    /// Notes that a route has refused a credential that had just been got because of its refusal.
    mutating func noteRefusal(by route: String, of generation: Int, at now: Duration) {
        guard generation == self.generation else { return }
        refusals = refusals.filter { $0.value > now - memory }
        refusals[route] = now
    }

    /// Whether another credential would not help: that is the route's own failure, and no reason to use up what others may need.
    func refusesEveryCredential(_ route: String, at now: Duration) -> Bool {
        refusals[route].map { $0 > now - memory } ?? false
    }
}

/// How often a credential may be refreshed in a period, so that a backend that refuses every credential does not cause endless refreshes.
public struct RefreshWindow: Sendable, Equatable {
    /// How many refreshes there may be.
    public var limit: Int
    /// Within which time.
    public var interval: Duration

    /// Makes a window in which there may be `limit` refreshes per `interval`.
    public init(limit: Int, per interval: Duration) {
        self.limit = limit
        self.interval = interval
    }

    /// Five refreshes in half a minute.
    public static let standard = RefreshWindow(limit: 5, per: .seconds(30))
}

/// The refreshes as part of which the current task runs.
enum RefreshScope {
    /// A refresh from its beginning to its end. What is begun in it and outlives it, such as a `Task`, is no part of it any more.
    final class Refresh: Sendable {
        fileprivate let authentication: ObjectIdentifier
        private let hasEnded = AtomicFlag()

        init(of authentication: AnyObject) {
            self.authentication = ObjectIdentifier(authentication)
        }

        fileprivate var isUnderWay: Bool { !hasEnded.isSet }

        func end() { hasEnded.set() }
    }

    @TaskLocal static var current: [Refresh] = []

    /// Whether this is part of a refresh: calls that wait for it may hold every place that there is, so it waits for none.
    static var isActive: Bool { current.contains { $0.isUnderWay } }

    /// Whether this is part of a refresh of this sign-in.
    static func isActive(of authentication: AnyObject) -> Bool {
        current.contains { $0.authentication == ObjectIdentifier(authentication) && $0.isUnderWay }
    }
}
