#if os(Linux) && canImport(Glibc)
import Glibc

/// Has the system find out that the other side of a connection is gone, although nothing says so: the network has changed, or a firewall has
/// forgotten the connection.
enum SocketProbes {
    /// In seconds: how long a connection is silent before it is probed, and how long each probe waits.
    private static let (idle, interval): (Int32, Int32) = (30, 10)
    private static let count: Int32 = 3
    /// In milliseconds: how long what was sent may go without an acknowledgement (RFC 5482).
    private static let unacknowledged: Int32 = 30_000

    static func enable(on socket: Int32, family: Int32) {
        guard family == AF_INET || family == AF_INET6 else { return }
        set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
        let protocolNumber = Int32(IPPROTO_TCP)
        set(socket, protocolNumber, TCP_KEEPIDLE, idle)
        set(socket, protocolNumber, TCP_KEEPINTVL, interval)
        set(socket, protocolNumber, TCP_KEEPCNT, count)
        set(socket, protocolNumber, TCP_USER_TIMEOUT, unacknowledged)
    }

    /// The port on our side of a socket; -1 if it has none.
    static func port(of socket: Int32) -> Int {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        guard result == 0, Int32(address.ss_family) == AF_INET || Int32(address.ss_family) == AF_INET6 else { return -1 }
        // The port stands at the same place in both kinds of address.
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int(UInt16(bigEndian: $0.pointee.sin_port)) }
        }
    }

    private static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
#endif
