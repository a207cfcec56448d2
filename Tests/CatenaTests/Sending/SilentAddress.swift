#if os(Linux) && canImport(Glibc)
import Glibc

/// An address of this machine whose port does not respond. Attempts to connect hang, as if the machine were unreachable.
///
/// The queue of connections that wait for the server is full, so that the system drops further ones.
final class SilentAddress {
    private var sockets: [Int32] = []

    /// - Parameter address: An address of 127.0.0.0/8, or `::1`.
    init?(_ address: String, port: Int) {
        guard let listener = Self.makeSocket(for: address) else { return nil }
        sockets.append(listener)
        var reuses: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
        guard Self.call(bind, listener, address, port) == 0, listen(listener, 0) == 0 else { return nil }
        for _ in 0..<3 {
            guard let filler = Self.makeSocket(for: address) else { return nil }
            sockets.append(filler)
            _ = Self.call(connect, filler, address, port)
        }
    }

    deinit {
        for socket in sockets { close(socket) }
    }

    private static func makeSocket(for address: String) -> Int32? {
        let made = socket(address.contains(":") ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard made >= 0 else { return nil }
        _ = fcntl(made, F_SETFD, FD_CLOEXEC)
        _ = fcntl(made, F_SETFL, O_NONBLOCK)
        return made
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32, _ address: String, _ port: Int
    ) -> Int32 {
        let number = in_port_t(port).bigEndian
        if address.contains(":") {
            var place = sockaddr_in6()
            (place.sin6_family, place.sin6_port) = (sa_family_t(AF_INET6), number)
            inet_pton(AF_INET6, address, &place.sin6_addr)
            return pass(&place, to: function, socket)
        }
        var place = sockaddr_in()
        (place.sin_family, place.sin_port) = (sa_family_t(AF_INET), number)
        inet_pton(AF_INET, address, &place.sin_addr)
        return pass(&place, to: function, socket)
    }

    private static func pass<Address>(
        _ place: inout Address, to function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32
    ) -> Int32 {
        withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(socket, $0, socklen_t(MemoryLayout<Address>.size)) }
        }
    }
}
#endif
