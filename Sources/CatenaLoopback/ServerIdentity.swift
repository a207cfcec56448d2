import CatenaPlatform

#if os(Linux)
import COpenSSL
#endif

/// The identity of one server: its own key with a certificate.
final class ServerIdentity: Sendable {
    let authority: ServerAuthority
    let fault: LoopbackServer.Security.Fault?
    /// The SHA-256 of the public key, in base64.
    let pin: String

    #if os(Linux)
    // Safe, because OpenSSL counts references to a context atomically and locks the state that connections share. Only this object frees it.
    nonisolated(unsafe) private let context: OpaquePointer

    private static let day = 86_400

    /// - Parameters:
    ///   - offersHTTP2: Whether to agree to HTTP/2, for the servers of tests that speak it.
    ///   - isOld: Whether TLS 1.1 is the highest version.
    init(
        fault: LoopbackServer.Security.Fault?, offersHTTP2: Bool = false, isOld: Bool = false
    ) throws(LoopbackServer.StartError) {
        authority = try .shared()
        self.fault = fault
        let names: String? =
            switch fault {
            case .wrongHost: "DNS:wrong.example.com"
            case .commonNameOnly: nil
            default: "DNS:localhost,IP:127.0.0.1,IP:::1"
            }
        let until = fault == .expired ? -Self.day : 7 * Self.day
        guard let context = authority.context(names: names, from: -3 * Self.day, until: until) else {
            throw LoopbackServer.StartError(security: "OpenSSL makes no certificate")
        }
        self.context = context
        if offersHTTP2 { catena_tls_context_offer_http2(context) }
        guard !isOld || catena_tls_context_limit_version(context) else {
            catena_tls_context_free(context)
            throw LoopbackServer.StartError(security: "OpenSSL does not offer TLS 1.1")
        }
        var digest = [UInt8](repeating: 0, count: 32)
        guard catena_tls_context_fingerprint(context, &digest) else {
            catena_tls_context_free(context)
            throw LoopbackServer.StartError(security: "OpenSSL does not show the key")
        }
        pin = Data(digest).base64EncodedString()
    }

    deinit {
        catena_tls_context_free(context)
    }

    /// Creates the state of one connection, or returns `nil` if there is no memory for it.
    func newSession() -> OpaquePointer? {
        catena_tls_session_new(context)
    }
    #else
    init(
        fault: LoopbackServer.Security.Fault?, offersHTTP2: Bool = false, isOld: Bool = false
    ) throws(LoopbackServer.StartError) {
        authority = try .shared()
        self.fault = fault
        pin = ""
    }
    #endif
}
