/// Runs one call from its beginning to its end, in the task that awaits it.
enum Pipeline {
    /// Returns the response of a call: prepares it, runs its stages, and sends it as often as they say.
    // Once in a program, and what it calls is inlined: each kind of value would have a copy, and each async function costs a frame.
    @inline(never)
    static func response(of run: CallRun, by mode: any AttemptMode) async throws -> HTTPResponse {
        let call = try await begin(run, for: mode.sharing)
        return try await Next(Stages.plan(of: run), mode, of: run)(call)
    }

    /// Prepares a call and runs its stages. Returns the call too, which may go through its stages once more.
    @inline(never)
    static func first(of run: CallRun, by mode: any AttemptMode) async throws -> (Call, HTTPResponse) {
        let call = try await begin(run, for: mode.sharing)
        return (call, try await response(to: call, by: mode))
    }

    /// Runs the stages of a call that has begun.
    @inline(never)
    static func response(to call: Call, by mode: any AttemptMode) async throws -> HTTPResponse {
        let run = call.run
        return try await Next(Stages.plan(of: run), mode, of: run)(call)
    }

    /// Prepares a call and notifies the observers of its beginning.
    @inline(__always)
    private static func begin(_ run: CallRun, for sharing: SharingRequirement?) async throws -> Call {
        _ = try run.timeLeft()
        if let debounce = run.configuration.debounce { try await run.wait(forNewerCall: debounce) }
        let call = try await Preparation.call(of: run, for: sharing)
        try noteBeginning(of: call, isWhole: sharing != nil)
        return call
    }

    // A separate function, because each part of `begin` that follows an `await` would contain a copy.
    @inline(never)
    private static func noteBeginning(of call: Call, isWhole: Bool) throws {
        let run = call.run
        run.history.note(call)
        if let inspected = run.inspected { inspected.begin(call.prepared, made: Stages.plan(of: run).count == 1 ? nil : run.now) }
        run.emit(.started, call)
        if run.configuration.hedge != nil { try call.checkHedge(isWhole: isWhole) }
        // A closure may have cancelled the call.
        try run.throwIfCancelled()
    }
}

extension Pipeline {
    /// Runs a call to its end, in the task of its promise.
    static func run<Mode: ResponseMode>(_ run: CallRun, until mode: @autoclosure () throws -> Mode) async throws -> Mode.Product {
        try await run.concluding {
            let mode = try mode()
            do {
                let response = try await response(of: run, by: mode.attempt)
                let product = try await mode.product(of: response, for: run)
                // Decoding cannot be interrupted, so the deadline is checked afterwards.
                _ = try run.timeLeft()
                return (product, response)
            } catch {
                await mode.abandon()
                throw error
            }
        }
    }

    /// Returns the value of a call to the task that awaits it. Cancelling the call ends whatever it waits for.
    static func value<Value>(_ target: ResultDecoder<Value>, of run: CallRun) async throws -> Value {
        do {
            run.begin(run.stopper)
            try run.throwIfCancelled()
            let value =
                try await run.hasTaskValues
                ? run.withRedaction { try await valueOfBegun(target, of: run) } : valueOfBegun(target, of: run)
            // A call that was cancelled after its response had arrived has no value.
            guard run.end(run.stopper, as: .completed) else { throw CancellationError() }
            return value
        } catch {
            throw await run.conclude(run.reason(of: error), after: run.stopper)
        }
    }

    /// Returns the value of a call that has begun, and ends the call with its response.
    @inline(__always)
    static func valueOfBegun<Value>(_ target: ResultDecoder<Value>, of run: CallRun) async throws -> Value {
        let response = try await response(of: run, by: WholeBodyAttempt(decoded: target.decoded))
        return try target.concluded(with: response, of: run)
    }
}

extension ResultDecoder {
    /// Ends the call with a response and returns its value.
    @inline(never)
    fileprivate func concluded(with response: HTTPResponse, of run: CallRun) throws -> Value {
        let value = try self.value(of: response, for: run)
        // Decoding cannot be interrupted, so the deadline is checked afterwards.
        _ = try run.timeLeft()
        run.conclude(response)
        return value
    }
}

extension CallRun {
    /// Waits until the time has passed since the beginning of the call or of its loop. A newer call that replaces this one ends the wait.
    @inline(never)
    fileprivate func wait(forNewerCall debounce: Duration) async throws {
        guard configuration.replacement != nil else {
            throw APIError.invalid("debounce", "it waits for a newer call to replace this one, which needs id(_:replacing: true)")
        }
        inspected?.begin(as: described)
        let left = debounce - (now - deadlineStart)
        try await wait { [client] in try await client.clock.sleep(for: left) }
    }

    /// Returns the time left to the call, or `nil` if it has no deadline.
    func timeLeft() throws -> Duration? {
        guard let deadline = configuration.deadline, let left = deadlineLeft else { return nil }
        guard left > .zero else { throw history.annotate(late: .late(deadline)) }
        return left
    }
}

extension AttemptMode {
    // Inlined into the witness of each mode, as a stage is.
    @inline(__always)
    func send(_ call: Call) async throws -> HTTPResponse {
        let call = try call.readyToSend()
        do {
            try call.run.history.begin(call)
            var response = try await run(call)
            call.noteResponse(&response)
            return response
        } catch {
            call.noteFailure(error)
            throw call.seenByStages(error)
        }
    }
}

extension Call {
    /// Returns the call as it is sent in this attempt. Checks it, counts it and notifies the observers.
    fileprivate func readyToSend() throws -> Call {
        try checkInterceptedRequest()
        var call = withoutWhatStays()
        // A request that an interceptor has created itself has no redaction.
        if call.prepared.redaction !== profile.redaction { call.prepared.redaction = profile.redaction }
        if !call.assembled.address.shown.secretParts.isEmpty { call.prepared.address.shown.take(call.assembled.address.shown) }
        // The call may have been stopped while its closures ran.
        if call.isOwn {
            run.stopIfLate()
            // A promise may have been cancelled before it could tell the stopper, because its task runs at once.
            try run.throwIfCancelled()
        }
        try call.throwIfStopped()
        // An interceptor may have changed the request into one that must not be sent twice.
        let isAlone = call.attemptIndex != nil && call.hedgeFault != nil
        guard run.history.note(call, isSent: true, isAlone: isAlone) else { throw CancellationError() }
        if call.hasMoved { run.history.note(movedFrom: call.assembled.address) }
        run.inspected?.beginAttempt(call.attempt, call.prepared, at: run.now)
        run.emit(.attempt, call)
        return call
    }

    fileprivate func noteResponse(_ response: inout HTTPResponse) {
        if queued > .zero { response.noteQueue(queued) }
        // Only a circuit breaker reads this, and only for calls with a deadline.
        if run.configuration.deadline != nil { run.history.noteResponse() }
        if run.history.end(self) { run.emit(.answered(response.withoutReceivedPayload), self) }
    }

    fileprivate func noteFailure(_ error: any Error) {
        guard run.history.end(self) else { return }
        run.inspected?.failAttempt(attempt, shown(error), at: run.now)
        run.emit(.failed(shown(error)), self)
    }

    /// Returns the error of an attempt as observers see it: with its request, whose redaction hides the secrets of the tag.
    func shown(_ error: APIError) -> APIError {
        var failure = error
        if failure.request == nil { failure.request = RequestSummary(prepared, tag: run.request.tag) }
        return run.hidingKnownSecrets(of: failure)
    }

    private func shown(_ error: any Error) -> any Error { (error as? APIError).map { shown($0) } ?? error }
}
