import Foundation
import Synchronization

/// A port on 127.0.0.1 whose connections a closure serves byte by byte, each on a thread.
final class Listener: Sendable {
    /// A connection, used on its thread only.
    struct Connection {
        fileprivate let descriptor: Int32

        /// Returns the next bytes, or `nil` at the end of the connection.
        func receive() -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: 16_384)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count > 0 ? Array(bytes[..<count]) : nil
        }

        func send(_ bytes: some Sequence<UInt8>) {
            let bytes = Array(bytes)
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                sent += count
            }
        }
    }

    let port: Int
    private let descriptor: Int32
    private let hasEnded = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - port: The port, or 0 for any free one.
    ///   - serve: Serves a connection, which ends when the closure returns.
    init(port: Int = 0, _ serve: @escaping @Sendable (Connection) -> Void) throws {
        // A write to a connection that the client has closed would end the process.
        signal(SIGPIPE, SIG_IGN)
        #if os(Linux)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = in_port_t(port).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE) }
        (self.descriptor, self.port) = (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
        Thread.detachNewThread { [hasEnded] in
            while true {
                let accepted = accept(descriptor, nil, nil)
                guard accepted >= 0 else { break }
                Thread.detachNewThread {
                    serve(Connection(descriptor: accepted))
                    close(accepted)
                }
            }
            close(descriptor)
            hasEnded.signal()
        }
    }

    /// Returns a port that no server has now.
    static func freePort() throws -> Int {
        let listener = try Listener { _ in }
        listener.stop()
        return listener.port
    }

    /// Ends the accepting of connections.
    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        hasEnded.wait()
    }
}

/// A request over a connection of its own, byte for byte.
enum Exchange {
    /// Returns everything that the server sends until it closes the connection, within two seconds.
    static func run(_ port: Int, _ text: String) -> String {
        #if os(Linux)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = in_port_t(port).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return "not connected" }
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { return "not written" }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += piece[..<count]
        }
    }
}
