#if os(Linux) && canImport(Glibc)
import CCurl

/// The released handles of a loop that may be reused. Used on the loop's thread only.
final class CurlHandlePool {
    /// The maximum number of pooled handles. Further ones are freed, so that a burst of transfers leaves no memory allocated.
    private static let most = 32

    private var handles: [OpaquePointer] = []

    /// Whether a released handle is pooled. This requires a version of libcurl whose reset forgets the whole transfer.
    var hasRoom: Bool { CurlLibrary.reusesHandles && handles.count < Self.most }

    func take() -> OpaquePointer? { handles.popLast() }

    func add(_ easy: OpaquePointer) { handles.append(easy) }

    /// Frees the handles. Call this before freeing shared sessions, because a handle references them.
    func close() {
        for easy in handles { catena_easy_cleanup(easy) }
        handles = []
    }

    deinit { close() }
}
#endif
