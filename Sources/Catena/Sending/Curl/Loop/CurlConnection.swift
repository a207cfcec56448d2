#if os(Linux) && canImport(Glibc)
/// One connection of a loop, from its first request until its socket is closed. Used on the loop's thread only.
final class CurlConnection {
    /// The identity of the connection: the local port, the server's port and a hash of both addresses.
    let key: UInt64
    let origin: CurlOrigin?
    /// The socket, or -1 if it was not found, so that its end cannot be noticed.
    let socket: Int32
    let opened: Int64
    /// The transfers whose requests are on the connection.
    private(set) var transfers: [CurlTransfer] = []
    /// The number of requests that the connection has carried.
    private(set) var requests = 0
    /// The number of received pieces. A transfer compares two values to see whether anything arrived.
    @exclusivity(unchecked) private(set) var heard = 0
    /// The number of received pieces when libcurl was last asked to continue.
    @exclusivity(unchecked) private var asked = 0
    /// The time until which the server keeps the idle connection open, according to `Keep-Alive: timeout`.
    var idleEnd = Int64.max
    /// The time for which the server keeps an idle connection open, in nanoseconds.
    var idleLimit: Int64?
    /// Whether the connection carries one request after the other, so that nothing may arrive between two of them.
    var isExclusive = false
    /// Whether the connection takes one request only, because its HTTP/2 settings have not arrived. The server would refuse the requests
    /// beyond its limit of streams (RFC 9113 §5.1.2).
    var isSettling = false
    /// The transfers that wait for the settings.
    private var waiting: [CurlTransfer] = []
    /// Whether the server's certificate was found to name a host.
    var isVerified = false
    /// Whether the connection must carry no further request.
    private(set) var isRetired = false

    init(key: UInt64, origin: CurlOrigin?, socket: Int32, opened: Int64) {
        (self.key, self.origin, self.socket, self.opened) = (key, origin, socket, opened)
    }

    /// Adds the transfer whose request is about to be written.
    func begin(_ transfer: CurlTransfer) {
        requests += 1
        idleEnd = .max
        transfers.append(transfer)
    }

    /// Removes a transfer that has ended.
    func end(_ transfer: CurlTransfer, now: @autoclosure () -> Int64) {
        guard let index = transfers.firstIndex(where: { $0 === transfer }) else { return }
        transfers.swapAt(index, transfers.count - 1)
        transfers.removeLast()
        if transfers.isEmpty, let idleLimit { idleEnd = now() + idleLimit }
    }

    var isIdle: Bool { transfers.isEmpty }

    /// Holds a transfer while another one awaits the settings. Returns `false` if none does.
    func hold(_ transfer: CurlTransfer) -> Bool {
        guard isSettling, !isIdle else { return false }
        waiting.append(transfer)
        return true
    }

    /// Whether transfers wait for settings that have arrived, or that no transfer awaits.
    var hasReleased: Bool { !waiting.isEmpty && (!isSettling || isIdle) }

    func takeWaiting() -> [CurlTransfer] {
        defer { waiting = [] }
        return waiting
    }

    /// Returns whether no other transfer uses the connection.
    func isIdle(but transfer: CurlTransfer) -> Bool { transfers.allSatisfy { $0 === transfer } }

    @inline(__always) func noteHeard() { heard &+= 1 }

    /// Whether the connection has brought something since libcurl was last asked to continue.
    var hasBroughtMore: Bool { heard != asked }

    func noteAsked() { asked = heard }

    /// Makes libcurl continue once after an event of the socket, although it may have brought nothing.
    func noteEvent() { asked = heard &- 1 }

    /// Retires the connection: its transfers continue, but no other begins on it.
    func retire() {
        guard !isRetired else { return }
        isRetired = true
        origin?.admission.disconnected()
    }
}

extension CurlConnection {
    /// Returns the key for both ends of a connection as libcurl names them. Ports alone are not enough, because two origins may be reached
    /// from one port.
    static func key(
        remote: UnsafePointer<CChar>?, local: UnsafePointer<CChar>?, remotePort: Int32, localPort: Int32
    ) -> UInt64 {
        // FNV-1a.
        var hash: UInt32 = 0x811C_9DC5
        for text in [remote, local] {
            var next = text
            while let character = next?.pointee, character != 0 {
                hash = (hash ^ UInt32(UInt8(bitPattern: character))) &* 0x0100_0193
                next = next?.advanced(by: 1)
            }
        }
        return UInt64(hash) << 32 | UInt64(UInt16(truncatingIfNeeded: remotePort)) << 16 | UInt64(UInt16(truncatingIfNeeded: localPort))
    }
}
#endif
