/// Watches several promises that together settle one.
///
/// A separate consumer watches each member. Once the result is settled, the remaining consumers can be cancelled. This cancels members without
/// other consumers.
final class PromiseGroup: Sendable {
    private struct State {
        var outcomes: [Outcome?]
        var remaining: Int
        var watchers: [PromiseCore] = []
        var isOver = false
    }

    let result: PromiseCore
    private let state: Mutex<State>
    /// Whether the remaining members are cancelled once the result is settled.
    private let cancelsRest: Bool

    private init(count: Int, cancelsRest: Bool, origin: PromiseOrigin?) {
        result = PromiseCore(origin: origin)
        state = Mutex(State(outcomes: Array(repeating: nil, count: count), remaining: count))
        self.cancelsRest = cancelsRest
    }

    /// Watches promises. `decide` receives each outcome, and a closure that returns all outcomes after the last. Its result settles the group.
    static func watch(
        _ members: [PromiseCore],
        cancelsRest: Bool,
        origin: PromiseOrigin?,
        decide: @escaping @Sendable (_ latest: Outcome, _ all: () -> [Outcome]?) -> Outcome?
    ) -> PromiseCore {
        let group = PromiseGroup(count: members.count, cancelsRest: cancelsRest, origin: origin)
        group.result.whenCancelled { [weak group] in group?.withdraw() }
        for (index, member) in members.enumerated() {
            let watcher = member.derive(interest: .any) { outcome in
                group.settled(index, outcome, decide: decide)
                return .settle(outcome.seen)
            }
            if !group.add(watcher), cancelsRest { watcher.cancel() }
        }
        return group.result
    }

    private func settled(_ index: Int, _ outcome: Outcome, decide: (Outcome, () -> [Outcome]?) -> Outcome?) {
        let all = state.withLock { state -> [Outcome]?? in
            guard !state.isOver else { return nil }
            state.outcomes[index] = outcome
            state.remaining -= 1
            return .some(state.remaining == 0 ? state.outcomes.compactMap { $0 } : nil)
        }
        guard let all, let decided = decide(outcome, { all }) else { return }
        finish()
        result.settle(decided.uncaught)
    }

    private func add(_ watcher: PromiseCore) -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            state.watchers.append(watcher)
            return true
        }
    }

    private func finish() {
        let former = end()
        if cancelsRest { former.watchers.forEach { $0.cancel() } }
    }

    private func withdraw() {
        end().watchers.forEach { $0.cancel() }
    }

    /// Clears the state and returns the former one, to be released outside the lock.
    private func end() -> State {
        state.withLock { state in
            let former = state
            state = State(outcomes: [], remaining: 0, isOver: true)
            return former
        }
    }
}
