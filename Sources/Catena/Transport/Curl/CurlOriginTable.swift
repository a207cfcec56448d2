#if os(Linux) && canImport(Glibc)
/// What the loops of a transport know of its origins together: whose turn it is, and where HTTP/2 is not spoken.
///
/// The limit of an origin counts its transfers on all loops, and those that wait for their turn are in one queue.
final class CurlOriginTable: Sendable {
    /// With a smaller limit an origin has one loop, and so no more connections than transfers at a time.
    private static let smallestSpread = 32
    /// How many origins over TLS are spread; others have one loop.
    private static let mostExclusive = 1_000

    /// How many loops may have transfers to one origin.
    let width: Int
    private let turns: Mutex<OriginQueue<CurlTransfer>>
    /// The origins that have answered over TLS in HTTP/1, where each transfer needs a connection for itself anyway.
    private let exclusive = Mutex<Set<String>>([])
    /// The origins whose servers have ended a stream with HTTP_1_1_REQUIRED.
    private let limitedToHTTP1 = Mutex<Set<String>>([])

    init(_ configuration: CurlConfiguration) {
        width = configuration.transfersPerOrigin < Self.smallestSpread ? 1 : configuration.loops
        turns = Mutex(OriginQueue(limit: configuration.transfersPerOrigin))
    }

    /// Whether the transfer may run now; if not, it waits for its turn.
    func enter(_ transfer: CurlTransfer) -> Bool {
        turns.withLock { $0.enter(transfer, to: transfer.originText) }
    }

    /// Ends the turn of a transfer. Gives the one whose turn it is now, on whatever loop.
    func leave(_ transfer: CurlTransfer) -> CurlTransfer? {
        turns.withLock { $0.leave(transfer.originText) }
    }

    /// Whether transfers to the origin over TLS are known to need a connection each.
    func isExclusive(_ origin: String) -> Bool {
        width > 1 && exclusive.withLock { $0.contains(origin) }
    }

    /// Whether the server of an origin requires HTTP/1.1.
    func requiresHTTP1(_ origin: String) -> Bool { limitedToHTTP1.withLock { !$0.isEmpty && $0.contains(origin) } }

    func requireHTTP1(_ origin: String) {
        limitedToHTTP1.withLock { origins in
            if origins.count < Self.mostExclusive { origins.insert(origin) }
        }
    }

    func noteExclusive(_ origin: String) {
        guard width > 1 else { return }
        exclusive.withLock { origins in
            if origins.count < Self.mostExclusive { origins.insert(origin) }
        }
    }
}
#endif
