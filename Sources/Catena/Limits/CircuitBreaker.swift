/// When calls to a backend that keeps failing are refused, and for how long.
///
/// A circuit breaker opens when too many calls of the last while have failed: calls then fail at once with
/// ``APIError/Kind/circuitOpen``. After a pause one call is let through; if it succeeds the breaker closes, else the pause begins
/// again, twice as long.
public struct CircuitBreakerPolicy: Sendable, Equatable {
    /// The share of failures, from 0 to 1, at which the breaker opens.
    public var failureShare: Double
    /// With fewer calls than this in the ``window`` the breaker stays closed.
    public var minimumCalls: Int
    /// For how long a call counts.
    public var window: Duration
    /// How long the backend is left alone at first.
    public var pause: Duration
    /// The pause grows no longer than this.
    public var longestPause: Duration
    /// Business codes by which the backend says that it is out of order.
    public var codes: Set<ErrorCode>

    /// Makes a policy; what is left out is as the defaults say: half of at least ten calls within 30 seconds.
    ///
    /// - Parameters:
    ///   - failureShare: The share of failures, from 0 to 1, at which the breaker opens.
    ///   - minimumCalls: With fewer calls than this in the window the breaker stays closed.
    ///   - window: For how long a call counts.
    ///   - pause: How long the backend is left alone at first.
    ///   - longestPause: The pause grows no longer than this.
    ///   - codes: Business codes by which the backend says that it is out of order.
    public init(
        failureShare: Double = 0.5,
        minimumCalls: Int = 10,
        window: Duration = .seconds(30),
        pause: Duration = .seconds(5),
        longestPause: Duration = .seconds(60),
        codes: Set<ErrorCode> = []
    ) {
        self.failureShare = failureShare
        self.minimumCalls = minimumCalls
        self.window = window
        self.pause = pause
        self.longestPause = longestPause
        self.codes = codes
    }
}

/// Whether a circuit breaker lets calls through.
public enum CircuitBreakerStatus: Sendable, CaseIterable {
    /// Calls go to the backend.
    case closed
    /// The pause is over: one call is on its way to try the backend, or the next call will be. Others fail.
    case halfOpen
    /// Calls fail at once.
    case open
}

/// What a call says about the health of its backend.
enum CallHealth: Sendable, Equatable {
    case well
    case ill
    /// Nothing: it was cancelled, was never sent, or failed on this side.
    case unknown

    /// - Parameters:
    ///   - error: The failure of the call; `nil` if it succeeded.
    ///   - blame: The error that counts against the backend; `nil` if the failure says nothing of the backend.
    static func of(_ error: (any Error)?, codes: Set<ErrorCode>, blaming blame: (any Error) -> APIError? = { $0 as? APIError })
        -> CallHealth
    {
        guard let error else { return .well }
        guard let error = blame(error) else { return .unknown }
        if codes.contains(error.code) || error.category == .maintenance { return .ill }
        // A refusal is a response like any other; only 5xx says that the server itself is unwell.
        if let status = error.status { return status >= 500 ? .ill : .well }
        switch error.kind {
        case .timeout, .dns, .connect, .tls, .connectionLost, .protocolViolation: return .ill
        case .business: return .well
        default: return .unknown
        }
    }
}

/// Decides whether calls may go to a backend. Pure.
struct CircuitBreakerState {
    /// Says in which phase a call was let through; its outcome counts for that phase only.
    struct Pass: Equatable {
        fileprivate let phase: Int
    }

    enum Entry: Equatable {
        case admitted(Pass)
        case rejected(retryAfter: Duration)
    }

    private enum Phase {
        case closed
        case open(until: Duration)
        /// One call is on its way to find out. A probe that is never heard of again counts as failed at `until`.
        case probing(until: Duration)
    }

    private let policy: CircuitBreakerPolicy
    private var phase = Phase.closed
    private var number = 0
    private var pause: Duration
    private var recent: RecentCalls

    init(_ policy: CircuitBreakerPolicy) {
        self.policy = policy
        pause = policy.pause
        recent = RecentCalls(window: policy.window)
    }

    var isClosed: Bool {
        if case .closed = phase { return true }
        return false
    }

    func status(at now: Duration) -> CircuitBreakerStatus {
        switch phase {
        case .closed: .closed
        case .open(let until): now < until ? .open : .halfOpen
        case .probing: .halfOpen
        }
    }

    mutating func enter(at now: Duration) -> Entry {
        switch phase {
        case .closed: break
        case .open(let until), .probing(let until):
            guard now >= until else { return .rejected(retryAfter: until - now) }
            change(to: .probing(until: now + pause))
        }
        return .admitted(Pass(phase: number))
    }

