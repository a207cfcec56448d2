import CatenaPlatform

/// The channel of a connection: its plain socket, or TLS over it.
struct ServerChannel {
    /// The maximum number of encrypted bytes received at once. It is smaller than the buffer of the server's thread, which must also hold an
    /// incomplete record from before (at most 16 KB, RFC 8446 §5.2). Bytes that did not fit would wait, because `poll` does not report them.
    private static let receivedBytes = 32_768

    /// The size of four records.
    private static let sentBytes = 65_536

    private let socket: ServerSocket
    private let session: ServerSession?
    /// Encrypted bytes that are not sent yet.
    private var outgoing = Data()

    init(_ socket: ServerSocket, identity: ServerIdentity?) {
        self.socket = socket
        session = identity.map(ServerSession.init)
    }

    /// Whether ``flush()`` has bytes to send.
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
        // Sends the handshake's messages or an alert. The next call reports a socket that cannot send.
        _ = flush()
        return transfer
    }

    /// Accepts bytes to be sent. Over TLS they are sent by the next ``flush()`` at the latest.
    mutating func send(_ bytes: UnsafeRawBufferPointer) -> ServerSocket.Transfer {
        guard let session else { return socket.send(bytes) }
        let flushed = flush()
        guard case .bytes = flushed else { return flushed }
        let taken = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.sentBytes))
        return session.write(taken) ? .bytes(taken.count) : .gone
    }

    /// Sends the remaining encrypted bytes.
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

    /// Announces the end of data over TLS, so that the client can distinguish it from a cut.
    func finishSession() {
        session?.finish()
    }

    func finishSending() { socket.finishSending() }

    func close() { socket.close() }

    func reset() { socket.reset() }
}
