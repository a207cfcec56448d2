/// Gathers the values of several promises into one.
@usableFromInline
final class PromiseCollection: Sendable {
    /// Empty as soon as the result is settled, because a member that never settles keeps the collection.
    private struct State {
        var result: PromiseCore?
        var boxes: [(any AnyObject & Sendable)?]
        var remaining: Int
        /// Those through which the promises are wanted, once all of them are attached.
        var members: [Member] = []
    }

    /// What waits for one of the promises.
    final class Member: Sendable {
        let collection: PromiseCollection
        let index: Int
        let source: PromiseCore

        init(_ collection: PromiseCollection, _ index: Int, _ source: PromiseCore) {
            self.collection = collection
            self.index = index
            self.source = source
        }
    }

    private let combine: @Sendable ([any AnyObject & Sendable]) -> Outcome
    private let state: Mutex<State>

    private init(
        _ result: PromiseCore,
        count: Int,
        combine: @escaping @Sendable ([any AnyObject & Sendable]) -> Outcome
    ) {
        self.combine = combine
        state = Mutex(State(result: result, boxes: Array(repeating: nil, count: count), remaining: count))
    }

    /// A promise of what `combine` makes of all values. The first error or cancellation settles it; the other members go on.
    @usableFromInline
    static func gather(
        _ sources: [PromiseCore],
        _ origin: PromiseOrigin?,
        combine: @escaping @Sendable ([any AnyObject & Sendable]) -> Outcome
    ) -> PromiseCore {
        guard !sources.isEmpty else { return PromiseCore(outcome: combine([]), origin: origin) }
        let result = PromiseCore(origin: origin)
        let collection = PromiseCollection(result, count: sources.count, combine: combine)
        let members = sources.enumerated().map { index, source in Member(collection, index, source) }
        for member in members { member.source.attach(.member(member)) }
        if collection.keep(members) { result.whenCancelled { [weak collection] in collection?.withdraw() } }
        return result
    }

    /// Whether there is still something to gather.
    var isWaiting: Bool {
        state.withLock { $0.result != nil }
    }

    /// Takes the outcome of a member.
    func settled(_ index: Int, _ outcome: Outcome) {
        guard case .fulfilled(let box) = outcome else {
            let former = end()
            former.result?.settle(outcome.uncaught)
            // The others go on, but this is no reason for them to.
            return former.members.forEach { $0.source.forget(.member($0)) }
        }
        let isLast = state.withLock { state in
            guard state.result != nil else { return false }
            state.boxes[index] = box
            state.remaining -= 1
            return state.remaining == 0
        }
        guard isLast else { return }
        let former = end()
        former.result?.settle(combine(former.boxes.compactMap { $0 }))
    }

    /// Notes the members, all of which are attached, unless nothing is to be gathered any more.
    private func keep(_ members: [Member]) -> Bool {
        let isKept = state.withLock { state in
            guard state.result != nil else { return false }
            state.members = members
            return true
        }
        if !isKept { members.forEach { $0.source.forget(.member($0)) } }
        return isKept
    }

    /// The result is cancelled: nobody gathers any more.
    private func withdraw() {
        end().members.forEach { $0.source.cancel(for: .member($0)) }
    }

    /// Hands out what was kept, to be released outside the lock.
    private func end() -> State {
        var former = State(result: nil, boxes: [], remaining: 0)
        state.withLock { swap(&$0, &former) }
        return former
    }
}
