import Foundation

#if os(Linux)
import COpenSSL
#endif

/// Who vouches for the servers of this process. Its key exists in memory only, and as long as the process.
struct ServerAuthority: Sendable {
    let pem: String
    let file: String

    #if os(Linux)
    // Never written to and never freed, so that any thread may read it.
    nonisolated(unsafe) private let authority: OpaquePointer

    static let isAvailable = catena_tls_bind()

    private static let made = Result { () throws(LoopbackServer.StartError) in try ServerAuthority() }

    /// The one of this process.
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
        file = FileManager.default.temporaryDirectory.appending(path: "loopback-authority-\(UUID().uuidString).pem").path
        do {
            try Data(pem.utf8).write(to: URL(filePath: file), options: .withoutOverwriting)
        } catch {
            throw LoopbackServer.StartError(security: "the authority's file could not be written: \(error)")
        }
        atexit { _ = try? unlink(ServerAuthority.made.get().file) }
    }

    /// A new key and a certificate for it, from and until so many seconds from now; `nil` if OpenSSL makes none.
    ///
    /// - Parameter names: `nil` is a certificate that has `localhost` for its common name and names no host otherwise.
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
