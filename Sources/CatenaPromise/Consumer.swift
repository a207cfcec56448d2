/// A consumer that waits for a promise.
enum Consumer: Sendable {
    /// A promise that is derived from it, or that has adopted it.
    case core(PromiseCore)
    /// A collection, with the index of the promise in it.
    case member(PromiseCollection, index: UInt32)
    /// A task that awaits it.
    case task(AwaitingTask)

    var executor: PromiseExecutor {
        switch self {
        case .core(let core): core.executor
        case .member: .inline
        case .task: .direct
        }
    }

    /// Whether the consumer still needs the outcome.
    var isWaiting: Bool {
        switch self {
        case .core(let core): core.isPending
        case .member(let collection, _): collection.isWaiting
        case .task(let task): task.isWaiting
        }
    }

    /// Reacts to the outcome. The trampoline calls this on the consumer's executor. Returns the next job if it can run at once.
    func react(to outcome: Outcome, on trampoline: Trampoline) -> Trampoline.Job? {
        switch self {
        case .core(let core): return core.react(to: outcome, on: trampoline)
        case .member(let collection, let index):
            collection.settled(index, outcome)
            return nil
        case .task(let task):
            task.wake(with: outcome)
            return nil
        }
    }

    static func === (left: Consumer, right: Consumer) -> Bool {
        switch (left, right) {
        case (.core(let left), .core(let right)): left === right
        case (.member(let left, let index), .member(let right, let other)): left === right && index == other
        case (.task(let left), .task(let right)): left === right
        default: false
        }
    }
}

extension Consumer {
    /// Returns the executor for an outcome: the consumer's own if the outcome concerns it and the thread is not there already.
    func route(of outcome: Outcome, inDrain: Bool) -> PromiseExecutor {
        guard case .core(let core) = self else { return .inline }
        guard core.executor.isElsewhere, core.interest.contains(outcome.kind) else { return .inline }
        if inDrain, let running = Trampoline.current.executor, running == core.executor { return .inline }
        return core.executor
    }

    /// Reacts on this thread, at once if no user code runs, or otherwise in the trampoline's order.
    func react(to outcome: Outcome, through trampoline: Trampoline) {
        guard case .direct = executor else { return trampoline.run(Trampoline.Job(consumer: self, outcome: outcome)) }
        if let next = react(to: outcome, on: trampoline) { trampoline.run(next) }
    }
}
