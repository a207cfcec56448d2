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

extension CallRun {
    /// Delivers an event of a call to the observers.
    func emit(_ kind: @autoclosure () -> CallEvent.Kind, _ call: Call) {
        if !snapshot.settings.observers.isEmpty { tellObservers(kind(), of: call) }
    }

    /// Delivers an event of an abandoned attempt to the observers.
    func emit(_ kind: @autoclosure () -> CallEvent.Kind, _ lost: AttemptHistory.ConcurrentAttempt) {
        inspected?.failAttempt(lost.attempt, CancellationError(), at: now)
        if !snapshot.settings.observers.isEmpty { tellObservers(kind(), lost.request, attempt: lost.attempt) }
    }

    // Inlined, the reads of the call's members copy all of them, without any observer.
    @inline(never)
    private func tellObservers(_ kind: CallEvent.Kind, of call: Call) { tellObservers(kind, call.prepared, attempt: call.attempt) }

    private func tellObservers(_ kind: CallEvent.Kind, _ sent: HTTPRequest?, attempt: Int) {
        let observers = snapshot.settings.observers
        var event = CallEvent(
            callID: id, kind: kind, tag: request.tag, request: sent, attempt: attempt,
            elapsed: client.clock.now - start, date: client.date())
        event.ownValues = request.ownValues
        for observer in observers where observer.isImmediate { observer.tell(event) }
        let others = observers.filter { !$0.isImmediate && !isWithin(.observer, of: $0) }
        if others.isEmpty { return }
        let isAdded = client.observation.add(retaining: event.bodies) { [event, within] in
            for observer in others { observer.tell(event, within: within) }
        }
        if isAdded { return }
        let shortened = event.withoutBodies
        client.observation.add { [within] in for observer in others { observer.tell(shortened, within: within) } }
    }

    /// Delivers the outcome of the call to watchers, keepers and observers.
    func notifyObservers(_ result: @autoclosure () -> Result<HTTPResponse, any Error>, of end: AttemptHistory.End) {
        inspected?.finish(result(), at: now)
        if !snapshot.settings.keepers.isEmpty, case .failure(let error as APIError) = result(), error.kind != .cancelled { keep(error) }
        if snapshot.settings.observers.isEmpty { return }
        tellObservers(.finished(result()), history.request, attempt: history.attempts)
        if end.wasExpected { client.expectedEnds.withLock { $0 -= 1 } }
    }

    private func keep(_ error: APIError) {
        let call = FailedCall(self, error)
        for keeper in snapshot.settings.keepers { keeper.keep(call) }
    }
}

extension FailedCall {
    init(_ run: CallRun, _ error: APIError) {
        (tag, callID) = (run.task.tag, run.id)
        (configuration, redaction) = (run.sharedConfiguration, run.profile.redaction)
        (start, end) = (run.start, run.now)
        (request, attempts) = run.history.last
        self.error = error
    }
}
