import Dispatch
import Synchronization

/// Somebody who is told how far a transfer is.
struct ProgressObserver: Sendable {
    /// `nil`: both.
    let direction: TransferProgress.Direction?
    let tell: @MainActor @Sendable (TransferProgress) -> Void
}

/// Tells the observers of one call, on the main actor, how far its transfers are.
final class ProgressReporter: Sendable {
    fileprivate struct State {
        var upload = ProgressThrottle(.upload)
        var download = ProgressThrottle(.download)
    }

    private let observers: [ProgressObserver]
    private let clock: any TimerClock
    private let state = Mutex(State())

    init(_ observers: [ProgressObserver], clock: any TimerClock) {
        self.observers = observers
        self.clock = clock
    }

    /// Takes the number of bytes that have gone one way so far; of a part of them that went earlier, too.
    func note(_ direction: TransferProgress.Direction, _ completed: Int64, of total: Int64?) {
        let now = clock.now
        send(state.withLock { $0[direction].note(completed, of: total, at: now) })
    }

    /// Takes it that the call has succeeded, so that what has gone these ways, if anything has, is all of it.
    func finish(_ directions: TransferProgress.Direction...) {
        let now = clock.now
        for direction in directions { send(state.withLock { $0[direction].finish(at: now) }) }
    }

    private func send(_ progress: TransferProgress?) {
        guard let progress else { return }
        let concerned = observers.filter { $0.direction == nil || $0.direction == progress.direction }
        guard !concerned.isEmpty else { return }
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                for observer in concerned { observer.tell(progress) }
            }
        }
    }
}

extension ProgressReporter.State {
    fileprivate subscript(direction: TransferProgress.Direction) -> ProgressThrottle {
        get { direction == .upload ? upload : download }
        set { if direction == .upload { upload = newValue } else { download = newValue } }
    }
}
