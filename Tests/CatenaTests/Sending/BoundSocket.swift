#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
#error("The C library of this platform is not known.")
#endif

/// A socket on a port of 127.0.0.1 that the system chooses. Its owner closes it.
struct BoundSocket: Sendable {
    let descriptor: Int32
    let port: Int

    init?() {
        #if canImport(Glibc)
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let made = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard made >= 0 else { return nil }
        _ = fcntl(made, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(made, $0, length) == 0 && getsockname(made, $0, &length) == 0
            }
        }
        guard isNamed else {
            _ = close(made)
            return nil
        }
        (descriptor, port) = (made, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Begins to accept connections. Returns whether it could.
    func accepts(queueing backlog: Int32) -> Bool { listen(descriptor, backlog) == 0 }
}
