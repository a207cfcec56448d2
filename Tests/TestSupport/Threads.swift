import Foundation

package struct Failure: Error, Equatable {
    package let number: Int

    package init(_ number: Int = 0) {
        self.number = number
    }
}

/// Runs work on a thread with a small stack and waits for it, off the cooperative pool.
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

/// Suspends the task, which goes on by way of another thread: for code that has to be seen suspending.
package func suspendOnce() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume() }
    }
}

/// Lets a mistake show that nothing would tell: gives what must not happen a bounded number of chances to happen.
package func giveChances() async {
    for _ in 0..<50 { await suspendOnce() }
}
