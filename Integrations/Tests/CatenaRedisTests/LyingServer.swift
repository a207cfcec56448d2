#if os(Linux)
import Foundation
import Glibc

/// Sends the same reply to every command.
final class LyingServer: Sendable {
    let port: Int
    private let listener: Int32

    init(reply: String) throws {
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
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread {
                    var bytes = [UInt8](repeating: 0, count: 4096)
                    while recv(connection, &bytes, bytes.count, 0) > 0 {
                        _ = send(connection, reply, reply.utf8.count, Int32(MSG_NOSIGNAL))
                    }
                    close(connection)
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
