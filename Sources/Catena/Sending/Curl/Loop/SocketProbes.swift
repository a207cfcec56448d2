#if os(Linux) && canImport(Glibc)
import CatenaPlatform

/// Lets the system detect a dead connection that nothing reports, for example because the network changed or a firewall forgot it.
enum SocketProbes {
    /// The inactivity after which a connection is probed, and the time that each probe waits, in seconds.
    private static let (idle, interval): (Int32, Int32) = (30, 10)
    private static let count: Int32 = 3
    /// The time that sent bytes may remain unacknowledged, in milliseconds (RFC 5482).
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

    /// Returns the local port of a socket, or -1 if it has none.
    static func port(of socket: Int32) -> Int {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        guard result == 0, Int32(address.ss_family) == AF_INET || Int32(address.ss_family) == AF_INET6 else { return -1 }
        // The port has the same offset in IPv4 and IPv6 addresses.
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int(UInt16(bigEndian: $0.pointee.sin_port)) }
        }
    }

    /// Returns whether a socket has a connection.
    static func isConnected(_ socket: Int32) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) }
        } == 0
    }

    private static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
#endif
