extension CallRun {
    /// Starts the call, or another part of it, and lists it as active until it ends.
    package func promise<Value: Sendable>(
        _ file: StaticString = #fileID,
        _ line: UInt = #line,
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Promise<Value> {
        Promise(core: start(file, line, isAwaited: false) { .fulfilled(with: try await work()) })
    }

    /// Starts the call for its value.
    package func promise<Value: Sendable>(of target: ResultDecoder<Value>, _ file: StaticString, _ line: UInt) -> Promise<Value> {
        Promise(core: start(file, line, isAwaited: false) { .fulfilled(with: try await Pipeline.valueOfBegun(target, of: self)) })
    }

    /// Continues an active call in a task of its own, where it may await anything. Cancelling the call cancels that task.
    func goOn<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let core = start(#fileID, #line, isAwaited: true, isUnderWay: true) { .fulfilled(with: try await work()) }
        return try await Promise<Value>(core: core).result.get()
    }

    /// Starts the call with a type-erased outcome.
    ///
    /// - Parameters:
    ///   - isAwaited: Whether the calling task only waits for the call, so that the call can begin on its thread.
    ///   - isUnderWay: Whether the call has begun, and continues in a task of its own.
    private func start(
        _ file: StaticString, _ line: UInt, isAwaited: Bool, isUnderWay: Bool = false,
        _ work: @escaping @Sendable () async throws -> Outcome
    ) -> PromiseCore {
        let core = PromiseCore(origin: PromiseDiagnostics.origin(file, line))
        let call = task
        if !isUnderWay { begin(core) } else if (try? call.proceed(with: core)) == nil { core.cancel() }
        if isAwaited, Task.isCancelled { core.cancel() }
        let running = task(of: core, isImmediate: isAwaited, work)
        core.whenCancelled {
            call.end(core, as: .cancelled)
            running.cancel()
        }
        return core
    }

    /// Creates the task of the work. If possible, an awaited call begins on the current thread, because waking another thread takes longer
    /// than many other parts of a call.
    private func task(
        of core: PromiseCore, isImmediate: Bool, _ work: @escaping @Sendable () async throws -> Outcome
    ) -> Task<Void, Never> {
        #if compiler(>=6.2)
        if isImmediate, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { await run(work, for: core) }
        }
        #endif
        return Task { await run(work, for: core) }
    }

    // Inlined, because each async function costs a frame.
    @inline(__always)
    private func run(_ work: @Sendable () async throws -> Outcome, for core: PromiseCore) async {
        // Work that is cancelled before it begins is not started.
        guard core.isPending else {
            task.end(core, as: .cancelled)
            _ = await conclude(CancellationError())
            return
        }
        var outcome = Outcome.cancelled
        do {
            outcome = try await hasTaskValues ? withRedaction(work) : work()
        } catch {
            outcome = .rejected(error)
        }
        // Before the promise is settled, so that handlers do not find their own call among the active ones.
        task.end(core, as: outcome.kind == .cancelled ? .cancelled : .completed)
        core.settle(outcome)
    }
}
