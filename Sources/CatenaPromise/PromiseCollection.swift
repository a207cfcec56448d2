/// Gathers the values of several promises into one.
@usableFromInline
final class PromiseCollection: Sendable {
    /// A promise, or its value once it is fulfilled, because the promise itself is not needed any more.
    @usableFromInline
    enum Member: Sendable {
        case waiting(PromiseCore)
        case fulfilled(any AnyObject & Sendable)

        var box: (any AnyObject & Sendable)? {
            if case .fulfilled(let box) = self { box } else { nil }
        }
    }

    /// Emptied when the result is settled, because a member that never settles keeps the collection alive.
    private struct State {
        var result: PromiseCore?
        var members: [Member]
        var missing: Int
        /// Whether all members know of the collection. Until then no interest is withdrawn, because it may not exist yet.
        var isAttached = false
    }

    private let combine: @Sendable ([Member]) -> Outcome
    private let state: Mutex<State>

    private init(_ result: PromiseCore, _ members: [Member], combine: @escaping @Sendable ([Member]) -> Outcome) {
        self.combine = combine
        state = Mutex(State(result: result, members: members, missing: members.count))
    }

    /// Returns a promise of the value that `combine` makes of all members once they are fulfilled. The first error or cancellation settles it, and
    /// the other members continue.
    @usableFromInline
    static func gather(
        _ members: [Member],
        _ origin: PromiseOrigin?,
        combine: @escaping @Sendable ([Member]) -> Outcome
    ) -> PromiseCore {
        guard !members.isEmpty else { return PromiseCore(outcome: combine([]), origin: origin) }
        let result = PromiseCore(origin: origin)
        let collection = PromiseCollection(result, members, combine: combine)
        for index in members.indices {
            if case .waiting(let source) = members[index] { source.attach(.member(collection, index: UInt32(index))) }
        }
        if collection.noteAttached() {
            result.whenCancelled { collection.withdraw() }
        } else {
            collection.forget(members)
        }
        return result
    }

    /// Whether the result is still pending.
    var isWaiting: Bool {
        state.withLock { $0.result != nil }
    }

    /// Stores a value that is not the last one missing. Returns `false` if the outcome settles the result, which must happen in order.
    func keep(_ outcome: Outcome, at index: UInt32) -> Bool {
        guard case .fulfilled(let box) = outcome else { return false }
        var member = Member.fulfilled(box)
        return state.withLock { state in
            // If the result is settled, no member is missing, and the value is ignored.
            guard state.missing > 1 else { return state.result == nil }
            swap(&state.members[Int(index)], &member)
            state.missing -= 1
            return true
        }
    }

    /// Handles the outcome of a member.
    func settled(_ index: UInt32, _ outcome: Outcome) {
        if keep(outcome, at: index) { return }
        var former = end()
        guard let result = former.result else { return }
        if case .fulfilled(let box) = outcome {
            former.members[Int(index)] = .fulfilled(box)
            result.settle(combine(former.members))
        } else {
            result.settle(outcome.uncaught)
            // The other members continue, but this collection is no reason for them to.
            if former.isAttached { forget(former.members) }
        }
    }

    /// Notes that all members know of the collection. Returns whether the result is still pending.
    private func noteAttached() -> Bool {
        state.withLock { state in
            state.isAttached = true
            return state.result != nil
        }
    }

    private func forget(_ members: [Member]) {
        for index in members.indices {
            if case .waiting(let source) = members[index] { source.forget(.member(self, index: UInt32(index))) }
        }
    }

    /// Withdraws from all members after the result was cancelled.
    private func withdraw() {
        let members = end().members
        for index in members.indices {
            if case .waiting(let source) = members[index] { source.cancel(for: .member(self, index: UInt32(index))) }
        }
    }

    /// Clears the state and returns the former one, to be released outside the lock.
    private func end() -> State {
        var former = State(result: nil, members: [], missing: 0)
        state.withLock { swap(&$0, &former) }
        return former
    }
}
