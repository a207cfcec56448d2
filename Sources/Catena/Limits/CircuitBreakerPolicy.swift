/// When a backend that keeps failing is left alone, and for how long.
///
/// A circuit breaker opens when too many calls of the last while have failed: calls then fail at once with
/// ``APIError/Kind/circuitOpen``. After a pause one call is let through; if it succeeds the breaker closes, else the pause begins
/// again, twice as long.
public struct CircuitBreakerPolicy: Sendable, Equatable {
    /// The share of failures, from 0 to 1, at which the breaker opens.
    public var failureShare = 0.5
    /// With fewer calls than this in the ``window`` the breaker stays closed.
    public var minimumCalls = 10
    /// For how long a call counts.
    public var window = Duration.seconds(30)
    /// How long the backend is left alone at first.
    public var pause = Duration.seconds(5)
    /// The pause grows no longer than this.
    public var longestPause = Duration.seconds(60)
    /// Business codes by which the backend says that it is out of order.
    public var codes: Set<ErrorCode> = []

    /// Half of at least ten calls within 30 seconds.
    public init() {}
}

/// What a call says about the health of its backend.
enum CallHealth: Sendable, Equatable {
    case well
    case ill
    /// Nothing: it was cancelled, was never sent, or failed on this side.
    case unknown

    /// - Parameter error: What the call failed with; `nil` if it succeeded.
    static func of(_ error: (any Error)?, codes: Set<ErrorCode>) -> CallHealth {
        guard let error else { return .well }
        guard let error = error as? APIError else { return .unknown }
        if codes.contains(error.code) { return .ill }
        // A refusal is an answer like any other; only 5xx says that the server itself is unwell.
        if let status = error.status { return status >= 500 ? .ill : .well }
        switch error.kind {
        case .timeout, .dns, .connect, .tls, .connectionLost, .protocolViolation: return .ill
        case .business: return .well
        default: return .unknown
        }
    }
}
