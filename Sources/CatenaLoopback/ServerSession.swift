import Foundation

#if os(Linux)
import COpenSSL
#endif

/// TLS on one connection, without its socket: it takes what has arrived and gives what is to be sent.
final class ServerSession {
    let identity: ServerIdentity

    #if os(Linux)
    /// Without a session every step fails, and none goes on in the clear.
    private let session: OpaquePointer?

    init(_ identity: ServerIdentity) {
        self.identity = identity
        session = identity.newSession()
    }

    deinit {
        catena_tls_session_free(session)
    }

    /// Takes what has arrived. Whether it could.
    func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        catena_tls_feed(session, bytes.baseAddress, Int32(bytes.count))
    }

    /// Decrypts as much as has arrived whole and fits, and goes on with the handshake before.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ServerSocket.Transfer {
        var total = 0
        // One call gives one record at most.
        while total < buffer.count {
            let count = catena_tls_read(session, buffer.baseAddress?.advanced(by: total), Int32(buffer.count - total))
            if count > 0 {
                total += Int(count)
            } else {
                // An end behind bytes is told by the socket's.
                return total > 0 ? .bytes(total) : count == 0 ? .blocked : .gone
            }
        }
        return .bytes(total)
    }

    /// Encrypts all bytes. Whether it could.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        catena_tls_write(session, bytes.baseAddress, Int32(bytes.count))
    }

    /// Says that nothing more follows (close_notify, RFC 8446 §6.1).
    func finish() {
        catena_tls_finish(session)
    }

    /// Takes all that is to be sent.
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
