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
    private(set) var generation = 0
    /// How many times somebody has signed out. To sign in again without that is to go on as the same user.
    private(set) var session = 0
    private(set) var isLoaded = false
    private let window: RefreshWindow?
    private var refreshes: [Duration] = []

    init(window: RefreshWindow?) {
        self.window = window
    }

    /// Takes over what the store has, unless somebody has signed in or out meanwhile.
    mutating func load(_ credential: Credential?) {
        guard !isLoaded else { return }
        self.credential = credential
        isLoaded = true
    }

    /// Signs in or out.
    mutating func replace(with credential: Credential?) {
        self.credential = credential
        isLoaded = true
        generation += 1
        if credential == nil { session += 1 }
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
    mutating func finishRefresh(of generation: Int, with credential: Credential) -> Bool {
        guard generation == self.generation else { return false }
        self.credential = credential
        self.generation += 1
        return true
    }
}
