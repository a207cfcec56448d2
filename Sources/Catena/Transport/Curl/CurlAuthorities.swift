#if os(Linux) && canImport(Glibc)
import CCurl

/// The certificate authorities of the system, read once and used for every connection: libcurl would read them for each, some 140 of them,
/// on the thread that drives all transfers.
///
/// The proof for `@unchecked Sendable`: the pointer never changes, and OpenSSL guards what is behind it (X509_STORE has a lock of its own, and
/// counts who has it).
final class CurlAuthorities: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer
    fileprivate let read = ContinuousClock.now

    fileprivate init?(folder: String?) {
        guard let easy = catena_easy_init() else { return nil }
        defer { catena_easy_cleanup(easy) }
        let file = catena_easy_usual_authorities(easy, false)
        let loaded =
            folder.map { $0.withCString { catena_authorities_load(file, $0) } }
            ?? catena_authorities_load(file, catena_easy_usual_authorities(easy, true))
        guard let loaded else { return nil }
        pointer = loaded
    }

    deinit {
        catena_authorities_free(pointer)
    }
}

/// Keeps the authorities of a transport that is to trust whom the system trusts, and reads them again when they are old.
final class CurlTrust: Sendable {
    /// For how long what was read holds.
    private static let age = Duration.seconds(3600)

    private let folder: String?
    private let authorities = Mutex<CurlAuthorities?>(nil)

    /// `nil` if the transport has authorities of its own, which libcurl keeps itself.
    init?(_ configuration: CurlConfiguration) {
        if configuration.certificateAuthorityFile != nil { return nil }
        folder = configuration.certificateAuthorityFolder
    }

    /// `nil` if they cannot be read here: then libcurl does it, and says what is wrong.
    var current: CurlAuthorities? {
        authorities.withLock { authorities in
            if let known = authorities, .now - known.read < Self.age { return known }
            authorities = CurlAuthorities(folder: folder)
            return authorities
        }
    }
}
#endif
