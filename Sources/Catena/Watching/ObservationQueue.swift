import CatenaPlatform
import Dispatch

/// A serial queue that delivers events to observers after the calls have continued. The size of waiting events is limited.
package final class ObservationQueue: Sendable {
    private struct State {
        /// The size of the waiting work, in bytes.
        var waiting = 0
        /// The number of items dropped for lack of room and not reported yet.
        var dropped = 0
        /// The number of waiting items that retain each body.
        var holders: [RetainedBody: Int] = [:]

        /// Takes room for an item. An item that retains nothing always has room, and so does one that finds nothing waiting, whatever its size.
        mutating func admit(_ size: Int, _ bodies: Set<RetainedBody>, limit: Int) -> Bool {
            let added = size + bodies.reduce(0) { holders[$1] == nil ? $0 + $1.size : $0 }
            guard added == 0 || waiting == 0 || waiting + added <= limit else { return false }
            waiting += added
            for body in bodies { holders[body, default: 0] += 1 }
            return true
        }

        /// Releases the room of an item.
        mutating func release(_ size: Int, _ bodies: Set<RetainedBody>) {
            waiting -= size
            for body in bodies {
                guard let left = holders[body], left > 1 else {
                    holders[body] = nil
                    waiting -= body.size
                    continue
                }
                holders[body] = left - 1
            }
        }
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
    /// - Parameters:
    ///   - size: The number of bytes that the work retains, apart from `bodies`.
    ///   - bodies: The bodies that the work retains. One that several waiting items retain is counted once.
    ///   - notify: Receives the number of items dropped, once at least half of the room is free again.
    @discardableResult
    package func add(
        size: Int = 0, retaining bodies: Set<RetainedBody> = [], _ work: @escaping @Sendable () -> Void,
        whenDropped notify: (@Sendable (_ count: Int) -> Void)? = nil
    ) -> Bool {
        let fits = state.withLock { state in
            let fits = state.admit(size, bodies, limit: limit)
            if !fits, notify != nil { state.dropped += 1 }
            return fits
        }
        guard fits else { return false }
        queue.async {
            work()
            let dropped = self.end(size, bodies)
            if dropped > 0 { notify?(dropped) }
        }
        return true
    }

    /// Releases the room of finished work. Returns the number of dropped items to report now.
    private func end(_ size: Int, _ bodies: Set<RetainedBody>) -> Int {
        state.withLock { state in
            state.release(size, bodies)
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

/// The identity of a body: the place of its bytes in memory, where nothing else can be while the body is retained.
package struct RetainedBody: Hashable, Sendable {
    private let address: Int
    let size: Int

    /// Identifies a body. Returns `nil` for one without bytes.
    init?(_ body: Data) {
        guard !body.isEmpty else { return nil }
        address = body.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
        size = body.count
    }
}

/// The queues on which a client writes logs and recordings. Queues without users are released.
package final class ObservationQueues: Sendable {
    private let known = Mutex<[@Sendable () -> ObservationQueue?]>([])

    var all: [ObservationQueue] { known.withLock { $0 }.compactMap { $0() } }

    package func add(_ queue: ObservationQueue) {
        known.withLock { known in
            known.removeAll { known in known().map { $0 === queue } ?? true }
            known.append { [weak queue] in queue }
        }
    }
}
