#if os(Linux) && canImport(Glibc)
/// Bounds the bytes that a transfer receives before the other transfers of its loop have their turn. libcurl itself reads up to a
/// hundred buffers in a row, and does so several times before it returns. No other call is served during these megabytes. Pure.
struct CurlTurn {
    static let longest = 256 * 1024
    /// The bytes of a stream while other transfers are in progress.
    static let besideOthers = 64 * 1024

    private var count = 0
    private var round = 0

    /// Returns whether the turn includes the next bytes. Otherwise it is over, and the next one begins. Another one also begins with each
    /// round of the loop.
    mutating func takes(_ bytes: Int, atMost limit: Int, in round: Int) -> Bool {
        if round != self.round { (self.round, count) = (round, 0) }
        if count > 0, bytes > limit - count {
            count = 0
            return false
        }
        count += bytes
        return true
    }
}
#endif
