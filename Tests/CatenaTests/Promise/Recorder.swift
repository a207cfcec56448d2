import Foundation
import Synchronization

/// Notes what happened, in order, from any thread.
final class Recorder<Event: Sendable>: Sendable {
    private let noted = Mutex<[Event]>([])

    func note(_ event: Event) {
        noted.withLock { $0.append(event) }
    }

    var events: [Event] { noted.withLock { $0 } }
    var count: Int { noted.withLock { $0.count } }
}

/// Counts from any thread.
final class Counter: Sendable {
    private let counted = Atomic(0)

    var count: Int { counted.load(ordering: .acquiring) }

    func increment() {
        counted.add(1, ordering: .acquiringAndReleasing)
    }
}

/// Counts how many of its kind are alive.
final class Canary: Sendable {
    final class Cage: Sendable {
        private let count = Atomic(0)
        var alive: Int { count.load(ordering: .acquiring) }
        fileprivate func add(_ change: Int) { count.add(change, ordering: .acquiringAndReleasing) }
        func canary() -> Canary { Canary(self) }
    }

    private let cage: Cage

    fileprivate init(_ cage: Cage) {
        self.cage = cage
        cage.add(1)
    }

    deinit { cage.add(-1) }

    /// Something for a closure to capture.
    func sing() {}
}

struct Failure: Error, Equatable {
    let number: Int

    init(_ number: Int = 0) {
        self.number = number
    }
}

/// Runs work on a thread with a small stack and waits for it, off the cooperative pool.
func onThread(stackSize: Int, _ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let thread = Thread {
            work()
            continuation.resume()
        }
        thread.stackSize = stackSize
        thread.start()
    }
}
