import Foundation

/// What a connection receives and sends through: its socket as it is, or TLS over it.
struct ServerChannel {
    /// Less than the buffer of the server's thread: what was left of an incomplete record (at most 16 KB, RFC 8446 §5.2) is decrypted
    /// together with what arrives, and all of it has to fit, since `poll` says nothing of bytes that have arrived already.
    private static let receivedBytes = 32_768

    /// Four records.
    private static let sentBytes = 65_536

    private let socket: ServerSocket
    private let session: ServerSession?
    /// Encrypted, and not sent yet.
    private var outgoing = Data()

    init(_ socket: ServerSocket, identity: ServerIdentity?) {
        self.socket = socket
        session = identity.map(ServerSession.init)
    }

    /// Whether ``flush()`` has something left to do.
    var hasOutgoing: Bool { !outgoing.isEmpty }

    mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> ServerSocket.Transfer {
        guard let session else { return socket.receive(into: buffer) }
        let arrived = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Self.receivedBytes))
        let arrival = socket.receive(into: arrived)
        guard case .bytes(let count) = arrival else { return arrival }
        guard session.identity.fault != .cutHandshake, session.feed(UnsafeRawBufferPointer(rebasing: arrived.prefix(count))) else {
            return .gone
        }
        let transfer = session.read(into: buffer)
        // The handshake's answers, or an alert. A socket that cannot send is found out by the next receiving or sending.
        _ = flush()
        return transfer
    }

    /// Takes bytes to be sent. What it has taken over TLS goes out with the next ``flush()`` at the latest.
    mutating func send(_ bytes: UnsafeRawBufferPointer) -> ServerSocket.Transfer {
        guard let session else { return socket.send(bytes) }
        let flushed = flush()
        guard case .bytes = flushed else { return flushed }
        let taken = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.sentBytes))
        return session.write(taken) ? .bytes(taken.count) : .gone
    }

    /// Sends what TLS has left to send.
    mutating func flush() -> ServerSocket.Transfer {
        guard let session else { return .bytes(0) }
        while true {
            if outgoing.isEmpty { outgoing = session.takeOutgoing() }
            if outgoing.isEmpty { return .bytes(0) }
            let transfer = outgoing.withUnsafeBytes { socket.send($0) }
            guard case .bytes(let count) = transfer else { return transfer }
            outgoing = count == outgoing.count ? Data() : outgoing.dropFirst(count)
        }
    }

    /// Tells the client over TLS that nothing more follows, so that it can tell the end from a cut.
    func finishSession() {
        session?.finish()
    }

    func finishSending() { socket.finishSending() }

    func close() { socket.close() }

    func reset() { socket.reset() }
}
