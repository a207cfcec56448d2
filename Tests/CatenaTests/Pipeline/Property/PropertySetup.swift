import CatenaTesting
import Foundation

@testable import Catena

/// How one of the backends of a ``PropertyWorld`` is configured.
struct PropertySetup: Sendable {
    enum SignIn: CaseIterable { case none, known, unknown, optional }

    /// What code on the way of the calls does.
    enum Meddling: CaseIterable { case passes, marks, person, fails, answers, asksTwice, waits, moves }

    /// The others that have the credential of the sign-in.
    enum Company: CaseIterable { case nobody, fleet, processes }

    /// The maker of signatures: none, a signer of Catena's own, or an app's, which may keep its calls waiting.
    enum Signing: CaseIterable { case none, own, app }

    struct Meddler: Sendable {
        let meddling: Meddling
        let position: Interceptor.Position
    }

    let signIn: SignIn
    let company: Company
    /// Whether rate and breaker are those of a fleet.
    let sharesLimits: Bool
    var retryLimit: Int
    var hedgeDelay: Duration?
    /// All of a backend's retries are paid from one.
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
    /// Enough for a few responses.
    static let cacheLimit = 2_000

    /// One that opens soon.
    private static var breaker: CircuitBreakerPolicy {
        var policy = CircuitBreakerPolicy()
        policy.minimumCalls = 3
        policy.pause = .seconds(1)
        return policy
    }

    var isKnown: Bool { signIn != .unknown }
    var hasSignIn: Bool { signIn != .none }

    /// Whether something is kept in a store that others have as well.
    var isShared: Bool { company == .fleet || sharesLimits }

    func has(_ meddling: Meddling) -> Bool { meddlers.contains { $0.meddling == meddling } }

    init(using random: inout SeededRandom) {
        signIn = SignIn.allCases.randomElement(using: &random) ?? .none
        company = [.nobody, .nobody, .fleet, .processes].randomElement(using: &random) ?? .nobody
        sharesLimits = Int.random(in: 0..<3, using: &random) == 0
        budget = Bool.random(using: &random) ? RetryBudget(reserve: 2, share: 0.1) : nil
        concurrency = Bool.random(using: &random) ? ConcurrencyLimit(2, maxWaiting: 4) : nil
        // One after the other, so that it is seen at once if two come too close.
        rate = Int.random(in: 0..<3, using: &random) == 0 ? RateLimit(4, per: .seconds(1), burst: 1) : nil
        breaker = Int.random(in: 0..<3, using: &random) == 0 ? Self.breaker : nil
        (retryLimit, hedgeDelay, hasCache, cachePolicy, dedupes, timeout, deadline, meddlers, signing) =
            (0, nil, false, .protocol, false, .seconds(20), nil, [], .none)
        change(using: &random)
    }

    /// Draws anew what may change while calls are under way.
    mutating func change(using random: inout SeededRandom) {
        retryLimit = Int.random(in: 0...2, using: &random)
        hedgeDelay = Int.random(in: 0..<3, using: &random) == 0 ? .milliseconds(200) : nil
        hasCache = Int.random(in: 0..<3, using: &random) > 0
        let policies: [CachePolicy] = [.protocol, .protocol, .protocol, .offline, .expire(.seconds(30)), .always, .never]
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
        // Stages that let a call pass at once, so that some calls are sent in the task of their caller.
        guard Int.random(in: 0..<3, using: &random) == 0 else { return }
        (hedgeDelay, hasCache, dedupes, meddlers) = (nil, false, false, [])
        if signing == .app { signing = .own }
    }

    /// How many times a call may be sent at most, what redirects add aside.
    ///
    /// - Parameters:
    ///   - isHedged: Whether each attempt may have a second one beside it.
    ///   - isSignedIn: Whether a credential may go with it, with which it is sent once more after a refusal.
    ///   - isReset: Whether a server has said that it has not processed the request, after which it is sent once more at once.
    func sendings(retries: Int, isHedged: Bool, isSignedIn: Bool, isReset: Bool) -> Int {
        var count = (1 + retries) * (isHedged ? 2 : 1)
        if isReset { count += 1 }
        if isSignedIn { count *= 2 }
        for meddler in meddlers where meddler.meddling == .asksTwice { count *= 2 }
        // A kept response may be about somebody else's request, and be renewed behind its caller.
        if hasCache { count *= 3 }
        return count
    }
}
