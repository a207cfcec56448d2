import Synchronization

/// Holds a copy of each thing for each of several threads, which drop theirs when they like.
final class Bag<Element: Sendable>: Sendable {
    private let copies: Mutex<[[Element]]>

    init(count: Int) {
        copies = Mutex(Array(repeating: [], count: count))
    }

    func add(_ element: Element) {
        copies.withLock { copies in
            for index in copies.indices { copies[index].append(element) }
        }
    }

    func drop(_ index: Int) {
        // Released here, outside the lock, at the same time as on the other threads.
        let dropped = copies.withLock { copies in
            let dropped = copies[index]
            copies[index] = []
            return dropped
        }
        _ = consume dropped
    }
}
