/// Decides which transfers to an origin start at once. The others wait until the first connection has negotiated its protocol. Pure.
///
/// Otherwise a burst to an origin without a connection would open one connection per transfer, although HTTP/2 needs only one. libcurl's
/// own queue is no alternative: from 8.10 on it keeps transfers waiting if the protocol turns out to be HTTP/1.1.
struct OriginAdmission<Transfer> {
    /// The protocol that the origin speaks over TLS, if known.
    enum Version {
        case unknown, http1, http2
    }

    /// The decision about a transfer that arrives.
    enum Entry {
        case start
        /// The transfer starts, and the others wait until it has found out the protocol.
        case startAsScout
        case wait
    }

    private enum Phase {
        case idle
        /// The scout has no connection yet.
        case connecting
        /// The scout has a connection but not its HTTP/2 settings, which arrive before the first byte of a response.
        case settling
    }

    private(set) var version = Version.unknown
    private var phase = Phase.idle
    /// The number of connections to the origin, of any protocol.
    private var connections = 0
    private var held: [Transfer] = []

    /// Admits a transfer, or holds it until ``release()``.
    mutating func enter(_ transfer: Transfer) -> Entry {
        if version == .http1 || (connections > 0 && phase == .idle) { return .start }
        if phase == .idle {
            phase = .connecting
            return .startAsScout
        }
        held.append(transfer)
        return .wait
    }

    /// Records a new connection. Returns the transfers that start now, if `isScout`; over HTTP/2 they wait for the first byte of a
    /// response.
    mutating func connected(isScout: Bool, _ version: Version) -> [Transfer] {
        connections += 1
        if version != .unknown { self.version = version }
        guard isScout, phase == .connecting else { return [] }
        guard version == .http1 else {
            phase = .settling
            return []
        }
        return release()
    }

    /// Whether the scout is connected, and the others wait for the first byte of its response.
    var isSettling: Bool { phase == .settling }

    /// Returns the time in microseconds that the others wait for that byte, at most a second.
    ///
    /// The SETTINGS need one round trip. TCP takes one too, and TLS at least one more. So two round trips are waited, or as long as connecting
    /// took, because a server that connects slowly may also send slowly.
    ///
    /// - Parameters:
    ///   - connected: The time that TCP took, in microseconds.
    ///   - encrypted: The time that TCP and TLS took, or zero without TLS.
    ///   - least: The time that is waited in any case.
    static func settlingTime(connected: Int64, encrypted: Int64, least: Int64) -> Int64 {
        max(min(max(2 * connected, encrypted), 1_000_000), least)
    }

    /// Records that a connection is closed or must not be reused.
    mutating func disconnected() {
        connections -= 1
    }

    /// Records the protocol of a response.
    mutating func note(_ version: Version) {
        self.version = version
    }

    /// Ends the wait and returns the transfers that start now. Called when the scout has received its first byte, has used up its time or
    /// has ended.
    mutating func release() -> [Transfer] {
        phase = .idle
        defer { held = [] }
        return held
    }
}
