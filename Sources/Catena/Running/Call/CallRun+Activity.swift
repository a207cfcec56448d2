extension CallRun {
    /// Starts the call, or another part of it, and lists it as active until it ends.
    package func promise<Value: Sendable>(
        _ file: StaticString = #fileID,
        _ line: UInt = #line,
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Promise<Value> {
        Promise(core: start(file, line) { .fulfilled(with: try await work()) })
    }

    /// Starts the call for its value.
    package func promise<Value: Sendable>(of target: ResultDecoder<Value>, _ file: StaticString, _ line: UInt) -> Promise<Value> {
        Promise(core: start(file, line) { .fulfilled(with: try await self.value(target)) })
    }

    /// Waits after the call for the next one of its loop. The deadline and cancelling the call end the wait, and suspending the call extends it.
    ///
    /// - Parameters:
    ///   - refusal: The error of a loop that must not wait for so long.
    ///   - lateMessage: The message of the error of the deadline, or `nil` for the usual one.
    func pause(for time: Duration, unless refusal: APIError? = nil, orLate lateMessage: String? = nil) async throws {
        try await promise { [self] in
            do {
                if let refusal { throw history.annotate(refusal) }
                try await wait { [client, task] in
                    try await client.clock.sleep(for: time)
                    try await task.waitWhileSuspended()
                }
            } catch {
                var error = reason(of: error)
                if let lateMessage, var late = error as? APIError, case .call? = late.limit?.limit {
                    late.message = lateMessage
                    error = late
                }
                // A call that has failed already has reported its own error.
                throw history.left == nil ? await conclude(error) : error
            }
        }.result.get()
    }

    /// Starts the call with a type-erased outcome.
    private func start(_ file: StaticString, _ line: UInt, _ work: @escaping @Sendable () async throws -> Outcome) -> PromiseCore {
        let core = PromiseCore(origin: PromiseDiagnostics.origin(file, line))
        begin(core)
        let running = Task { await run(work, for: core) }
        core.whenCancelled { [task, stopper] in
            task.end(core, as: .cancelled)
            stopper.cancel()
            // Error handlers run after the deadline has stopped the call.
            running.cancel()
        }
        return core
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
        end(core, as: outcome.kind == .cancelled ? .cancelled : .completed)
        core.settle(outcome)
    }
}
