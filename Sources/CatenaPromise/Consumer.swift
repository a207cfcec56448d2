/// The consumers of a promise, in the order of attachment.
struct Consumers: Sendable {
    private enum Storage {
        case none
        case one(Consumer)
        case many([Consumer])
    }

    private var storage: Storage
    /// The number of consumers that have not withdrawn.
    private(set) var wanted: Int32 = 0
    /// Whether there may be consumers that react on another executor.
    private(set) var hasHops = false

    init() {
        storage = .none
    }

    /// Creates a list of one consumer.
    ///
    /// - Parameter isWanted: Whether the consumer is a reason for the source to continue.
    init(_ consumer: consuming Consumer, isWanted: Bool = true) {
        hasHops = consumer.executor.isElsewhere
        wanted = isWanted ? 1 : 0
        storage = .one(consumer)
    }

    var isEmpty: Bool {
        if case .none = storage { true } else { false }
    }

    /// Appends the consumers of another list.
    mutating func add(_ other: inout Consumers) {
        swap(&self, &other)
        // Added even if the list is empty, because swept consumers may still withdraw.
        wanted += other.wanted
        if other.hasHops { hasHops = true }
        guard !other.isEmpty else { return }
        let coming = storage
        storage = other.storage
        other.storage = .none
        switch coming {
        case .none: break
        case .one(let consumer): add(consumer)
        case .many(let all): for consumer in all { add(consumer) }
        }
    }

    private mutating func add(_ consumer: Consumer) {
        switch storage {
        case .none:
            storage = .one(consumer)
        case .one(let first):
            storage = .many([first, consumer])
        case .many(var all):
            storage = .none
            all.append(consumer)
            storage = .many(all)
        }
    }

    /// Ends the interest of a consumer. Returns consumers to be released outside the lock.
    ///
    /// Any number of consumers may come and go during the life of a source. A short list removes each one at once. A long list is swept once most of
    /// its consumers are dead, which takes constant time for each on average.
    mutating func withdraw(_ consumer: Consumer) -> [Consumer] {
        wanted -= 1
        switch storage {
        case .none:
            return []
        case .one(let only):
            guard only === consumer else { return [] }
            storage = .none
            return [only]
        case .many(let all):
            let isShort = all.count < 16
            guard isShort || Int(wanted) * 2 < all.count else { return [] }
            let left = all.filter { isShort ? !($0 === consumer) : $0.isWaiting }
            storage = left.isEmpty ? .none : .many(left)
            return all
        }
    }

    /// Removes and returns the only consumer, if it reacts on the settling thread.
    mutating func takeOnlyInline() -> Consumer? {
        guard case .one(let consumer) = storage, case .inline = consumer.executor else { return nil }
        storage = .none
        return consumer
    }

    /// Sends the consumers with other executors there, with one hop for each run of the same executor. Returns the other consumers.
    ///
    /// - Parameter inDrain: Whether a link of the chain that this thread runs has settled the promise. Only then may a handler for this executor
    ///   run without a hop, because user code may wait for a promise that it settles.
    func hop(with outcome: Outcome, inDrain: Bool) -> Consumers {
        switch storage {
        case .none:
            return self
        case .one(let consumer):
            let route = consumer.route(of: outcome, inDrain: inDrain)
            if case .inline = route { return self }
            Self.send([consumer], outcome, to: route)
            return Consumers()
        case .many(let all):
            return Self.hop(all, with: outcome, inDrain: inDrain)
        }
    }

    private static func hop(_ consumers: [Consumer], with outcome: Outcome, inDrain: Bool) -> Consumers {
        var here: [Consumer] = []
        var run: [Consumer] = []
        var executor = PromiseExecutor.inline
        for consumer in consumers {
            let route = consumer.route(of: outcome, inDrain: inDrain)
            if case .inline = route {
                here.append(consumer)
                continue
            }
            if !run.isEmpty, !(route == executor) {
                send(run, outcome, to: executor)
                run = []
            }
            executor = route
            run.append(consumer)
        }
        if !run.isEmpty { send(run, outcome, to: executor) }
        var left = Consumers()
        left.storage = here.isEmpty ? .none : .many(here)
        return left
    }

    private static func send(_ consumers: [Consumer], _ outcome: Outcome, to executor: PromiseExecutor) {
        executor.async {
            Trampoline.arrive(consumers.map { Trampoline.Job(consumer: $0, outcome: outcome) }, on: executor)
        }
    }

    /// Lets the consumers react on this thread's trampoline. Awaiting tasks are resumed at once, because that runs no user code and the current
    /// work may wait for them.
    func react(to outcome: Outcome) {
        switch storage {
        case .none:
            return
        case .one(.member(let collection, let index)) where collection.keep(outcome, at: index):
            // A value that is not the last one is only stored, so it needs no turn.
            return
        case .one(let consumer):
            consumer.react(to: outcome, through: .current)
        case .many(let all):
            let trampoline = Trampoline.current
            for consumer in all { if case .direct = consumer.executor { consumer.react(to: outcome, through: trampoline) } }
            trampoline.run(
                all.compactMap { consumer in
                    if case .direct = consumer.executor { nil } else { Trampoline.Job(consumer: consumer, outcome: outcome) }
                })
        }
    }
}

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