    mutating func leave(_ pass: Pass, _ health: CallHealth, at now: Duration) {
        guard pass.phase == number else { return }
        switch (phase, health) {
        case (.closed, .unknown), (.open, _): break
        case (.closed, _):
            recent.note(isFailure: health == .ill, at: now)
            let (total, failures) = recent.counts(at: now)
            guard total >= max(policy.minimumCalls, 1), failures > 0,
                Double(failures) >= Double(total) * policy.failureShare
            else { return }
            pause = policy.pause
            change(to: .open(until: now + pause))
        case (.probing, .well):
            recent = RecentCalls(window: policy.window)
            change(to: .closed)
        case (.probing, .ill):
            pause = pause > policy.longestPause / 2 ? max(policy.longestPause, policy.pause) : pause * 2
            change(to: .open(until: now + pause))
        case (.probing, .unknown):
            // Nothing was found out, so the next call tries.
            change(to: .open(until: now))
        }
    }

    private mutating func change(to phase: Phase) {
        self.phase = phase
        number += 1
    }
}

/// How the calls of the last while ended, counted in slices of time.
private struct RecentCalls {
    private static let slices = 10

    private let slice: Duration
    private var counts: [(index: Int, total: Int, failures: Int)] = []

    init(window: Duration) {
        slice = max(window / Self.slices, .milliseconds(1))
    }

    mutating func note(isFailure: Bool, at now: Duration) {
        let index = index(now)
        if counts.last?.index != index {
            counts.removeAll { $0.index <= index - Self.slices }
            counts.append((index, 0, 0))
        }
        counts[counts.count - 1].total += 1
        if isFailure { counts[counts.count - 1].failures += 1 }
    }

    func counts(at now: Duration) -> (total: Int, failures: Int) {
        let oldest = index(now) - Self.slices
        return counts.reduce((0, 0)) { sum, slice in
            slice.index > oldest ? (sum.0 + slice.total, sum.1 + slice.failures) : sum
        }
    }

    private func index(_ now: Duration) -> Int { Int(now / slice) }
}

/// Leaves a backend alone that keeps failing.
final class CircuitBreaker: Sendable {
    private let policy: CircuitBreakerPolicy
    private let clock: any TimerClock
    private let state: Mutex<CircuitBreakerState>

    init(_ policy: CircuitBreakerPolicy, clock: any TimerClock) {
        self.policy = policy
        self.clock = clock
        state = Mutex(CircuitBreakerState(policy))
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }
    var status: CircuitBreakerStatus { state.withLock { $0.status(at: clock.now) } }

    /// Begins anew.
    func reset() { state.withLock { $0 = CircuitBreakerState(policy) } }

    /// Runs `body` if the backend is not to be left alone, and learns from how it ends.
    ///
    /// - Parameters:
    ///   - pass: The pass of a call that has one already.
    ///   - blame: The error that counts against the backend; `nil` if a failure says nothing of the backend.
    func run<Value>(
        _ pass: CircuitBreakerState.Pass? = nil, blaming blame: (any Error) -> APIError? = { $0 as? APIError },
        _ body: () async throws -> Value
    ) async throws -> Value {
        let pass = try pass ?? enter()
        do {
            let value = try await body()
            leave(pass, nil, blaming: blame)
            return value
        } catch {
            leave(pass, error, blaming: blame)
            throw error
        }
    }

    private func enter() throws -> CircuitBreakerState.Pass {
        switch state.withLock({ $0.enter(at: clock.now) }) {
        case .admitted(let pass): return pass
        case .rejected(let retryAfter):
            throw APIError.rejection(.circuitOpen, "The backend has failed too often and is left alone", retryAfter: retryAfter)
        }
    }

    /// A pass where every call gets one; `nil` while the breaker is open, or one call tries whether the backend is well again.
    func enterIfClosed() -> CircuitBreakerState.Pass? {
        state.withLock { state in
            guard state.isClosed, case .admitted(let pass) = state.enter(at: clock.now) else { return nil }
            return pass
        }
    }

    /// Learns from how a call has ended.
    ///
    /// - Parameter error: The failure of the call; `nil` if it succeeded.
    func leave(_ pass: CircuitBreakerState.Pass, _ error: (any Error)?, blaming blame: (any Error) -> APIError?) {
        let health = CallHealth.of(error, codes: policy.codes, blaming: blame)
        state.withLock { $0.leave(pass, health, at: clock.now) }
    }
}
