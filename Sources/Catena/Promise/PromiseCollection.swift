import Synchronization

/// Gathers the values of several promises into one.
@usableFromInline
final class PromiseCollection: Sendable {
    private struct State {
        var boxes: [(any AnyObject & Sendable)?]
        var remaining: Int
        /// The consumers through which the members are wanted.
        var watchers: [PromiseCore] = []
    }

    private let result: PromiseCore
    private let combine: @Sendable ([any AnyObject & Sendable]) -> Outcome
    private let state: Mutex<State>

    private init(
        count: Int,
        origin: PromiseOrigin?,
        combine: @escaping @Sendable ([any AnyObject & Sendable]) -> Outcome
    ) {
        result = PromiseCore(origin: origin)
        self.combine = combine
        state = Mutex(State(boxes: Array(repeating: nil, count: count), remaining: count))
    }

    /// A promise of what `combine` makes of all values. The first error or cancellation settles it; the other members go on.
    @usableFromInline
    static func gather(
        _ members: [PromiseCore],
        _ origin: PromiseOrigin?,
        combine: @escaping @Sendable ([any AnyObject & Sendable]) -> Outcome
    ) -> PromiseCore {
        guard !members.isEmpty else { return PromiseCore(outcome: combine([]), origin: origin) }
        let collection = PromiseCollection(count: members.count, origin: origin, combine: combine)
        var watchers: [PromiseCore] = []
        watchers.reserveCapacity(members.count)
        for (index, member) in members.enumerated() {
            watchers.append(
                member.derive(interest: .any) { outcome in
                    collection.settled(index, outcome)
                    return .settle(outcome.seen)
                })
        }
        collection.keep(watchers)
        return collection.result
    }

    private func settled(_ index: Int, _ outcome: Outcome) {
        guard case .fulfilled(let box) = outcome else {
            result.settle(outcome)
            // The others go on, but this is no reason for them to.
            return end().watchers.forEach { $0.loseInterest() }
        }
        let isLast = state.withLock { state in
            // Empty once the result is cancelled.
            guard !state.boxes.isEmpty else { return false }
            state.boxes[index] = box
            state.remaining -= 1
            return state.remaining == 0
        }
        guard isLast else { return }
        let gathered = end()
        result.settle(combine(gathered.boxes.compactMap { $0 }))
    }

    private func keep(_ watchers: [PromiseCore]) {
        let isKept = state.withLock { state in
            guard state.remaining > 0 else { return false }
            state.watchers = watchers
            return true
        }
        guard isKept else { return watchers.forEach { $0.loseInterest() } }
        result.whenCancelled { [weak self] in
            self?.end().watchers.forEach { $0.cancel() }
        }
    }

    /// Hands out what was kept, to be released outside the lock.
    private func end() -> State {
        var former = State(boxes: [], remaining: 0)
        state.withLock { swap(&$0, &former) }
        return former
    }
}
