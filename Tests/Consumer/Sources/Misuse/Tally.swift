import Foundation
import Synchronization

/// Counts from any thread.
final class Counter: Sendable {
    private let counted = Atomic(0)

    var count: Int { counted.load(ordering: .acquiring) }

    func increment() { add(1) }

    func add(_ change: Int) { counted.add(change, ordering: .acquiringAndReleasing) }
}

/// Counted from its making to its end; closures and values that hold one show whether they leak.
final class Canary: Sendable {
    static let alive = Counter()

    init() { Self.alive.increment() }

    deinit { Self.alive.add(-1) }

    func sing() {}
}

struct Failure: Error {}

/// Notes whether every count is what it has to be.
final class Report: Sendable {
    private let wrong = Counter()

    var isRight: Bool { wrong.count == 0 }

    /// Prints one line: what was done and how often, and what was expected where that is something else.
    func check(_ what: String, _ counts: (name: String, is: Int, expected: Int)...) {
        let isRight = counts.allSatisfy { $0.is == $0.expected }
        if !isRight { wrong.increment() }
        let texts = counts.map { $0.is == $0.expected ? "\($0.is) \($0.name)" : "\($0.is) \($0.name), not \($0.expected)" }
        print("\(isRight ? "ok   " : "WRONG") \(what): \(texts.joined(separator: "; "))")
    }
}

/// Runs work on threads of its own, at the same time, and waits for all of them.
func onThreads(_ count: Int, _ work: @escaping @Sendable (_ thread: Int) -> Void) async {
    let arrived = Counter()
    await withTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            group.addTask {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        arrived.increment()
                        // They start together, or the first would be done before the last begins.
                        while arrived.count < count { Thread.sleep(forTimeInterval: 0) }
                        work(number)
                        continuation.resume()
                    }
                }
            }
        }
    }
}

/// Ends the process if it hangs.
func startWatchdog(seconds: Double) {
    Thread.detachNewThread {
        Thread.sleep(forTimeInterval: seconds)
        print("WRONG gave up after \(seconds) seconds")
        exit(1)
    }
}
