import CatenaPlatform

#if os(Linux)
import COpenSSL
#endif

/// TLS of one connection, without its socket: decrypts received bytes and encrypts bytes to be sent.
final class ServerSession {
    let identity: ServerIdentity

    #if os(Linux)
    /// If it is `nil`, every step fails, so that no bytes are sent unencrypted.
    private let session: OpaquePointer?

    init(_ identity: ServerIdentity) {
        self.identity = identity
        session = identity.newSession()
    }

    deinit {
        catena_tls_session_free(session)
    }

    /// Accepts received bytes. Returns whether it could.
    func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        catena_tls_feed(session, bytes.baseAddress, Int32(bytes.count))
    }

    /// Continues the handshake, and decrypts the complete records that fit.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ServerSocket.Transfer {
        var total = 0
        // One call returns at most one record.
        while total < buffer.count {
            let count = catena_tls_read(session, buffer.baseAddress?.advanced(by: total), Int32(buffer.count - total))
            if count > 0 {
                total += Int(count)
            } else {
                // After bytes, an end is detected when the socket ends.
                return total > 0 ? .bytes(total) : count == 0 ? .blocked : .gone
            }
        }
        return .bytes(total)
    }

    /// Encrypts all bytes. Returns whether it could.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        catena_tls_write(session, bytes.baseAddress, Int32(bytes.count))
    }

    /// Announces the end of data (close_notify, RFC 8446 §6.1).
    func finish() {
        catena_tls_finish(session)
    }

    /// Removes and returns all bytes to be sent.
    func takeOutgoing() -> Data {
        var data = Data(count: catena_tls_outgoing(session))
        let count = data.withUnsafeMutableBytes { $0.isEmpty ? 0 : catena_tls_take(session, $0.baseAddress, $0.count) }
        return count == data.count ? data : data.prefix(count)
    }
    #else
    init(_ identity: ServerIdentity) { self.identity = identity }
    func feed(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ServerSocket.Transfer { .gone }
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
    func finish() {}
    func takeOutgoing() -> Data { Data() }
    #endif
}
