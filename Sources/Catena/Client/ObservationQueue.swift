import Dispatch

/// Where it is told what has happened, one thing after the other and behind the calls. What waits is bounded by its bytes.
final class ObservationQueue: Sendable {
    private struct State {
        /// In bytes.
        var waiting = 0
        /// What had no room and has not been told of yet.
        var dropped = 0
    }

    /// How many bytes may wait: what is slower than the calls must not need more and more memory.
    static let defaultLimit = 24 * 1024 * 1024

    let queue: DispatchQueue
    private let limit: Int
    private let state = Mutex(State())

    init(label: String, limit: Int = defaultLimit) {
        queue = DispatchQueue(label: label, qos: .utility)
        self.limit = limit
    }

    /// How many bytes are waiting.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Runs work after all that was added before it; false if there is no room for it.
    ///
    /// - Parameter tell: Is told how often there was none, as soon as there is plenty again.
    @discardableResult
    func add(
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

    /// Notes that work is done, and gives how often there was no room meanwhile, if that is to be told now.
    private func end(_ size: Int) -> Int {
        state.withLock { state in
            state.waiting -= size
            // Nothing is dropped while nothing waits, so that the last one tells.
            guard state.waiting <= limit / 2 else { return 0 }
            defer { state.dropped = 0 }
            return state.dropped
        }
    }

    /// Returns when all that was added until now is done.
    func finish() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
