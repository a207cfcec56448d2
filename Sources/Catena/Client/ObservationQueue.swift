import Dispatch

/// A serial queue that delivers events to observers after the calls have continued. The size of waiting events is limited.
package final class ObservationQueue: Sendable {
    private struct State {
        /// The size of the waiting work, in bytes.
        var waiting = 0
        /// The number of items dropped for lack of room and not reported yet.
        var dropped = 0
    }

    /// The maximum size of waiting work in bytes, because a slow observer must not use unlimited memory.
    static let defaultLimit = 24 * 1024 * 1024

    let queue: DispatchQueue
    private let limit: Int
    private let state = Mutex(State())

    package init(label: String, limit: Int = defaultLimit) {
        queue = DispatchQueue(label: label, qos: .utility)
        self.limit = limit
    }

    /// The size of the waiting work, in bytes.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Adds work that runs after all work added before it. Returns `false` if there is no room for it.
    ///
    /// - Parameter notify: Receives the number of items dropped, once at least half of the room is free again.
    @discardableResult
    package func add(
        size: Int, _ work: @escaping @Sendable () -> Void, whenDropped notify: (@Sendable (_ count: Int) -> Void)? = nil
    ) -> Bool {
        let fits = state.withLock { state in
            guard state.waiting + size <= limit else {
                if notify != nil { state.dropped += 1 }
                return false
            }
            state.waiting += size
            return true
        }
        guard fits else { return false }
        queue.async {
            work()
            let dropped = self.end(size)
            if dropped > 0 { notify?(dropped) }
        }
        return true
    }

    /// Releases the room of finished work. Returns the number of dropped items to report now.
    private func end(_ size: Int) -> Int {
        state.withLock { state in
            state.waiting -= size
            // Nothing is dropped while nothing waits, so the last item reports the rest.
            guard state.waiting <= limit / 2 else { return 0 }
            defer { state.dropped = 0 }
            return state.dropped
        }
    }

    /// Waits until all work added so far is done.
    package func finish() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
