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

/// A port on 127.0.0.1 without a server. The system gives it to no other socket as long as this object exists.
final class UnservedPort {
    enum Manner {
        /// Attempts to connect are refused.
        case closed
        /// The system accepts connections, but no server ever reads from them or writes to them.
        case silent
    }

    let port: Int
    private let socket: Int32

    init?(_ manner: Manner) {
        guard let bound = Self.makeSocket() else { return nil }
        socket = bound
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        guard Self.call(bind, bound, &address) else { return nil }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let named = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(bound, $0, &length) }
        }
        guard named == 0 else { return nil }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard manner == .silent else { return }
        guard listen(bound, 128) == 0 else { return nil }
    }

    deinit {
        close(socket)
    }

    private static func makeSocket() -> Int32? {
        let made = openSocket()
        guard made >= 0 else { return nil }
        _ = fcntl(made, F_SETFD, FD_CLOEXEC)
        _ = fcntl(made, F_SETFL, O_NONBLOCK)
        return made
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32, _ address: inout sockaddr_in
    ) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

/// Calls the system's `socket`, which the property `socket` hides inside the class.
private func openSocket() -> Int32 {
    #if canImport(Glibc)
    socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    socket(AF_INET, SOCK_STREAM, 0)
    #endif
}
