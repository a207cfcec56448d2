#if os(Linux) && canImport(Glibc)
import CCurl

/// An origin, parsed by libcurl once for all transfers to it. Given a whole address, libcurl would parse and print every byte for each
/// transfer.
///
/// The proof for `@unchecked Sendable`: the pointer never changes, and libcurl only copies from its target. Only the thread of the engine's
/// loop uses `admission` and `unconnected`.
final class CurlOrigin: @unchecked Sendable {
    /// The text of the origin, such as `https://forum.example.com`.
    let text: String
    let pointer: OpaquePointer
    /// The proxy for its transfers, or "" if there is none.
    let proxy: String
    /// The number of consecutive short responses, or of long ones as a negative number. After a few of them, the next response is probably
    /// like them.
    private let alike = AtomicCounter()
    private static let enough = 8
    /// Decides which of its transfers over TLS may start.
    @exclusivity(unchecked) var admission = OriginAdmission<CurlTransfer>()
    /// The transfers that wait within libcurl for a connection that is being established.
    @exclusivity(unchecked) private(set) var unconnected: [CurlTransfer] = []

    func addUnconnected(_ transfer: CurlTransfer) { unconnected.append(transfer) }

    func removeUnconnected(_ transfer: CurlTransfer) {
        if let index = unconnected.lastIndex(where: { $0 === transfer }) { unconnected.remove(at: index) }
    }

    /// Returns `nil` if libcurl cannot parse the text. libcurl reports this error when it gets the whole address.
    fileprivate init?(_ text: String, proxy: String) {
        guard let pointer = catena_address_parse(text) else { return nil }
        self.text = text
        self.proxy = proxy
        self.pointer = pointer
    }

    deinit {
        catena_address_free(pointer)
    }

    /// The size of libcurl's receive buffer in bytes, or `nil` for its default of 16 KB. libcurl allocates the buffer for each transfer.
    ///
    /// The C library takes 16 KB from a pool that all threads share under a lock, and returns it to the system each time. It keeps smaller
    /// blocks for the thread. Without TLS, a larger buffer needs fewer system calls: libcurl makes two for each buffer that it fills. Over TLS,
    /// it reads a record of up to 16 KB at a time.
    var expectedLength: Int? {
        let count = alike.count
        if count >= Self.enough { return CurlLibrary.smallestReceiveBuffer }
        return count <= -Self.enough && text.hasPrefix("http:") ? CurlLibrary.largeReceiveBuffer : nil
    }

    /// Records at the head of a response that its body is not short, however the body ends.
    func noteAnnounced(length: Int64) {
        let count = alike.count
        if length > CurlLibrary.smallestReceiveBuffer, count > 0 { alike.add(-count) }
    }

    func noteResponse(length: Int64) {
        let count = alike.count
        if length <= CurlLibrary.smallestReceiveBuffer {
            if count < Self.enough { alike.add(count < 0 ? 1 - count : 1) }
        } else if length <= CurlLibrary.usualReceiveBuffer {
            alike.add(-count)
        } else if count > -Self.enough {
            alike.add(count > 0 ? -1 - count : -1)
        }
    }
}

/// The origins of an engine's transfers.
final class CurlOrigins: Sendable {
    private static let most = 1_000

    private let known = Mutex<[String: CurlOrigin]>([:])

    subscript(text: String, proxy proxy: @autoclosure () -> String) -> CurlOrigin? {
        known.withLock { known in
            if let origin = known[text] { return origin }
            guard let origin = CurlOrigin(text, proxy: proxy()) else { return nil }
            if known.count >= Self.most { known.removeAll() }
            known[text] = origin
            return origin
        }
    }
}
#endif
