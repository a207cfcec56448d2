/// Determines when calls to a failing backend are refused, and for how long.
///
/// A circuit breaker opens when too many recent calls have failed. While it is open, calls fail at once with ``APIError/Kind/circuitOpen``. After a
/// pause it lets one call through. If that call succeeds, the breaker closes; otherwise the next pause is twice as long.
public struct CircuitBreakerPolicy: Sendable, Equatable {
    /// The calls that share one circuit breaker.
    public enum Scope: Sendable, CaseIterable {
        /// All calls of the tag.
        case tag
        /// The calls of the tag with the same path, before its names and interpolated values are filled: all of `"/rooms/\(id)"` are one route.
        ///
        /// At most 1,000 routes have a breaker. A further route takes the place of the closed one that was not used for longest. If all are
        /// open, the calls of a further route are not checked.
        case route
    }

    /// The calls that share one circuit breaker.
    public var scope: Scope
    /// The share of failures, from 0 to 1, at which the breaker opens.
    public var failureShare: Double
    /// The minimum number of calls in the ``window`` for the breaker to open.
    public var minimumCalls: Int
    /// The time for which the result of a call counts.
    public var window: Duration
    /// The length of the first pause.
    public var pause: Duration
    /// The maximum length of a pause.
    public var longestPause: Duration
    /// The business codes that mean that the backend is out of order.
    public var codes: Set<ErrorCode>

    /// Creates a policy. By default, the breaker opens if half of at least ten calls within 30 seconds have failed.
    ///
    /// - Parameters:
    ///   - failureShare: The share of failures, from 0 to 1, at which the breaker opens.
    ///   - minimumCalls: The minimum number of calls in the window for the breaker to open.
    ///   - window: The time for which the result of a call counts.
    ///   - pause: The length of the first pause.
    ///   - longestPause: The maximum length of a pause.
    ///   - codes: The business codes that mean that the backend is out of order.
    ///   - scope: The calls that share one circuit breaker: those of the tag, or those of each route.
    public init(
        failureShare: Double = 0.5,
        minimumCalls: Int = 10,
        window: Duration = .seconds(30),
        pause: Duration = .seconds(5),
        longestPause: Duration = .seconds(60),
        codes: Set<ErrorCode> = [],
        scope: Scope = .tag
    ) {
        self.scope = scope
        self.failureShare = failureShare
        self.minimumCalls = minimumCalls
        self.window = window
        self.pause = pause
        self.longestPause = longestPause
        self.codes = codes
    }
}

/// The state of a circuit breaker.
public enum CircuitBreakerStatus: Sendable, CaseIterable {
    /// The breaker lets all calls through.
    case closed
    /// The pause is over. One call tries the backend, or the next call will; all other calls fail.
    case halfOpen
    /// All calls fail at once.
    case open
}

/// The health of a backend, judged by one call.
package enum CallHealth: Sendable, Equatable {
    case well
    case ill
    /// The call says nothing about the backend: it was cancelled, not sent, or failed on this side.
    case unknown

    /// Judges the health by the result of a call.
    ///
    /// - Parameters:
    ///   - error: The failure of the call, or `nil` if it succeeded.
    ///   - blame: Returns the error that counts against the backend, or `nil` if the failure says nothing about the backend.
    package static func of(_ error: (any Error)?, codes: Set<ErrorCode>, blaming blame: (any Error) -> APIError? = { $0 as? APIError })
        -> CallHealth
    {
        guard let error else { return .well }
        guard let error = blame(error) else { return .unknown }
        if codes.contains(error.code) || error.category == .maintenance { return .ill }
        // A 4xx is a normal response; only 5xx means that the server itself is failing.
        if let status = error.status { return status >= 500 ? .ill : .well }
        switch error.kind {
        case .timeout, .dns, .connect, .tls, .connectionLost, .protocolViolation: return .ill
        case .business: return .well
        default: return .unknown
        }
    }
}

/// The state machine that decides whether calls may go to a backend. It has no side effects.
package struct CircuitBreakerState {
    /// Admits a call in one phase. The call's result counts only in that phase.
    package struct Pass: Equatable {
        fileprivate let phase: Int
    }

    enum Entry: Equatable {
        case admitted(Pass)
        case rejected(retryAfter: Duration)
    }

    private enum Phase {
        case closed
        case open(until: Duration)
        /// One call tries the backend. If its result has not arrived at `until`, it counts as failed.
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

    /// - Parameter now: The time, which only a breaker that is not closed reads.
    mutating func enter(at now: @autoclosure () -> Duration) -> Entry {
        switch phase {
        case .closed: break
        case .open(let until), .probing(let until):
            let now = now()
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
            // The probe says nothing about the backend, so let the next call probe.
            change(to: .open(until: now))
        }
    }

    private mutating func change(to phase: Phase) {
        self.phase = phase
        number += 1
    }
}

/// The results of recent calls, counted per slice of time.
private struct RecentCalls {
    private static let slices = 10

    /// The length of a slice in nanoseconds. A division of durations is one of 128 bits.
    private let slice: Int64
    private var counts: [(index: Int, total: Int, failures: Int)] = []

    init(window: Duration) {
        slice = max((window / Self.slices).nanoseconds, 1_000_000)
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

    private func index(_ now: Duration) -> Int { Int(now.nanoseconds / slice) }
}

/// Refuses calls to a backend that keeps failing.
package final class CircuitBreaker: Sendable {
    private let policy: CircuitBreakerPolicy
    private let clock: any TimerClock
    /// The route whose calls share the breaker, or `nil` if all calls of the tag do.
    private let route: String?
    private let state: Mutex<CircuitBreakerState>

    init(_ policy: CircuitBreakerPolicy, clock: any TimerClock, route: String? = nil) {
        self.policy = policy
        self.clock = clock
        self.route = route
        state = Mutex(CircuitBreakerState(policy))
    }

    package var isClosed: Bool { state.withLock { $0.isClosed } }
    package var status: CircuitBreakerStatus { state.withLock { $0.status(at: clock.now) } }

    /// Resets the breaker to its initial state.
    package func reset() { state.withLock { $0 = CircuitBreakerState(policy) } }

    /// Runs `body` if the breaker admits the call, and records the result.
    ///
    /// - Parameters:
    ///   - pass: The pass, if the call already has one.
    ///   - blame: Returns the error that counts against the backend, or `nil` if the failure says nothing about the backend.
    package func run<Value>(
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
            throw rejection(retryAfter: retryAfter)
        }
    }

    /// Returns the error of a call that is refused.
    package func rejection(retryAfter: Duration) -> APIError {
        let subject = route.map { "The route \(Redaction.current.redact(place: $0))" } ?? "The backend"
        return .rejection(.circuitOpen, "\(subject) has failed too often and is left alone", retryAfter: retryAfter)
    }

    /// Returns a pass if the breaker is closed, or `nil` if it is open or half-open.
    func enterIfClosed() -> CircuitBreakerState.Pass? {
        state.withLock { state in
            guard state.isClosed, case .admitted(let pass) = state.enter(at: clock.now) else { return nil }
            return pass
        }
    }

    /// Records the result of a call.
    ///
    /// - Parameter error: The failure of the call, or `nil` if it succeeded.
    func leave(_ pass: CircuitBreakerState.Pass, _ error: (any Error)?, blaming blame: (any Error) -> APIError?) {
        let health = CallHealth.of(error, codes: policy.codes, blaming: blame)
        state.withLock { $0.leave(pass, health, at: clock.now) }
    }
}
