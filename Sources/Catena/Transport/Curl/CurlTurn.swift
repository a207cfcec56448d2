#if os(Linux) && canImport(Glibc)
/// Bounds the bytes that a transfer receives before the other transfers of its loop have their turn. libcurl itself reads a hundred buffers
/// in a row, and as much again before it returns: several megabytes, during which no other call is served. Pure.
struct CurlTurn {
    static let longest = 256 * 1024
    /// The bytes of a stream while other transfers are in progress.
    static let besideOthers = 64 * 1024

    private var count = 0

    /// Returns whether the turn includes the next bytes. Otherwise it is over, and the next one begins.
    mutating func takes(_ bytes: Int, atMost limit: Int) -> Bool {
        if count > 0, bytes > limit - count {
            count = 0
            return false
        }
        count += bytes
        return true
    }
}
#endif
