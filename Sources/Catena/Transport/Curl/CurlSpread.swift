#if os(Linux) && canImport(Glibc)
/// How the transfers to an origin are spread over the loops of a transport.
///
/// The limit of an origin is divided among the loops that may have its transfers, so that it holds for all of them together without a word
/// between them, for the connections too.
final class CurlSpread: Sendable {
    /// How many transfers a loop has at least as its share: of few, one loop has all, in one queue.
    private static let smallestShare = 16
    /// How many origins over TLS are spread; others have one loop.
    private static let mostOrigins = 1_000

    private let limit: Int
    /// How many loops may have transfers to one origin.
    let width: Int
    /// The origins that have answered over TLS in HTTP/1, where each transfer needs a connection for itself anyway. The value is whether other
    /// loops may have transfers already: not before the first has no more of them than its share.
    private let exclusive = Mutex<[String: Bool]>([:])

    init(limit: Int, loops: Int) {
        self.limit = max(1, limit)
        width = min(loops, max(1, limit / Self.smallestShare))
    }

    /// Whether transfers to the origin over TLS may go to other loops than its own.
    func isOpen(_ origin: String) -> Bool {
        width > 1 && exclusive.withLock { $0[origin] == true }
    }

    /// How many transfers to an origin may run on the loop of this seat.
    func limit(at seat: CurlSeat, to origin: String) -> Int {
        guard width > 1 else { return limit }
        return switch seat.freedom {
        case .none: limit
        case .whenKnown: exclusive.withLock { $0[origin] != nil } ? share(ofLoop: 0) : limit
        case .full: share(ofLoop: seat.distance)
        }
    }

    /// - Parameter distance: From the origin's own loop.
    private func share(ofLoop distance: Int) -> Int {
        limit / width + (distance < limit % width ? 1 : 0)
    }

    /// Notes that an origin has answered over TLS in HTTP/1. Said by its own loop only, which has so many of its transfers.
    func noteExclusive(_ origin: String, running: Int) {
        guard width > 1 else { return }
        exclusive.withLock { origins in
            guard origins[origin] != nil || origins.count < Self.mostOrigins else { return }
            origins[origin] = running <= share(ofLoop: 0)
        }
    }
}
#endif
