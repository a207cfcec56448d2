#if os(Linux) && canImport(Glibc)
/// One connection of a loop, from the first request on it until its socket is closed. Touched by the loop's thread only.
final class CurlConnection {
    /// The number that tells it from others: our port, the server's, and a hash of both addresses.
    let key: UInt64
    let origin: CurlOrigin?
    /// The socket; -1 if it was not found, so that nothing is known of its end.
    let socket: Int32
    let opened: Int64
    /// The transfers whose requests are on it.
    private(set) var transfers: [CurlTransfer] = []
    /// How many requests it has carried.
    private(set) var requests = 0
    /// How many pieces it has brought. A transfer compares two counts to see whether anything came.
    @exclusivity(unchecked) private(set) var heard = 0
    /// Until when the server keeps it without a request, as its `Keep-Alive: timeout` says.
    var idleEnd = Int64.max
    /// How long the server keeps it without a request, in nanoseconds.
    var idleLimit: Int64?
    /// Whether it carries one request after the other, so that nothing may arrive between two of them.
    var isExclusive = false
    /// Whether the server's certificate was found to name a host.
    var isVerified = false
    /// Whether it must carry no further request.
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

    /// Removes a transfer that is over.
    func end(_ transfer: CurlTransfer, now: @autoclosure () -> Int64) {
        guard let index = transfers.firstIndex(where: { $0 === transfer }) else { return }
        transfers.swapAt(index, transfers.count - 1)
        transfers.removeLast()
        if transfers.isEmpty, let idleLimit { idleEnd = now() + idleLimit }
    }

    /// Whether no transfer uses it.
    var isIdle: Bool { transfers.isEmpty }

    /// Whether no transfer but this one uses it.
    func isIdle(but transfer: CurlTransfer) -> Bool { transfers.allSatisfy { $0 === transfer } }

    @inline(__always) func noteHeard() { heard &+= 1 }

    /// Takes it out of use: transfers that are on it go on, and no other begins there.
    func retire() {
        guard !isRetired else { return }
        isRetired = true
        origin?.admission.disconnected()
    }
}

/// The connections of a loop.
struct CurlConnections {
    private var known: [UInt64: CurlConnection] = [:]

    subscript(key: UInt64) -> CurlConnection? { known[key] }

    mutating func add(_ connection: CurlConnection) { known[connection.key] = connection }

    /// Forgets the connection of a socket that is being closed.
    mutating func remove(_ connection: CurlConnection) {
        if known[connection.key] === connection { known[connection.key] = nil }
    }
}

extension CurlConnection {
    /// The key of a connection as libcurl names its two ends. Ports alone are not enough: two origins may be reached from one port.
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
