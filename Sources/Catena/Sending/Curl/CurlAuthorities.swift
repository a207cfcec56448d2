#if os(Linux) && canImport(Glibc)
import CCurl

/// The system's certificate authorities, read once and used for every connection. libcurl would read all of them, about 140, for each
/// connection, on the thread that drives all transfers.
///
/// The proof for `@unchecked Sendable`: the pointer never changes, and OpenSSL synchronizes access to its target (X509_STORE has a lock and
/// a reference count).
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

/// Stores the authorities of a transport that trusts the system's authorities, and reads them again when they are old.
final class CurlTrust: Sendable {
    /// The time after which the authorities are read again.
    private static let age = Duration.seconds(3600)

    private let folder: String?
    private let authorities = Mutex<CurlAuthorities?>(nil)

    /// Returns `nil` if the transport is configured with its own authorities, which libcurl reads itself.
    init?(_ configuration: CurlConfiguration) {
        if configuration.certificateAuthorityFile != nil { return nil }
        folder = configuration.certificateAuthorityFolder
    }

    /// The authorities, or `nil` if they cannot be read here. libcurl then reads them and reports the error.
    var current: CurlAuthorities? {
        authorities.withLock { authorities in
            if let known = authorities, .now - known.read < Self.age { return known }
            authorities = CurlAuthorities(folder: folder)
            return authorities
        }
    }
}
#endif
