#if os(Linux) && canImport(Glibc)
import CCurl
#endif

/// Computes the SHA-256 digest of a file in pieces. On Linux it uses OpenSSL if that can be loaded. OpenSSL takes longer to prepare than
/// ``SHA256``, but is many times as fast, because it uses the processor's instructions for SHA-256.
final class LongDigest {
    private var own: SHA256?
    #if os(Linux) && canImport(Glibc)
    private let openSSL: OpaquePointer?
    private var hasFailed = false

    init(withOpenSSL: Bool = true) {
        openSSL = withOpenSSL ? catena_digest_new() : nil
        if openSSL == nil { own = SHA256() }
    }

    deinit {
        catena_digest_free(openSSL)
    }
    #else
    init() {
        own = SHA256()
    }
    #endif

    func update(_ bytes: UnsafeRawBufferPointer) {
        own?.update(bytes)
        #if os(Linux) && canImport(Glibc)
        if let openSSL, !catena_digest_update(openSSL, bytes.baseAddress, bytes.count) { hasFailed = true }
        #endif
    }

    /// Returns the digest, 32 bytes, or `nil` if OpenSSL failed. Call it once.
    func finish() -> [UInt8]? {
        if let own { return own.finish() }
        #if os(Linux) && canImport(Glibc)
        var digest = [UInt8](repeating: 0, count: 32)
        if let openSSL, !hasFailed, catena_digest_finish(openSSL, &digest) { return digest }
        #endif
        return nil
    }
}
