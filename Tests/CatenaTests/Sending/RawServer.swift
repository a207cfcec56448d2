#if os(Linux)
import Foundation
import Glibc

@testable import Catena
@testable import CatenaLoopback

/// A server on 127.0.0.1 whose connections a closure serves byte by byte, each on a thread.
final class RawServer: Sendable {
    enum Security: Sendable, CaseIterable {
        case plain, tls
        /// TLS that agrees to HTTP/2.
        case tlsWithHTTP2
    }

    let port: Int
    private let security: Security
    private let socket: Int32
    private let identity: ServerIdentity?
    private let sockets = RawSockets()
    private let serve: @Sendable (RawConnection) -> Void

    init(_ security: Security = .plain, isOld: Bool = false, serve: @escaping @Sendable (RawConnection) -> Void) throws {
        identity = security == .plain ? nil : try ServerIdentity(fault: nil, offersHTTP2: security == .tlsWithHTTP2, isOld: isOld)
        (self.security, self.serve) = (security, serve)
        guard let bound = BoundSocket(), bound.accepts(queueing: 256) else { throw APIError(.other, message: "no port") }
        (socket, port) = (bound.descriptor, bound.port)
        Thread { [self] in accept() }.start()
    }

    var url: String { "\(security == .plain ? "http" : "https")://127.0.0.1:\(port)" }

    /// The number of connections so far.
    var connections: Int { sockets.count }

    /// Ends the server and its connections.
    func stop() {
        shutdown(socket, Int32(SHUT_RDWR))
        sockets.end()
    }

    /// The socket is closed here, because another socket would otherwise get its number before ``stop()`` ends it.
    deinit { close(socket) }

    /// Returns a client with its own engine that trusts the server.
    func client(_ httpVersion: HTTPVersion = .automatic, _ configure: (inout CurlConfiguration) -> Void = { _ in }) throws -> Client {
        var configuration = CurlConfiguration()
        configuration.proxy = ""
        configuration.certificateAuthorityFile = identity?.authority.file
        configure(&configuration)
        let client = Client(transport: try CurlTransport(configuration))
        client.configureDefaults { [url] defaults in
            defaults.host = url
            defaults.envelope = .raw
            defaults.httpVersion = httpVersion
            // A call that hangs fails its test.
            defaults.timeout = .seconds(10)
        }
        return client
    }

    private func accept() {
        while true {
            let accepted = Glibc.accept(socket, nil, nil)
            guard accepted >= 0 else { break }
            let number = sockets.add(accepted)
            Thread { [self] in
                let connection = RawConnection(accepted, identity.map(ServerSession.init), number: number, of: sockets)
                serve(connection)
                connection.close()
            }.start()
        }
    }
}

/// The open sockets of a server. They are ended and closed under one lock, because the number of a closed socket soon belongs to another one.
private final class RawSockets: Sendable {
    private let open = Mutex<[Int32?]>([])

    var count: Int { open.withLock { $0.count } }

    /// Returns the number of the connection, from 1.
    func add(_ socket: Int32) -> Int {
        open.withLock { open in
            open.append(socket)
            return open.count
        }
    }

    func end() {
        open.withLock { open in
            for case let socket? in open { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Closes the socket of a connection. Does nothing the second time.
    func close(_ number: Int) {
        open.withLock { open in
            if let socket = open[number - 1] { _ = Glibc.close(socket) }
            open[number - 1] = nil
        }
    }
}

/// A connection of a ``RawServer``, used on its thread only.
final class RawConnection {
    /// The number of the connection, from 1.
    let number: Int
    private let sockets: RawSockets
    private var socket: Int32
    private let session: ServerSession?
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    fileprivate init(_ socket: Int32, _ session: ServerSession?, number: Int, of sockets: RawSockets) {
        (self.socket, self.session, self.number, self.sockets) = (socket, session, number, sockets)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var on: Int32 = 1
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Returns the next bytes, or `nil` at the end of the connection.
    func receive() -> [UInt8]? {
        while true {
            let count = recv(socket, &buffer, 32 * 1024, 0)
            guard count > 0 else { return nil }
            guard let session else { return Array(buffer[..<count]) }
            let read = buffer.withUnsafeMutableBytes { bytes -> ServerSocket.Transfer in
                guard session.feed(UnsafeRawBufferPointer(rebasing: bytes[..<count])) else { return .gone }
                return session.read(into: bytes)
            }
            flush()
            switch read {
            case .bytes(let count): return Array(buffer[..<count])
            case .blocked: continue
            default: return nil
            }
        }
    }

    /// Whether the client sends nothing for as long as a packet takes to a distant server.
    var isQuiet: Bool {
        var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 20) == 0
    }

    /// Sends all bytes together.
    func send(_ bytes: [UInt8]) {
        guard let session else { return write(bytes) }
        guard bytes.withUnsafeBytes({ session.write($0) }) else { return }
        flush()
    }

    /// Ends the sending: over TLS with close_notify.
    func finish() {
        session?.finish()
        flush()
        end()
    }

    /// Ends the sending by FIN alone.
    func end() { shutdown(socket, Int32(SHUT_WR)) }

    /// Resets the connection.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }

    /// Closes the socket. The system resets the connection if received bytes are unread.
    func close() {
        sockets.close(number)
        socket = -1
    }

    /// Reads and ignores everything until the client ends the connection.
    func drain() { while receive() != nil {} }

    private func flush() {
        if let session { write([UInt8](session.takeOutgoing())) }
    }

    private func write(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            sent += count
        }
    }
}
#endif
