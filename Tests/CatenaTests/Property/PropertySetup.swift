import CatenaTesting
import Foundation

@testable import Catena

/// The configuration of one of the backends of a ``PropertyWorld``.
struct PropertySetup: Sendable {
    enum SignIn: CaseIterable { case none, known, unknown, optional }

    /// The effect of an interceptor.
    enum Meddling: CaseIterable { case passes, marks, person, fails, answers, asksTwice, waits, moves }

    /// The other holders of the sign-in's credential.
    enum Company: CaseIterable { case nobody, fleet, processes }

    /// The signer: none, one of Catena's own, or an app's, which may suspend its calls.
    enum Signing: CaseIterable { case none, own, app }

    struct Meddler: Sendable {
        let meddling: Meddling
        let position: Interceptor.Position
    }

    let signIn: SignIn
    let company: Company
    /// Whether the rate limit and the breaker are shared by a fleet.
    let sharesLimits: Bool
    var retryLimit: Int
    var hedgeDelay: Duration?
    /// The budget for all retries of a backend.
    let budget: RetryBudget?
    var hasCache: Bool
    var cachePolicy: CachePolicy
    var dedupes: Bool
    let concurrency: ConcurrencyLimit?
    let rate: RateLimit?
    let breaker: CircuitBreakerPolicy?
    var timeout: Duration
    var deadline: Duration?
    var meddlers: [Meddler]
    var signing: Signing

    static let redirectLimit = 2
    /// The size of a few responses.
    static let cacheLimit = 4_000

    /// A breaker that opens soon.
    private static var breaker: CircuitBreakerPolicy {
        var policy = CircuitBreakerPolicy()
        policy.minimumCalls = 3
        policy.pause = .seconds(3)
        return policy
    }

    var isKnown: Bool { signIn != .unknown }
    var hasSignIn: Bool { signIn != .none }

    /// Whether a store that others also use holds some state of the backend.
    var isShared: Bool { company == .fleet || sharesLimits }

    func has(_ meddling: Meddling) -> Bool { meddlers.contains { $0.meddling == meddling } }

    init(using random: inout SeededRandom) {
        signIn = SignIn.allCases.randomElement(using: &random) ?? .none
        company = [.nobody, .nobody, .fleet, .processes].randomElement(using: &random) ?? .nobody
        sharesLimits = Int.random(in: 0..<3, using: &random) == 0
        budget = Bool.random(using: &random) ? RetryBudget(reserve: 2, share: 0.1) : nil
        concurrency = Bool.random(using: &random) ? ConcurrencyLimit(2, maxWaiting: 4) : nil
        // The burst is one, so that two calls that come too close are detected at once.
        rate = Int.random(in: 0..<3, using: &random) == 0 ? RateLimit(4, per: .seconds(1), burst: 1) : nil
        breaker = Bool.random(using: &random) ? Self.breaker : nil
        (retryLimit, hedgeDelay, hasCache, cachePolicy, dedupes, timeout, deadline, meddlers, signing) =
            (0, nil, false, .protocol, false, .seconds(20), nil, [], .none)
        change(using: &random)
    }

    /// Draws the settings that may change while calls are in progress.
    mutating func change(using random: inout SeededRandom) {
        retryLimit = Int.random(in: 0...2, using: &random)
        hedgeDelay = Int.random(in: 0..<3, using: &random) == 0 ? .milliseconds(200) : nil
        hasCache = Int.random(in: 0..<3, using: &random) > 0
        let policies: [CachePolicy] = [
            .protocol, .protocol, .protocol, .offline, .offline, .offline, .expire(.seconds(30)), .always, .never,
        ]
        cachePolicy = policies.randomElement(using: &random) ?? .protocol
        dedupes = Bool.random(using: &random)
        timeout = Bool.random(using: &random) ? .seconds(20) : .seconds(2)
        deadline = [nil, .seconds(5), .seconds(90)].randomElement(using: &random) ?? nil
        signing = [.none, .none, .none, .own, .app].randomElement(using: &random) ?? .none
        let stages: [StageName] = [.start, .cache, .limits, .retry, .authentication, .signing, .transport]
        meddlers = (0..<([0, 0, 1, 2].randomElement(using: &random) ?? 0)).map { _ in
            let stage = stages.randomElement(using: &random) ?? .retry
            return Meddler(
                meddling: Meddling.allCases.randomElement(using: &random) ?? .passes,
                position: Bool.random(using: &random) ? .before(stage) : .after(stage))
        }
        // These stages let a call pass at once, so that some calls are sent in the task of their caller.
        guard Int.random(in: 0..<3, using: &random) == 0 else { return }
        (hedgeDelay, hasCache, dedupes, meddlers) = (nil, false, false, [])
        if signing == .app { signing = .own }
    }

    /// Returns the largest number of sendings of a call, without those of redirects.
    ///
    /// - Parameters:
    ///   - isHedged: Whether each attempt may have a hedge.
    ///   - isSignedIn: Whether the request may have a credential, and so be sent once more after a refusal.
    ///   - isReset: Whether a server has refused to process the request, after which it is repeated at once.
    func sendings(retries: Int, isHedged: Bool, isSignedIn: Bool, isReset: Bool) -> Int {
        var count = (1 + retries) * (isHedged ? 2 : 1)
        if isReset { count += 1 }
        if isSignedIn { count *= 2 }
        for meddler in meddlers where meddler.meddling == .asksTwice { count *= 2 }
        // A cached response may belong to another request, and may be refreshed in the background.
        if hasCache { count *= 3 }
        return count
    }
}
