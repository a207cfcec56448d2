#if os(Linux)
import Foundation
import Glibc

/// A server on 127.0.0.1 whose connections a closure serves byte by byte, each on a thread.
final class LyingServer: Sendable {
    /// A connection, used on its thread only.
    struct Connection {
        /// The number of the connection, from 1.
        let number: Int
        fileprivate let descriptor: Int32

        /// Returns the next bytes, or `nil` at the end of the connection.
        func receive() -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count > 0 ? Array(bytes[..<count]) : nil
        }

        /// Sends all bytes. Returns `false` if the client has closed the connection.
        @discardableResult
        func send(_ bytes: some Collection<UInt8>) -> Bool {
            var rest = Array(bytes)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    let port: Int
    private let listener: Int32

    /// Sends the same reply to every command.
    convenience init(reply: String) throws {
        try self.init { connection in
            while connection.receive() != nil { connection.send(reply.utf8) }
        }
    }

    /// - Parameter serve: Serves a connection, which ends when the closure returns.
    init(_ serve: @escaping @Sendable (Connection) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileReadUnknown) }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread {
            var number = 0
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                number += 1
                let connection = Connection(number: number, descriptor: descriptor)
                Thread {
                    serve(connection)
                    close(descriptor)
                }.start()
            }
        }.start()
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
#endif
