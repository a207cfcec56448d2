#if os(Linux) && canImport(Glibc)
import CCurl

/// An origin as libcurl reads it, once for all transfers that go there: of a whole address it would parse every byte for each of them, and
/// print it again.
///
/// The proof for `@unchecked Sendable`: the pointer never changes, and of what is behind it libcurl makes copies only. `admission` and
/// `unconnected` are touched by the thread of the engine's loop only.
final class CurlOrigin: @unchecked Sendable {
    /// Such as `https://forum.example.com`.
    let text: String
    let pointer: OpaquePointer
    /// The proxy for its transfers; "" without one.
    let proxy: String
    /// How many whole responses in a row were short, as the next one probably is too once there were a few.
    private let shortResponses = AtomicCounter()
    private static let enough = 8
    /// Which of its transfers over TLS may start.
    @exclusivity(unchecked) var admission = OriginAdmission<CurlTransfer>()
    /// The transfers that wait within libcurl for a connection that is being made.
    @exclusivity(unchecked) private(set) var unconnected: [CurlTransfer] = []

    func addUnconnected(_ transfer: CurlTransfer) { unconnected.append(transfer) }

    func removeUnconnected(_ transfer: CurlTransfer) {
        if let index = unconnected.lastIndex(where: { $0 === transfer }) { unconnected.remove(at: index) }
    }

    /// `nil` if libcurl does not read it, which it then says when it gets the whole address.
    fileprivate init?(_ text: String, proxy: String) {
        guard let pointer = catena_address_parse(text) else { return nil }
        self.text = text
        self.proxy = proxy
        self.pointer = pointer
    }

    deinit {
        catena_address_free(pointer)
    }

    /// In bytes, how much of a response libcurl is to make room for; `nil` leaves that to libcurl. It makes the room for each transfer anew: 16 KB,
    /// which the C library takes from what all threads share, under a lock, and gives back to the system again and again. So little it keeps
    /// for the thread.
    var expectedLength: Int? { shortResponses.count >= Self.enough ? CurlLibrary.smallestReceiveBuffer : nil }

    /// A long body is known by its head, however it ends.
    func noteAnnounced(length: Int64) {
        if length > CurlLibrary.smallestReceiveBuffer { noteResponse(length: length) }
    }

    func noteResponse(length: Int64) {
        let count = shortResponses.count
        if length > CurlLibrary.smallestReceiveBuffer {
            if count > 0 { shortResponses.add(-count) }
        } else if count < Self.enough {
            shortResponses.add(1)
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
