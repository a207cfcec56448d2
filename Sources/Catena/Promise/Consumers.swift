/// The promises that wait for a source, in the order of attachment.
struct Consumers: Sendable {
    private enum Storage {
        case none
        case one(PromiseCore)
        case many([PromiseCore])
    }

    private var storage: Storage
    /// How many have not withdrawn.
    private(set) var wanted: Int32 = 0

    init() {
        storage = .none
    }

    init(_ consumer: PromiseCore) {
        storage = .one(consumer)
        wanted = 1
    }

    /// - Parameter isWanted: Whether the consumer is a reason for the source to go on.
    mutating func add(_ consumer: PromiseCore, isWanted: Bool) {
        if isWanted { wanted += 1 }
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

    /// Ends the interest of one. Hands out those to be released, which must happen outside the lock.
    ///
    /// A long-lived source may see any number of consumers come and go, so the list is swept once most of it is dead: constant
    /// cost for each, on average.
    mutating func withdraw(_ consumer: PromiseCore) -> [PromiseCore] {
        wanted -= 1
        switch storage {
        case .none:
            return []
        case .one(let only):
            guard only === consumer else { return [] }
            storage = .none
            return [only]
        case .many(let all):
            guard all.count >= 16, Int(wanted) * 2 < all.count else { return [] }
            storage = .many(all.filter(\.isPending))
            return all
        }
    }

    /// The only consumer, if there is just one and it reacts on the settling thread.
    mutating func takeOnlyInline() -> PromiseCore? {
        guard case .one(let consumer) = storage, case .inline = consumer.executor else { return nil }
        storage = .none
        return consumer
    }

    /// Lets each consumer react: inline ones on this thread's trampoline, the others with one hop for each run of the same executor.
    ///
    /// - Parameter isLate: Whether the promise was settled before they were attached. Earlier ones may still be on their way to their
    ///   executor then, so that a late one has to take the same way even if it is there already.
    func deliver(_ outcome: Outcome, isLate: Bool = false) {
        switch storage {
        case .none:
            return
        case .one(let consumer):
            let executor = consumer.route(of: outcome, isLate: isLate)
            if case .inline = executor {
                Trampoline.current.run(Trampoline.Job(core: consumer, outcome: outcome))
            } else {
                Self.hop([consumer], with: outcome, to: executor)
            }
        case .many(let all):
            deliver(outcome, to: all)
        }
    }

    private func deliver(_ outcome: Outcome, to consumers: [PromiseCore]) {
        var inline: [PromiseCore] = []
        var run: [PromiseCore] = []
        var executor = PromiseExecutor.inline
        // Hops first: an inline handler may block, and settling enqueues the work of all before it returns.
        for consumer in consumers {
            let route = consumer.route(of: outcome, isLate: false)
            if case .inline = route {
                inline.append(consumer)
                continue
            }
            if !run.isEmpty, !(route == executor) {
                Self.hop(run, with: outcome, to: executor)
                run = []
            }
            executor = route
            run.append(consumer)
        }
        if !run.isEmpty { Self.hop(run, with: outcome, to: executor) }
        Trampoline.current.run(inline.map { Trampoline.Job(core: $0, outcome: outcome) })
    }

    private static func hop(_ consumers: [PromiseCore], with outcome: Outcome, to executor: PromiseExecutor) {
        executor.async {
            Trampoline.arrive(consumers.map { Trampoline.Job(core: $0, outcome: outcome) }, on: executor)
        }
    }
}

extension PromiseCore {
    /// Where this promise reacts to an outcome: on its executor if the outcome concerns it and the thread is not there already.
    fileprivate func route(of outcome: Outcome, isLate: Bool) -> PromiseExecutor {
        if case .inline = executor { return .inline }
        guard interest.contains(outcome.kind) else { return .inline }
        if !isLate, let running = Trampoline.current.executor, running == executor { return .inline }
        return executor
    }
}
