import Synchronization

/// Holds copies of elements for each of several threads, which drop their copies at any time.
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
        // Released outside the lock, at the same time as on the other threads.
        let dropped = copies.withLock { copies in
            let dropped = copies[index]
            copies[index] = []
            return dropped
        }
        _ = consume dropped
    }
}
