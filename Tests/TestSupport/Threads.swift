import Foundation

package struct Failure: Error, Equatable {
    package let number: Int

    package init(_ number: Int = 0) {
        self.number = number
    }
}

/// Runs work on a thread with a stack of this size, outside of the cooperative pool, and waits for it.
package func onThread(stackSize: Int, _ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let thread = Thread {
            work()
            continuation.resume()
        }
        thread.stackSize = stackSize
        thread.start()
    }
}

/// Suspends the task and resumes it from another thread, for tests of code that suspends.
package func suspendOnce() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume() }
    }
}

/// Suspends the task several times, so that an event that must not happen has a chance to happen.
package func giveChances() async {
    for _ in 0..<50 { await suspendOnce() }
}
