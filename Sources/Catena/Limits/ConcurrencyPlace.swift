import Synchronization

/// A place among the calls that run, until it is given back. Several may see that its call has ended; the place is given back once.
final class ConcurrencyPlace: Sendable {
    private let hasLeft = Atomic(false)
    private let leaving: @Sendable () -> Void

    init(leaving: @escaping @Sendable () -> Void) {
        self.leaving = leaving
    }

    func leave() {
        guard !hasLeft.exchange(true, ordering: .relaxed) else { return }
        leaving()
    }
}
