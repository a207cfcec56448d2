/// How long a loop has waited lately, which tells whether the next wait is worth staying awake for. Pure.
///
/// A processor that sleeps wakes up tens of microseconds late, and that costs processor time, too. Where a backend is so near that the wait
/// for it takes hardly longer, it is quicker, and about as cheap, to look again and again.
struct WaitHistory {
    /// The longest wait worth staying awake for, in microseconds.
    static let briefWait: Int64 = 150
    /// So many brief waits in a row tell at first that the next one will be brief. With a backend that is not near, every other one is: the wait
    /// for the next request.
    static let fewest = 4
    /// So many tell it after waits that were not brief after all. Where the processors have other work, a loop that lets others go first may lose
    /// milliseconds: once in so many waits is less than what the others gain.
    static let most = 256
    /// A small call takes two waits, for the request and for the response. One that takes more is sending or receiving a long body, and the next
    /// piece is not what its caller waits for.
    static let mostPerCall = 4

    private var briefWaits = 0
    private var waitsOfCall = 0
    private var enough = Self.fewest

    /// Whether the next wait is expected to be brief and to be one of a small call.
    var isWorthStayingAwake: Bool { briefWaits >= enough && waitsOfCall < Self.mostPerCall }

    /// Notes how many microseconds the next wait has taken.
    mutating func note(_ microseconds: Int64) {
        let isBrief = microseconds < Self.briefWait
        if !isBrief, isWorthStayingAwake { enough = min(enough * 8, Self.most) }
        briefWaits = isBrief ? min(briefWaits + 1, Self.most) : 0
        if briefWaits == Self.most { enough = Self.fewest }
        waitsOfCall = min(waitsOfCall + 1, Self.mostPerCall)
    }

    /// Notes that a call has ended: the waits of the next one begin.
    mutating func noteEnd() { waitsOfCall = 0 }
}
