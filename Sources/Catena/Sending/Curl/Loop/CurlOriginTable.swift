#if os(Linux) && canImport(Glibc)
/// The state of origins that the loops of a transport share: the queue of each origin, and the origins that do not speak HTTP/2.
///
/// The limit of an origin counts its transfers on all loops. Transfers beyond the limit wait in one queue.
final class CurlOriginTable: Sendable {
    /// The smallest limit that lets an origin use several loops. With a smaller limit an origin has one loop, and no more connections than
    /// simultaneous transfers.
    private static let smallestSpread = 32
    /// The maximum number of recorded origins. Others over TLS use one loop.
    private static let mostExclusive = 1_000

    /// The number of loops that may have transfers to one origin.
    let width: Int
    /// How many transfers run to an origin at a time.
    let limit: Int
    /// How long a transfer may wait for its turn, if its call has no deadline.
    let placeTimeout: Duration
    private let turns: Mutex<OriginQueue<CurlTransfer>>
    /// The origins that have responded over TLS with HTTP/1, where each transfer needs its own connection anyway.
    private let exclusive = Mutex<Set<String>>([])
    /// The origins whose servers have ended a stream with HTTP_1_1_REQUIRED.
    private let limitedToHTTP1 = Mutex<Set<String>>([])

    init(_ configuration: CurlConfiguration) {
        width = configuration.transfersPerOrigin < Self.smallestSpread ? 1 : configuration.loops
        limit = max(1, configuration.transfersPerOrigin)
        placeTimeout = configuration.placeTimeout
        turns = Mutex(OriginQueue(limit: limit))
    }

    /// Returns whether the transfer may run now; otherwise it waits in the queue.
    func enter(_ transfer: CurlTransfer) -> Bool {
        turns.withLock { $0.enter(transfer, to: transfer.originText) }
    }

    /// Removes a running transfer. Returns the waiting transfer that may run now, on any loop.
    func leave(_ transfer: CurlTransfer) -> CurlTransfer? {
        turns.withLock { $0.leave(transfer.originText) }
    }

    /// Whether transfers to the origin over TLS are known to need one connection each.
    func isExclusive(_ origin: String) -> Bool {
        width > 1 && exclusive.withLock { $0.contains(origin) }
    }

    /// Whether the server of an origin requires HTTP/1.1.
    func requiresHTTP1(_ origin: String) -> Bool { limitedToHTTP1.withLock { !$0.isEmpty && $0.contains(origin) } }

    /// Makes all later transfers to an origin use HTTP/1.1, because its server requires it.
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
