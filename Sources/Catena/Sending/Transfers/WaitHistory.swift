/// The durations of a loop's recent waits, which predict whether spinning through the next wait is worthwhile.
///
/// A sleeping processor wakes up tens of microseconds late, and waking up costs processor time. If the response of a near backend takes
/// hardly longer than that, spinning is faster than sleeping and about as cheap.
struct WaitHistory {
    /// The longest wait worth spinning for, in microseconds.
    static let briefWait: Int64 = 150
    /// The initial number of consecutive brief waits after which the next one is expected to be brief. One is not enough: with a distant
    /// backend, the wait for a response is long, but the wait for the caller's next request is brief.
    static let fewest = 4
    /// The maximum of `enough`, which grows after each wrong prediction. On a busy machine, a spinning loop may lose milliseconds to the threads
    /// that it yields to. At most once in 256 waits, that loss is less than what the other waits gain. After 256 brief waits in a row the
    /// machine is not busy, so `enough` starts at `fewest` again.
    static let most = 256
    /// The maximum number of waits of a small call, which needs two: for the request and for the response. More waits mean a long body, and
    /// the caller does not wait for each of its pieces.
    static let mostPerCall = 4

    private var briefWaits = 0
    private var waitsOfCall = 0
    private var enough = Self.fewest

    /// Whether the next wait is expected to be brief and to belong to a small call.
    var isWorthStayingAwake: Bool { briefWaits >= enough && waitsOfCall < Self.mostPerCall }

    /// Records the duration of a wait in microseconds.
    mutating func note(_ microseconds: Int64) {
        let isBrief = microseconds < Self.briefWait
        if !isBrief, isWorthStayingAwake { enough = min(enough * 8, Self.most) }
        briefWaits = isBrief ? min(briefWaits + 1, Self.most) : 0
        if briefWaits == Self.most { enough = Self.fewest }
        waitsOfCall = min(waitsOfCall + 1, Self.mostPerCall)
    }

    /// Records that a call has ended, so that the next wait counts as the first of another call.
    mutating func noteEnd() { waitsOfCall = 0 }
}
