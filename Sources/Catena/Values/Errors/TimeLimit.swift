/// A limit of time that has ended a call, an attempt or a wait.
enum TimeLimit: Sendable {
    case attempt(Duration)
    case call(Duration)
    /// The wait for one of the transfers that run to an origin at a time.
    case place(Duration, transfers: Int)

    var duration: Duration {
        switch self {
        case .attempt(let duration), .call(let duration), .place(let duration, _): duration
        }
    }

    /// Describes the limit, the setting that sets it, and the phase in which it has struck.
    func words(in phase: TransferPhase?) -> String {
        let when = phase.map { ", while it was \($0.words)" } ?? ""
        return switch self {
        case .attempt(let timeout): "The attempt took longer than its timeout of \(timeout)\(when)."
        case .call(let deadline): "The call took longer than its deadline of \(deadline)\(when)."
        case .place(let wait, let transfers):
            "None of the \(transfers) transfers that may run to the origin at a time ended within \(wait) (transfersPerOrigin, placeTimeout)."
        }
    }
}

/// A phase of a transfer in which a limit of time can strike.
enum TransferPhase: Sendable {
    /// Waiting until one of the transfers to the origin ends.
    case place(transfers: Int)
    /// Waiting for the connection that another transfer makes.
    case sharedConnection
    /// Waiting for a closure of the app.
    case closure(String)
    case lookUp, connecting, securing, sending, waiting, receiving

    var words: String {
        switch self {
        case .place(let transfers): "waiting for one of the \(transfers) transfers to its origin to end (transfersPerOrigin)"
        case .sharedConnection: "waiting for the first connection to its origin"
        case .closure(let name): "waiting for \(name)"
        case .lookUp: "looking up the host's name"
        case .connecting: "connecting"
        case .securing: "agreeing on TLS"
        case .sending: "sending the request"
        case .waiting: "waiting for the response"
        case .receiving: "receiving the response"
        }
    }
}

extension APIError {
    /// Makes the error of a limit of time that has struck.
    init(late limit: TimeLimit, in phase: TransferPhase? = nil) {
        self.init(.timeout)
        setLimit(limit, phase)
    }

    static func late(attempt timeout: Duration) -> APIError { APIError(late: .attempt(timeout)) }

    static func late(_ deadline: Duration) -> APIError { APIError(late: .call(deadline)) }

    /// Whether the time was spent waiting for a place, so that nothing has been sent.
    var isOfPlace: Bool {
        guard let limit else { return false }
        if case .place = limit.limit { return true }
        if case .place? = limit.phase { return true }
        return false
    }

    /// Returns an error that names the phase, if the error is that of a limit of time.
    static func adding(_ phase: @autoclosure () -> TransferPhase, to error: any Error) -> any Error {
        guard var error = error as? APIError, let (limit, known) = error.limit, known == nil else { return error }
        error.setLimit(limit, phase())
        return error
    }
}
