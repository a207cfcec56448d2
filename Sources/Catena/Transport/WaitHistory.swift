/// How long a loop has waited lately, which tells whether the next wait is worth staying awake for. Pure.
///
/// A processor that sleeps wakes up tens of microseconds late, and that costs processor time, too. Where a backend is so near that the wait
/// for it takes hardly longer, it is quicker, and about as cheap, to look again and again.
struct WaitHistory {
    /// The longest wait worth staying awake for, in microseconds.
    static let briefWait = 150
    /// So many brief waits in a row tell that the next one will be brief. With a backend that is not near, only every other one is: the wait for
    /// the next request.
    static let enough = 4
    /// A small call takes two waits, for the request and for the response. One that takes more is sending or receiving a long body, and the next
    /// piece is not what its caller waits for.
    static let mostPerCall = 4

    private var briefWaits = 0
    private var waitsOfCall = 0

    /// Whether the next wait is expected to be brief and to be one of a small call.
    var isWorthStayingAwake: Bool { briefWaits >= Self.enough && waitsOfCall < Self.mostPerCall }

    /// Notes how many microseconds a wait has taken.
    mutating func note(_ microseconds: Int) {
        briefWaits = microseconds < Self.briefWait ? min(briefWaits + 1, Self.enough) : 0
        waitsOfCall = min(waitsOfCall + 1, Self.mostPerCall)
    }

    /// Notes that a call has ended: the waits of the next one begin.
    mutating func noteEnd() { waitsOfCall = 0 }
}
