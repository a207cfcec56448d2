import Foundation

/// A listening socket on 127.0.0.1 that answers one request at a time, and tells when its first byte arrived.
struct FirstByteServer {
    let port: UInt16
    private let listener: Int32

    /// The response to every request: a room as JSON.
    private static let response = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\nConnection: close\r\n\r\n{\"id\":7}".utf8)

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // A program that never connects must not keep this one waiting.
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw Problem("No port of 127.0.0.1 can be used.") }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
    }

    func close() { _ = Glibc.close(listener) }

    /// Serves one request, and returns the time at which its first byte arrived.
    func serve() throws -> ContinuousClock.Instant {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { throw Problem("The program did not connect within 10 seconds.") }
        defer { _ = Glibc.close(connection) }
        var head = [UInt8](repeating: 0, count: 65_536)
        var count = recv(connection, &head, head.count, 0)
        let arrival = ContinuousClock.now
        while count > 0, !head[..<count].ends(with: "\r\n\r\n".utf8) {
            let more = recv(connection, &head[count], head.count - count, 0)
            guard more > 0 else { break }
            count += more
        }
        guard count > 0 else { throw Problem("The program sent no request.") }
        _ = send(connection, Self.response, Self.response.count, Int32(MSG_NOSIGNAL))
        shutdown(connection, Int32(SHUT_WR))
        while recv(connection, &head, head.count, 0) > 0 {}
        return arrival
    }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with suffix: String.UTF8View) -> Bool { count >= suffix.count && self.suffix(suffix.count).elementsEqual(suffix) }
}
