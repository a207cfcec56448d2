import Catena

/// A number that only grows and can be awaited, so that a test can wait for the server without sleeping.
final class ServerCounter: Sendable {
    private struct State: Sendable {
        var value = 0
        var isFinished = false
    }

    private let state = Monitor(State())

    var value: Int {
        state.withLock { $0.value }
    }

    func increment() {
        state.withLock { $0.value += 1 }
    }

    /// Ends all current and later waits, because the value will not grow any more.
    func finish() {
        state.withLock { $0.isFinished = true }
    }

    /// Waits until the value is at least `threshold`. Returns early if the task is cancelled or the counter is finished.
    func reach(_ threshold: Int) async {
        await state.wait { $0.value >= threshold || $0.isFinished }
    }
}
