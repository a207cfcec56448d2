/// How many calls may begin in a period.
///
/// ```swift
/// RateLimit(10, per: .seconds(1))                // 10 at once, then one every 100 ms
/// RateLimit(10, per: .seconds(1), burst: 1)      // one every 100 ms from the start
/// ```
public struct RateLimit: Sendable, Equatable {
    /// How many calls may begin in each period; less than one counts as one.
    public var count: Int
    /// The length of the period.
    public var period: Duration
    /// How many calls may begin at once after a pause.
    public var burst: Int

    /// - Parameter burst: How many calls may begin at once after a pause: as many as in a whole period unless given.
    public init(_ count: Int, per period: Duration, burst: Int? = nil) {
        self.count = count
        self.period = period
        self.burst = burst ?? count
    }
}
