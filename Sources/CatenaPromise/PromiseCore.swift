/// The state machine of a promise, without its type.
///
/// A derived promise is itself the node in its source's list of consumers and holds the reaction that turns the source's outcome
/// into its own: one object for each link of a chain. Under the lock, state changes only; whatever follows from a change (running
/// reactions, releasing closures, stopping the work) happens after the lock is released. Where two locks are needed they are
/// taken from the source towards the consumer.
@usableFromInline
package final class PromiseCore: Sendable {
    /// What a derived promise does with the outcome of its source.
    @usableFromInline
    package enum Step {
        case settle(Outcome)
        case adopt(PromiseCore)
    }

    /// A struct, because a closure that passes through a generic function is wrapped in another one each time.
    struct Reaction: Sendable {
        let run: @Sendable (Outcome) -> Step
    }

    /// Where the outcome of a promise that is not settled will come from.
    enum Source {
        /// From whoever settles it.
        case anywhere
        /// From the promise from which it is derived, or which it has adopted.
        case promise(PromiseCore)
        /// From work that can be stopped. A derived promise has none.
        case work(Work)
    }

    /// An object, so that a promise has room for one word and not for two.
    final class Work: Sendable {
        let stop: @Sendable () -> Void

        init(stop: @escaping @Sendable () -> Void) {
            self.stop = stop
        }
    }

    // In this order the flags take no room of their own: each promise has one of these.
    struct State {
        var outcome: Outcome?
        /// Whether somebody else answers for the outcome, so that it need not be reported when this promise is freed.
        var passedOn = false
        /// Whether handlers are still being sent to their executors. Who attaches meanwhile waits behind them.
        var isDelivering = false
        var reaction: Reaction?
        var source = Source.anywhere
        var consumers = Consumers()

        var isPending: Bool {
            if case .none = outcome { true } else { false }
        }

        /// What stops the work, if there is any.
        var stop: (@Sendable () -> Void)? {
            if case .work(let work) = source { work.stop } else { nil }
        }

        /// Adds a way to stop the work. Those that are there are kept, and nothing is freed.
        mutating func add(_ stop: @escaping @Sendable () -> Void) {
            guard case .work(let former) = source else { return source = .work(Work(stop: stop)) }
            source = .work(
                Work {
                    former.stop()
                    stop()
                })
        }

        /// Changes places with a settled state, unless it is settled itself.
        mutating func close(with settled: inout State) -> Bool {
            guard isPending else { return false }
            settled.passedOn = passedOn
            settled.isDelivering = consumers.hasHops
            swap(&self, &settled)
            return true
        }
    }

    let executor: PromiseExecutor
    let interest: Interest
    @usableFromInline let origin: PromiseOrigin?
    private let state: Mutex<State>

    /// A promise that nothing has settled yet.
    @usableFromInline
    package init(origin: PromiseOrigin?) {
        executor = .inline
        interest = .any
        self.origin = origin
        state = Mutex(State())
    }

    /// A promise that is settled from the start.
    @usableFromInline
    package init(outcome: Outcome, origin: PromiseOrigin?) {
        executor = .inline
        interest = .any
        self.origin = origin
        state = Mutex(State(outcome: outcome))
    }

    private init(source: PromiseCore, executor: PromiseExecutor, interest: Interest, reaction: consuming Reaction) {
        self.executor = executor
        self.interest = interest
        origin = source.origin
        state = Mutex(State(reaction: reaction, source: .promise(source)))
    }

    /// One that looks at outcomes for somebody who is no consumer.
    private init(observer reaction: Reaction) {
        executor = .inline
        interest = .any
        origin = nil
        state = Mutex(State(reaction: reaction))
    }

    deinit {
        guard PromiseDiagnostics.isListening else { return }
        let unhandled: (any Error)? = state.withLock { state in
            guard case .rejected(let error, .unseen) = state.outcome, !state.passedOn else { return nil }
            return error
        }
        if let unhandled { PromiseDiagnostics.report(unhandled, from: origin) }
    }

    @usableFromInline
    package var isPending: Bool {
        state.withLock { $0.isPending }
    }

    /// A promise that reacts to the outcomes of this one that interest it, and takes on the others as they are.
    @usableFromInline
    package func derive(
        on executor: PromiseExecutor = .inline, interest: Interest, _ reaction: consuming @escaping @Sendable (Outcome) -> Step
    ) -> PromiseCore {
        if PromiseScope.isAnyAlive, let surrounded = PromiseScope.surround(reaction, of: origin) {
            let derived = PromiseCore(source: self, executor: executor, interest: interest, reaction: Reaction(run: surrounded))
            attach(.core(derived))
            return derived
        }
        let derived = PromiseCore(source: self, executor: executor, interest: interest, reaction: Reaction(run: reaction))
        attach(.core(derived))
        return derived
    }

    /// Runs an action when the promise is settled in whichever way, without being a consumer of its outcome.
    package func whenSettled(_ action: @escaping @Sendable () -> Void) {
        let reaction = Reaction { outcome in
            action()
            return .settle(outcome.seen)
        }
        attach(.core(PromiseCore(observer: reaction)), isConsumer: false)
    }

    /// The outcome if there is one, for a reader who takes over the responsibility for it.
    @usableFromInline
    package func takeOutcome() -> Outcome? {
        state.withLock { state in
            if state.outcome != nil { state.passedOn = true }
            return state.outcome
        }
    }

    // MARK: Settling

    /// Settles the promise unless it is settled, and sets free the work of those who waited.
    ///
    /// - Parameter stopping: Whether the work behind the promise is still under way and has to be stopped.
    @usableFromInline
    package func settle(_ outcome: Outcome, stopping: Bool = false) {
        // What is no longer needed changes places with what takes its place, and is released outside the lock.
        var exchanged = State(outcome: outcome)
        guard state.withLock({ $0.close(with: &exchanged) }) else { return }
        deliver(outcome, to: exchanged.consumers, inDrain: false)
        if stopping, let stop = exchanged.stop { Trampoline.current.stop(stop) }
    }

    /// Sends the outcome to those who waited, and to those who came while it was being sent; then lets the inline ones react.
    private func deliver(_ outcome: Outcome, to consumers: Consumers, inDrain: Bool) {
        guard consumers.hasHops else { return consumers.react(to: outcome) }
        var here = consumers.hop(with: outcome, inDrain: inDrain)
        while true {
            var late = Consumers()
            state.withLock { state in
                swap(&state.consumers, &late)
                if late.isEmpty { state.isDelivering = false }
            }
            if late.isEmpty { break }
            var more = late.hop(with: outcome, inDrain: false)
            here.add(&more)
        }
        here.react(to: outcome)
    }

    /// Settles the promise as part of a drain. Where one consumer is all that follows, it is handed back instead of being queued:
    /// the links of a plain chain pass the outcome on from hand to hand.
    private func settle(_ outcome: consuming Outcome, on trampoline: Trampoline) -> Trampoline.Job? {
        // Kept by the promise and by who comes next: one copy instead of two.
        let outcome = outcome
        var consumers = Consumers()
        var source = Source.anywhere
        let isSettled = state.withLock { state in
            guard state.isPending else { return false }
            state.outcome = outcome
            state.isDelivering = state.consumers.hasHops
            swap(&state.consumers, &consumers)
            swap(&state.source, &source)
            return true
        }
        guard isSettled else { return nil }
        if trampoline.hasNothingWaiting, let consumer = consumers.takeOnlyInline() {
            return Trampoline.Job(consumer: consumer, outcome: outcome)
        }
        deliver(outcome, to: consumers, inDrain: true)
        return nil
    }

    /// Makes somebody wait for the outcome, or react to it if there is one.
    ///
    /// - Parameter isConsumer: Whether it is a reason for the work to go on.
    func attach(_ consumer: consuming Consumer, isConsumer: Bool = true) {
        // Moved from hand to hand: a copy would be counted, and counted back.
        var coming = Consumers(consumer, isWanted: isConsumer)
        let outcome = state.withLock { state -> Outcome? in
            if isConsumer { state.passedOn = true }
            if state.isPending || state.isDelivering && coming.hasHops {
                state.consumers.add(&coming)
                return nil
            }
            return state.outcome
        }
        guard let outcome else { return }
        coming.hop(with: outcome, inDrain: false).react(to: outcome)
    }

    /// Reacts to the outcome of the source; called by the trampoline, on this promise's executor. Gives what comes next if that
    /// can be done at once.
    func react(to outcome: Outcome, on trampoline: Trampoline) -> Trampoline.Job? {
        var reaction: Reaction?
        let isPending = state.withLock { state in
            swap(&state.reaction, &reaction)
            return state.isPending
        }
        guard isPending else {
            // Cancelled before the source was settled: only who asked for cancellation is left to be told.
            _ = reaction?.run(.cancelled)
            return nil
        }
        // Without a reaction it is the outcome of a promise that was adopted, and with it of another chain.
        guard let reaction else { return settle(outcome.uncaught, on: trampoline) }
        guard interest.contains(outcome.kind) else { return settle(outcome, on: trampoline) }
        switch reaction.run(outcome) {
        case .settle(let outcome): return settle(outcome, on: trampoline)
        case .adopt(let inner):
            adopt(inner)
            return nil
        }
    }

    /// Takes on the outcome of another promise (Promises/A+ 2.3.2).
    private func adopt(_ inner: PromiseCore) {
        guard inner !== self else {
            return settle(.rejected(PromiseError.cycle, .unseen))
        }
        ChainGate.pass()
        // Attached before it is known as the source, so that nobody withdraws an interest that is not there yet.
        inner.attach(.core(self))
        var former = Source.promise(inner)
        let isPending = state.withLock { state in
            guard state.isPending else { return false }
            swap(&state.source, &former)
            return true
        }
        if !isPending { inner.cancel(for: .core(self)) }
    }

    /// Runs asynchronous work that settles this promise. Cancelling the promise, or settling it otherwise, stops the work.
    @inlinable
    package func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) {
        begin {
            Task {
                // What is settled before it began is not begun.
                guard isPending else { return }
                do {
                    settle(.fulfilled(with: try await work()))
                } catch {
                    settle(.rejected(error))
                }
            }
        }
    }

    /// Makes the task of the work, unless the promise is settled already.
    ///
    /// It is made under the lock, which its first line takes too: nobody who hears of the work can come before the way to stop it is
    /// known. Making a task runs nothing of it.
    @usableFromInline
    func begin(_ makeTask: () -> Task<Void, Never>) {
        state.withLock { state in
            guard state.isPending else { return }
            let task = makeTask()
            state.add { task.cancel() }
        }
    }

    // MARK: Cancelling

    /// Registers how to stop the work; does so at once if the promise is cancelled already.
    @usableFromInline
    package func whenCancelled(_ stop: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if state.isPending {
                state.add(stop)
                return false
            }
            if case .cancelled = state.outcome { return true }
            return false
        }
        if isCancelled { Trampoline.current.stop(stop) }
    }

    /// Settles this promise as cancelled, then every source that nobody else wants.
    package func cancel() {
        Self.cancel(self)
    }

    private static func cancel(_ first: PromiseCore?) {
        var cancelled: [(core: PromiseCore, released: State)] = []
        var withdrawn: [[Consumer]] = []
        var next = first
        /// Goes from a promise to its source, for so many links at most.
        func walk(limit: Int = .max) {
            var left = limit
            while left > 0, let core = next {
                var released = State(outcome: .cancelled)
                guard core.state.withLock({ $0.close(with: &released) }) else { return next = nil }
                if case .promise(let source) = released.source {
                    next = source.withdraw(.core(core), &withdrawn)
                } else {
                    next = nil
                }
                cancelled.append((core, released))
                left -= 1
            }
        }
        walk(limit: 1000)
        if next != nil { ChainGate.whileClosed { walk() } }
        // From the source down, so that handlers run in the order in which they stand in the chain.
        for (core, released) in cancelled.reversed() {
            if core.interest.contains(.ownCancellation), let reaction = released.reaction {
                core.state.withLock { $0.reaction = reaction }
                Consumers(.core(core)).hop(with: .cancelled, inDrain: false).react(to: .cancelled)
            }
            core.deliver(.cancelled, to: released.consumers, inDrain: false)
            if let stop = released.stop { Trampoline.current.stop(stop) }
        }
    }

    /// Ends a consumer's interest, and cancels the promise if it was the last.
    func cancel(for consumer: Consumer) {
        var withdrawn: [[Consumer]] = []
        Self.cancel(withdraw(consumer, &withdrawn))
    }

    /// Ends a consumer's interest without cancelling the promise, even if it was the last.
    func forget(_ consumer: Consumer) {
        var withdrawn: [[Consumer]] = []
        _ = withdraw(consumer, &withdrawn)
    }

    /// Ends a consumer's interest. Returns this promise if it is not wanted by anybody any more.
    ///
    /// - Parameter withdrawn: Gets the consumers that are no longer kept, for the caller to release where user code may run.
    private func withdraw(_ consumer: Consumer, _ withdrawn: inout [[Consumer]]) -> PromiseCore? {
        let (isUnwanted, released) = state.withLock { state -> (Bool, [Consumer]) in
            guard state.isPending else { return (false, []) }
            let released = state.consumers.withdraw(consumer)
            return (state.consumers.wanted == 0, released)
        }
        if !released.isEmpty { withdrawn.append(released) }
        return isUnwanted ? self : nil
    }
}
