#if os(Linux)
import Foundation
import Glibc
import Testing

@testable import Catena

/// A server on 127.0.0.1 that responds as soon as it has read a head, without waiting for the body.
final class EarlyServer: Sendable {
    enum Ending: String, CaseIterable, Sendable {
        /// The endings that leave the connection open.
        static let allCases = [open, reading]

        /// The server reads nothing more and leaves the connection open.
        case open
        /// The server reads what the client sends, and ignores it.
        case reading
        /// The server ends its direction of the connection after the response, and reads on.
        case closing
        /// The server sends ``floodLength`` zeros, and reads at the same time.
        case flooding
    }

    static let floodLength = 64 << 20
    /// The number of zeros that a flooding server has sent when nothing moves any more in either direction.
    let quiet = Promise<Int>.pending()

    let port: Int
    private let socket: Int32
    private let connections = Mutex<[Int32]>([])

    init?(_ response: String, _ ending: Ending) {
        guard let bound = BoundSocket(), bound.accepts(queueing: 16) else { return nil }
        (socket, port) = (bound.descriptor, bound.port)
        Thread { [self] in serve(response, ending) }.start()
    }

    /// The socket is closed here, because another socket would otherwise get its number before ``stop()`` ends it.
    deinit { close(socket) }

    /// Ends the requests with their connections, and the thread. Called once.
    func stop() {
        shutdown(socket, Int32(SHUT_RDWR))
        for connection in connections.withLock({ $0 }) { close(connection) }
    }

    private func serve(_ response: String, _ ending: Ending) {
        while true {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { break }
            readHead(of: connection)
            _ = response.withCString { send(connection, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
            switch ending {
            case .flooding: flood(connection)
            case .open: connections.withLock { $0.append(connection) }
            case .reading, .closing:
                if ending == .closing { shutdown(connection, Int32(SHUT_WR)) }
                Thread {
                    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
                    while recv(connection, &buffer, buffer.count, 0) > 0 {}
                    close(connection)
                }.start()
            }
        }
    }

    private func flood(_ connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var (left, isQuiet) = (Self.floodLength, false)
        while true {
            var look = pollfd(fd: connection, events: Int16(left > 0 ? POLLIN | POLLOUT : POLLIN), revents: 0)
            guard poll(&look, 1, isQuiet ? -1 : 300) > 0 else {
                isQuiet = true
                quiet.resolver.fulfill(Self.floodLength - left)
                continue
            }
            if Int32(look.revents) & POLLOUT != 0 {
                left -= max(send(connection, buffer, min(left, buffer.count), Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)), 0)
            }
            if Int32(look.revents) & ~POLLOUT != 0, recv(connection, &buffer, buffer.count, 0) <= 0 { break }
        }
        close(connection)
    }

    private func readHead(of connection: Int32) {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), recv(connection, &byte, 1, 0) == 1 { head.append(byte) }
    }
}
#endif
