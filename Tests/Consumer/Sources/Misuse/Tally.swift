import Foundation
import Synchronization

/// A counter for any thread.
final class Counter: Sendable {
    private let counted = Atomic(0)

    var count: Int { counted.load(ordering: .acquiring) }

    func increment() { add(1) }

    func add(_ change: Int) { counted.add(change, ordering: .acquiringAndReleasing) }
}

/// An object whose instances are counted. It shows whether closures and values that hold one leak.
final class Canary: Sendable {
    static let alive = Counter()

    init() { Self.alive.increment() }

    deinit { Self.alive.add(-1) }

    func sing() {}
}

struct Failure: Error {}

/// Checks counts, and records whether all are right.
final class Report: Sendable {
    private let wrong = Counter()

    var isRight: Bool { wrong.count == 0 }

    /// Prints a line with the name and the counts, and the expected counts if they differ.
    func check(_ what: String, _ counts: (name: String, is: Int, expected: Int)...) {
        let isRight = counts.allSatisfy { $0.is == $0.expected }
        if !isRight { wrong.increment() }
        let texts = counts.map { $0.is == $0.expected ? "\($0.is) \($0.name)" : "\($0.is) \($0.name), not \($0.expected)" }
        print("\(isRight ? "ok   " : "WRONG") \(what): \(texts.joined(separator: "; "))")
    }
}

/// Runs work on several threads at the same time, and waits for all of them.
func onThreads(_ count: Int, _ work: @escaping @Sendable (_ thread: Int) -> Void) async {
    let arrived = Counter()
    await withTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            group.addTask {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        arrived.increment()
                        // Start together, because otherwise the first thread would finish before the last one begins.
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
