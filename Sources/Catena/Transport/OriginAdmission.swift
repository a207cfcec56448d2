/// Decides which transfers to one origin start at once, and holds the others until the first connection has shown its protocol. Pure.
///
/// Without it a burst to an origin without a connection would open one connection for each transfer, although HTTP/2 needs one in all.
/// libcurl's own queue does not serve: from 8.10 on it leaves transfers waiting where the protocol turns out to be HTTP/1.1.
struct OriginAdmission<Transfer> {
    /// The protocol that the origin speaks over TLS, as far as it is known.
    enum Version {
        case unknown, http1, http2
    }

    /// The way of a transfer that arrives.
    enum Entry {
        case start
        /// The transfer starts, and the others wait for what it finds out.
        case startAsScout
        case wait
    }

    private enum Phase {
        case idle
        /// The scout has no connection yet.
        case connecting
        /// The scout's connection is there, and its settings are not: they come before the first byte of a response.
        case settling
    }

    private(set) var version = Version.unknown
    private var phase = Phase.idle
    /// How many connections the origin has, of whatever protocol.
    private var connections = 0
    private var held: [Transfer] = []

    /// Admits a transfer, or keeps it until ``release()``'s moment has come.
    mutating func enter(_ transfer: Transfer) -> Entry {
        if version == .http1 || (connections > 0 && phase == .idle) { return .start }
        if phase == .idle {
            phase = .connecting
            return .startAsScout
        }
        held.append(transfer)
        return .wait
    }

    /// Notes a connection. Returns those that start now, if `isScout`; the others wait for the first byte of a response.
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

    /// Whether the scout has a connection, and the others wait for the first byte of its response.
    var isSettling: Bool { phase == .settling }

    /// Notes that a connection is closed, or must not be used again.
    mutating func disconnected() {
        connections -= 1
    }

    /// Notes the protocol of a response.
    mutating func note(_ version: Version) {
        self.version = version
    }

    /// Ends the wait, because the scout has its first byte, has used up its time or is over. Returns those that start now.
    mutating func release() -> [Transfer] {
        phase = .idle
        defer { held = [] }
        return held
    }
}
