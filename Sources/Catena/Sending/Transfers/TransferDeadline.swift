/// When an exchange has to be over by the system's clock, and the limit that ends it.
struct TransferDeadline: Sendable {
    var instant: ContinuousClock.Instant
    let limit: TimeLimit

    /// The error of an exchange that is not over in time. It is made when it is needed, because nearly every exchange is over in time.
    var error: APIError { APIError(late: limit) }

    /// The instant in nanoseconds since a moment of this process, for comparing.
    var nanoseconds: Int64 { Self.nanoseconds(of: instant) }

    static func nanoseconds(of instant: ContinuousClock.Instant) -> Int64 { (instant - origin).nanoseconds }

    private static let origin = ContinuousClock.now
}

/// The limits of time of a transfer, and who ends it.
struct TransferLimits: Sendable {
    /// The end of the attempt, if the engine ends the transfer then. The wait for a place is no part of the attempt.
    var attempt: TransferDeadline?
    /// The end of the call, if the engine ends the transfer then.
    var call: TransferDeadline?
    /// The timer of the attempt, if it ends the transfer from outside.
    var timer: AttemptTimer?
    /// The limit that the timer keeps, if it does so by the system's clock.
    private var timed: TimeLimit?
    /// Says to a handler in which phase the transfer is, if a timer ends it from outside.
    var describe: (@Sendable (@escaping @Sendable (TransferPhase?) -> Void) -> Void)?
    /// Whether the call has a deadline, so that a wait for a place comes to an end.
    var isBounded = false

    init() {}

    init(attempt: TransferDeadline) { self.attempt = attempt }

    init(timer: AttemptTimer, keeping limit: TimeLimit?, isBounded: Bool) {
        (self.timer, timed, self.isBounded) = (timer, limit, isBounded)
    }

    /// The limit of an attempt or of a call alone.
    init(keeping deadline: TransferDeadline) {
        if case .call = deadline.limit { call = deadline } else { attempt = deadline }
    }

    /// The limit that ends a transfer that has a place.
    var running: TransferDeadline? {
        guard let call else { return attempt }
        guard let attempt, attempt.instant <= call.instant else { return call }
        return attempt
    }

    /// The limit that bounds the time for connecting, whether libcurl or a timer keeps it.
    var connecting: TimeLimit? { running?.limit ?? timed }

    /// The limit that ends a transfer that waits for a place; `nil` if the deadline of its call is kept elsewhere.
    func waiting(since start: ContinuousClock.Instant, atMost limit: Duration, among transfers: Int) -> TransferDeadline? {
        if let call { return call }
        return isBounded ? nil : TransferDeadline(instant: start + limit, limit: .place(limit, transfers: transfers))
    }

    /// Continues the attempt after its wait for a place.
    mutating func resume(after wait: Duration) {
        attempt?.instant += wait
        timer?.resume()
    }
}
