import Catena
import CatenaPlatform

#if os(Linux)
import COpenSSL
#endif

/// The certificate authority of the servers in this process. Its key exists only in memory, as long as the process.
struct ServerAuthority: Sendable {
    let pem: String
    let file: String

    #if os(Linux)
    // Safe, because it is never changed and never freed, so that any thread may read it.
    nonisolated(unsafe) private let authority: OpaquePointer

    static let isAvailable = catena_tls_bind()

    private static let made = Result { () throws(LoopbackServer.StartError) in try ServerAuthority() }

    /// Returns the authority of this process.
    static func shared() throws(LoopbackServer.StartError) -> ServerAuthority {
        try made.get()
    }

    private init() throws(LoopbackServer.StartError) {
        guard Self.isAvailable else { throw LoopbackServer.StartError(security: "OpenSSL 3 (libssl.so.3) is not there") }
        guard let authority = catena_tls_authority_new() else { throw LoopbackServer.StartError(security: "OpenSSL makes no certificates") }
        self.authority = authority
        pem = String(unsafeUninitializedCapacity: 4_096) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { catena_tls_authority_pem(authority, $0.baseAddress, $0.count) }
        }
        do {
            file = try LocalFile.writeTemporary(Data(pem.utf8), "loopback-authority")
        } catch {
            throw LoopbackServer.StartError(security: "the authority's file could not be written: \(error)")
        }
        atexit { try? LocalFile.remove(ServerAuthority.made.get().file) }
    }

    /// Creates a key and a certificate that is valid between two times in seconds from now. Returns `nil` if OpenSSL fails.
    ///
    /// - Parameter names: The hosts, or `nil` for a certificate that names `localhost` only as its common name.
    func context(names: String?, from: Int, until: Int) -> OpaquePointer? {
        catena_tls_context_new(authority, names, from, until)
    }
    #else
    static let isAvailable = false

    static func shared() throws(LoopbackServer.StartError) -> ServerAuthority {
        throw LoopbackServer.StartError(security: "it is not available on this platform yet")
    }
    #endif
}
