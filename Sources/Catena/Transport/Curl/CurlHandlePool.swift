#if os(Linux) && canImport(Glibc)
import CCurl

/// The handles of a loop that have served and may serve again. Touched by the loop's thread only.
final class CurlHandlePool {
    /// More are freed: a loop with many transfers at a time keeps no memory for them later.
    private static let most = 32

    private var handles: [OpaquePointer] = []

    /// Whether a handle is kept: the version of libcurl must forget all of a transfer in a reset.
    var hasRoom: Bool { CurlLibrary.reusesHandles && handles.count < Self.most }

    func take() -> OpaquePointer? { handles.popLast() }

    func add(_ easy: OpaquePointer) { handles.append(easy) }

    /// Frees the handles. A handle keeps what it shares with others, so that this comes before the end of that.
    func close() {
        for easy in handles { catena_easy_cleanup(easy) }
        handles = []
    }

    deinit { close() }
}
#endif
