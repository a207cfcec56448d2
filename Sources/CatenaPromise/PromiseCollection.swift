/// Gathers the values of several promises into one.
@usableFromInline
final class PromiseCollection: Sendable {
    /// A promise, and once it is settled its value in its place: nothing else of a settled promise is kept.
    @usableFromInline
    enum Member: Sendable {
        case waiting(PromiseCore)
        case fulfilled(any AnyObject & Sendable)

        var box: (any AnyObject & Sendable)? {
            if case .fulfilled(let box) = self { box } else { nil }
        }
    }

    /// Empty as soon as the result is settled, because a member that never settles keeps the collection.
    private struct State {
        var result: PromiseCore?
        var members: [Member]
        var missing: Int
        /// Whether all members know of the collection. Until then nobody withdraws an interest that is not there yet.
        var isAttached = false
    }

    private let combine: @Sendable ([Member]) -> Outcome
    private let state: Mutex<State>

    private init(_ result: PromiseCore, _ members: [Member], combine: @escaping @Sendable ([Member]) -> Outcome) {
        self.combine = combine
        state = Mutex(State(result: result, members: members, missing: members.count))
    }

    /// A promise of what `combine` makes of all members once they are fulfilled. The first error or cancellation settles it; the other
    /// members go on.
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

    /// Whether there is still something to gather.
    var isWaiting: Bool {
        state.withLock { $0.result != nil }
    }

    /// Keeps a value that is not the last one missing. The last one and a failure have consequences, which come in their turn.
    func keep(_ outcome: Outcome, at index: UInt32) -> Bool {
        guard case .fulfilled(let box) = outcome else { return false }
        var member = Member.fulfilled(box)
        return state.withLock { state in
            // A settled one is none of several that are missing.
            guard state.missing > 1 else { return state.result == nil }
            swap(&state.members[Int(index)], &member)
            state.missing -= 1
            return true
        }
    }

    /// Takes the outcome of a member.
    func settled(_ index: UInt32, _ outcome: Outcome) {
        if keep(outcome, at: index) { return }
        var former = end()
        guard let result = former.result else { return }
        if case .fulfilled(let box) = outcome {
            former.members[Int(index)] = .fulfilled(box)
            result.settle(combine(former.members))
        } else {
            result.settle(outcome.uncaught)
            // The others go on, but this is no reason for them to.
            if former.isAttached { forget(former.members) }
        }
    }

    /// All members know of the collection. Gives whether there is still something to gather.
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

    /// The result is cancelled: nobody gathers any more.
    private func withdraw() {
        let members = end().members
        for index in members.indices {
            if case .waiting(let source) = members[index] { source.cancel(for: .member(self, index: UInt32(index))) }
        }
    }

    /// Hands out what was kept, to be released outside the lock.
    private func end() -> State {
        var former = State(result: nil, members: [], missing: 0)
        state.withLock { swap(&$0, &former) }
        return former
    }
}
