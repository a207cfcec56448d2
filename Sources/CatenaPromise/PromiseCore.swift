/// The state machine of a promise, without its type.
///
/// A derived promise is itself the node in its source's list of consumers, and holds the reaction that turns the source's outcome into its own.
/// So each link of a chain is one object. Only the state changes under the lock. Reactions run, closures are released and work is stopped after
/// the lock is released. Two locks are taken in the order from source to consumer.
@usableFromInline
package final class PromiseCore: Sendable {
    /// The next step of a derived promise after the outcome of its source.
    @usableFromInline
    package enum Step {
        case settle(Outcome)
        case adopt(PromiseCore)
    }

    /// A struct, because a closure that passes through a generic function is wrapped in another closure each time.
    struct Reaction: Sendable {
        let run: @Sendable (Outcome) -> Step
    }

    /// The origin of the outcome of a pending promise.
    enum Source {
        /// Any code that settles the promise.
        case anywhere
        /// The promise from which it is derived, or which it has adopted.
        case promise(PromiseCore)
        /// Work that can be stopped. A derived promise has none.
        case work(Work)
    }

    /// A class, so that a promise needs space for one word and not for two.
    final class Work: Sendable {
        let stop: @Sendable () -> Void

        init(stop: @escaping @Sendable () -> Void) {
            self.stop = stop
        }
    }

    // In this order the flags need no space of their own, which every promise would pay for.
    struct State {
        var outcome: Outcome?
        /// Whether a consumer is responsible for an error, so that it is not reported when this promise is freed.
        var passedOn = false
        /// Whether consumers are still being sent to their executors. Consumers attached meanwhile are queued behind them.
        var isDelivering = false
        var reaction: Reaction?
        var source = Source.anywhere
        var consumers = Consumers()

        var isPending: Bool { if case .none = outcome { true } else { false } }

        /// Whether there is no reaction: it has run, or the promise is not derived.
        var hasReacted: Bool { if case .none = reaction { true } else { false } }

        /// The closure that stops the work, or `nil` if there is none.
        var stop: (@Sendable () -> Void)? {
            if case .work(let work) = source { work.stop } else { nil }
        }

        /// Adds a closure that stops the work. Existing ones are kept, and nothing is freed.
        mutating func add(_ stop: @escaping @Sendable () -> Void) {
            guard case .work(let former) = source else { return source = .work(Work(stop: stop)) }
            source = .work(
                Work {
                    former.stop()
                    stop()
                })
        }

        /// Swaps itself with a settled state, unless it is settled already. Returns whether it was pending.
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

    /// Creates a pending promise.
    @usableFromInline
    package init(origin: PromiseOrigin?) {
        executor = .inline
        interest = .any
        self.origin = origin
        state = Mutex(State())
    }

    /// Creates a settled promise.
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

    /// Creates a node that observes an outcome without being a consumer.
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

    /// Returns a promise that reacts to the outcomes of its interest, and passes the others on unchanged.
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

    /// Runs an action when the promise is settled, without being a consumer of its outcome.
    package func whenSettled(_ action: @escaping @Sendable () -> Void) {
        let reaction = Reaction { outcome in
            action()
            return .settle(outcome.seen)
        }
        attach(.core(PromiseCore(observer: reaction)), isConsumer: false)
    }

    /// Returns the outcome if there is one. The caller becomes responsible for its error.
    @usableFromInline
    package func takeOutcome() -> Outcome? {
        state.withLock { state in
            if state.outcome != nil { state.passedOn = true }
            return state.outcome
        }
    }

    // MARK: Settling

    /// Settles the promise unless it is settled already, and delivers the outcome to its consumers.
    ///
    /// - Parameter stopping: Whether the work behind the promise is still in progress and has to be stopped.
    @usableFromInline
    package func settle(_ outcome: Outcome, stopping: Bool = false) {
        // The old state is swapped out, and released outside the lock.
        var exchanged = State(outcome: outcome)
        guard state.withLock({ $0.close(with: &exchanged) }) else { return }
        deliver(outcome, to: exchanged.consumers, inDrain: false)
        if stopping, let stop = exchanged.stop { Trampoline.current.stop(stop) }
    }

    /// Sends the outcome to the consumers, including those that attach meanwhile, and then lets the inline ones react.
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

    /// Settles the promise as part of a drain. A single inline consumer is returned as the next job and not queued, so that a plain chain needs no
    /// queue.
    private func settle(_ outcome: consuming Outcome, on trampoline: Trampoline) -> Trampoline.Job? {
        settle(outcome, on: trampoline) { _ in }
    }

    /// - Parameter close: Changes the state further, under the lock.
    @inline(__always)
    private func settle(_ outcome: consuming Outcome, on trampoline: Trampoline, _ close: (inout State) -> Void) -> Trampoline.Job? {
        // The promise and the next job both store the outcome. This binding saves one of the two copies.
        let outcome = outcome
        var consumers = Consumers()
        var source = Source.anywhere
        let isSettled = state.withLock { state in
            guard state.isPending else { return false }
            state.outcome = outcome
            state.isDelivering = state.consumers.hasHops
            swap(&state.consumers, &consumers)
            swap(&state.source, &source)
            close(&state)
            return true
        }
        guard isSettled else { return nil }
        if trampoline.hasNothingWaiting, let consumer = consumers.takeOnlyInline() {
            return Trampoline.Job(consumer: consumer, outcome: outcome)
        }
        deliver(outcome, to: consumers, inDrain: true)
        return nil
    }

    /// Adds a consumer to wait for the outcome, or lets it react to an existing one.
    ///
    /// - Parameter isConsumer: Whether it is a reason for the work to continue.
    func attach(_ consumer: consuming Consumer, isConsumer: Bool = true) {
        // Moved, because a copy would cost a retain and a release.
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

    /// Reacts to the outcome of the source. The trampoline calls this on the promise's executor. Returns the next job if it can run at once.
    func react(to outcome: Outcome, on trampoline: Trampoline) -> Trampoline.Job? {
        guard interest.contains(outcome.kind) else { return pass(outcome, on: trampoline) }
        var reaction: Reaction?
        let isPending = state.withLock { state in
            swap(&state.reaction, &reaction)
            return state.isPending
        }
        guard isPending else {
            // The promise was cancelled before its source settled. A reaction is left only if it handles its own cancellation.
            _ = reaction?.run(.cancelled)
            return nil
        }
        // Without a reaction, the outcome is that of an adopted promise, and belongs to another chain.
        guard let reaction else { return settle(outcome.uncaught, on: trampoline) }
        switch reaction.run(outcome) {
        case .settle(let outcome): return settle(outcome, on: trampoline)
        case .adopt(let inner):
            adopt(inner)
            return nil
        }
    }

    /// Passes on an outcome of no interest, which may arrive on any executor.
    ///
    /// The reaction stays until the promise is settled, because `cancel` may settle it first and then needs the reaction.
    private func pass(_ outcome: Outcome, on trampoline: Trampoline) -> Trampoline.Job? {
        var reaction: Reaction?
        let hasReacted = state.withLock { $0.hasReacted }
        return settle(hasReacted ? outcome.uncaught : outcome, on: trampoline) { swap(&$0.reaction, &reaction) }
    }

    /// Adopts the outcome of another promise (Promises/A+ 2.3.2).
    private func adopt(_ inner: PromiseCore) {
        guard inner !== self else {
            return settle(.rejected(PromiseError.cycle, .unseen))
        }
        ChainGate.pass()
        // Attached before it becomes the source, so that no interest is withdrawn that does not exist yet.
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
                // Work is not started if the promise is settled already.
                guard isPending else { return }
                do {
                    settle(.fulfilled(with: try await work()))
                } catch {
                    settle(.rejected(error))
                }
            }
        }
    }

    /// Creates the task of the work, unless the promise is settled already.
    ///
    /// The task is created under the lock, which its first step takes too. So the way to stop the work is known before any of the work runs.
    /// Creating a task runs none of it.
    @usableFromInline
    func begin(_ makeTask: () -> Task<Void, Never>) {
        state.withLock { state in
            guard state.isPending else { return }
            let task = makeTask()
            state.add { task.cancel() }
        }
    }

    // MARK: Cancelling

    /// Registers a closure that stops the work. Runs the closure at once if the promise is cancelled already.
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

    /// Cancels this promise, and then each source without other consumers.
    package func cancel() {
        Self.cancel(self)
    }

    private static func cancel(_ first: PromiseCore?) {
        var cancelled: [(core: PromiseCore, released: State)] = []
        var withdrawn: [[Consumer]] = []
        var next = first
        /// Walks from a promise to its source, for at most `limit` links.
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
        // From the source down, so that handlers run in the order of the chain.
        for (core, released) in cancelled.reversed() {
            if core.interest.contains(.ownCancellation), let reaction = released.reaction {
                core.state.withLock { $0.reaction = reaction }
                Consumers(.core(core)).hop(with: .cancelled, inDrain: false).react(to: .cancelled)
            }
            core.deliver(.cancelled, to: released.consumers, inDrain: false)
            if let stop = released.stop { Trampoline.current.stop(stop) }
        }
    }

    /// Ends a consumer's interest, and cancels the promise if it was the last consumer.
    func cancel(for consumer: Consumer) {
        var withdrawn: [[Consumer]] = []
        Self.cancel(withdraw(consumer, &withdrawn))
    }

    /// Ends a consumer's interest without cancelling the promise, even if it was the last consumer.
    func forget(_ consumer: Consumer) {
        var withdrawn: [[Consumer]] = []
        _ = withdraw(consumer, &withdrawn)
    }

    /// Ends a consumer's interest. Returns this promise if it has no consumers left.
    ///
    /// - Parameter withdrawn: Receives the removed consumers, which the caller releases where user code may run.
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
