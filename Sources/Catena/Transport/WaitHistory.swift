/// The durations of a loop's recent waits, which predict whether spinning through the next wait is worthwhile. Pure.
///
/// A sleeping processor wakes up tens of microseconds late, which also costs processor time. If the backend is so near that a wait is
/// hardly longer, polling repeatedly is faster and about as cheap.
struct WaitHistory {
    /// The longest wait worth spinning for, in microseconds.
    static let briefWait: Int64 = 150
    /// The initial number of consecutive brief waits after which the next one is expected to be brief. One is not enough: with a distant
    /// backend every other wait, the one for the next request, is brief.
    static let fewest = 4
    /// The maximum of that number, which grows after each wrong prediction. On a busy machine, a loop that yields may lose milliseconds.
    /// Once in 256 waits, that costs less than the other waits gain.
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
