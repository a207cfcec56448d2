/// A call that waits for nothing but its transfer: no stage, no closure and no handler on its way has anything to wait for. It goes from its
/// beginning to its end in the task in which it is, without a promise, a task or a chain of its own.
///
/// Retry and sign-in have to wait only where something goes wrong: such a call makes its first attempt in the same way, and only if that fails,
/// or if its credential has to be got first, the stages take over.
struct DirectCall {
    /// How far a call comes by itself.
    private enum Passage {
        case over(EnvelopeResult)
        /// The stages have something to say.
        case staged(StagedCall)
    }

    private let execution: Execution
    /// The type that the call decodes; `nil` if it wants the body as it is.
    private let decoded: Any.Type?
    private let stopper: TransferStopper

    init(_ execution: Execution, decoded: Any.Type?) {
        self.execution = execution
        self.decoded = decoded
        stopper = TransferStopper(
            silence: .keeping(execution.settings.silence, on: execution.client.clock), meter: execution.trace)
    }

    /// Runs the call in the task that awaits it, which is listed as the call's own meanwhile: cancelling the call ends the transfer.
    func valueInTaskOfCaller<Value>(_ target: ResultDecoder<Value>) async throws -> Value {
        let staged: StagedCall
        do {
            try begin()
            switch try await execution.hasTaskValues ? execution.withRedaction({ try await exchange() }) : exchange() {
            case .over(let reading):
                let value = try execution.withRedaction { try self.value(of: reading, by: target) }
                // Cancelled when its response had come, it has none.
                guard execution.task.end(stopper, as: .completed) else { throw CancellationError() }
                return value
            case .staged(let call): staged = call
            }
        } catch {
            throw await conclusion(of: error)
        }
        return try await value(of: staged, inTaskOfItsOwnBy: target)
    }

    // A function of its own, as that of the other staged call below: a direct call would look up types for it that it does not need.
    @inline(never)
    private func value<Value>(of call: StagedCall, inTaskOfItsOwnBy target: ResultDecoder<Value>) async throws -> Value {
        let execution = execution
        return try await execution.goOn {
            try await execution.concluding { try await Pipeline.goOn(with: call, until: CollectingAttempt(target: target)) }.value
        }
    }

    @inline(never)
    private func value<Value>(of reading: EnvelopeResult, by target: ResultDecoder<Value>) throws -> Value {
        let value = try target.value(of: reading, for: execution)
        // Nothing interrupts decoding.
        _ = try timeLeft()
        execution.conclude(reading.response)
        return value
    }

    private func begin() throws {
        execution.begin(stopper)
        try execution.throwIfCancelled()
    }

    /// The error as it leaves the call. Handlers may wait; who cancels the call meanwhile is not kept waiting by them.
    private func conclusion(of error: any Error) async -> any Error {
        let execution = execution
        let error = execution.isCancelled ? CancellationError() : error
        let promise = Promise<Never>(core: PromiseCore(origin: nil))
        var work: any CancellableWork = stopper
        var left: any Error = CancellationError()
        if execution.hasErrorHandler, !execution.isCancelled, (try? execution.task.proceed(with: promise.core)) != nil {
            work = promise.core
            promise.core.run { throw await execution.withRedaction { await execution.conclude(error) } }
            if case .failure(let error) = await promise.result { left = error }
            // Cancelled before its handlers had begun, it has not been concluded yet.
            if left is CancellationError { _ = await execution.conclude(left) }
        } else {
            left = await execution.withRedaction { await execution.conclude(error) }
        }
        execution.task.end(work, as: left is CancellationError ? .cancelled : .completed)
        return left
    }

    /// Brings the value in a task that is the call's own, and ends the call.
    func value<Value>(_ target: ResultDecoder<Value>) async throws -> Value {
        do {
            switch try await exchange() {
            case .over(let reading): return try value(of: reading, by: target)
            case .staged(let call): return try await value(of: call, by: target)
            }
        } catch {
            throw await execution.conclude(error)
        }
    }

    @inline(never)
    private func value<Value>(of call: StagedCall, by target: ResultDecoder<Value>) async throws -> Value {
        let (product, response) = try await Pipeline.goOn(with: call, until: CollectingAttempt(target: target))
        execution.conclude(response)
        return product.value
    }

    /// Brings the product, and the response of which it was made, in a task that is the call's own.
    func run<Value>(_ attempt: CollectingAttempt<Value>) async throws -> (product: Response<Value>, response: HTTPResponse) {
        switch try await exchange() {
        case .over(let reading):
            let product = try attempt.product(of: reading, for: execution)
            // Nothing interrupts decoding.
            _ = try timeLeft()
            return (product, reading.response)
        case .staged(let call): return try await Pipeline.goOn(with: call, until: attempt)
        }
    }

    /// Prepares, sends and reads; the limits of time end the transfer.
    ///
    /// What an asynchronous function keeps while it waits is memory that is got for each call. So it does the waiting here, and those
    /// below all that need not wait.
    private func exchange() async throws -> Passage {
        _ = try timeLeft()
        let prepared = execution.profile.hasAuthentication ? try await Call.prepare(execution) : try Call.preparedAtOnce(execution)
        let (call, first) = try signedIn(begun(prepared))
        guard let call else { return try staged(prepared, first) }
        let timers = try startLimits()
        defer {
            for timer in timers { timer.cancel() }
            stopper.silence?.end()
        }
        do {
            return .over(try await send(call))
        } catch {
            return try goOn(with: prepared, first, after: error)
        }
    }

    @inline(never)
    private func begun(_ prepared: Call) throws -> Call {
        execution.log.note(prepared)
        execution.trace?.begin(prepared.prepared)
        execution.emit(.started, prepared)
        try prepared.checkHedge(isWhole: true)
        try execution.throwIfCancelled()
        let retry = execution.settings.retry
        if retry.limit > 0 { execution.backend.account(for: retry)?.deposit() }
        return prepared
    }

    /// The call as it is to be sent, and what came of its sign-in, if it has one. No call where that has to be waited for, or has failed.
    @inline(never)
    private func signedIn(_ prepared: Call) throws -> (Call?, FirstAttempt?) {
        guard let authentication = execution.authentication else { return (prepared, nil) }
        let signIn: (call: Call, pass: AuthenticationPass)?
        do {
            signIn = try prepared.authenticatedAtOnce(by: authentication, prepared.authenticationContext)
        } catch {
            return (nil, FirstAttempt(signIn: .failure(error)))
        }
        guard let signIn else { return (nil, nil) }
        // The sign-in may have taken its time.
        try execution.throwIfCancelled()
        return (signIn.call, FirstAttempt(signIn: .success(signIn)))
    }

    /// - Parameter error: How the first attempt has failed.
    @inline(never)
    private func goOn(with prepared: Call, _ first: FirstAttempt?, after error: any Error) throws -> Passage {
        // How a call has failed that was cancelled meanwhile is of no interest any more.
        try execution.throwIfCancelled()
        guard execution.hasAnswer(to: error) else { throw error }
        let first = first ?? FirstAttempt()
        first.fail(error)
        return try staged(prepared, first)
    }

    private func staged(_ call: Call, _ first: FirstAttempt?) throws -> Passage {
        .staged(StagedCall(call: call, first: first ?? FirstAttempt(), left: try timeLeft()))
    }

    private func send(_ call: Call) async throws -> EnvelopeResult {
        let call = try call.readyToSend()
        do {
            try execution.log.begin(call)
            var response = try await received(by: call)
            return try read(&response, of: call)
        } catch {
            call.noteFailure(error)
            throw error
        }
    }

    @inline(never)
    private func read(_ response: inout HTTPResponse, of call: Call) throws -> EnvelopeResult {
        let reading = try call.reading(of: &response, as: decoded)
        call.noteAnswer(&response)
        return reading
    }

    private func received(by call: Call) async throws -> HTTPResponse {
        let transport = call.ownTransport
        return try await Redirects.follow(call) { request in
            defer { stopper.rest() }
            return try await execution.client.receive(
                request, over: transport, limit: call.profile.bodyLimit, interruption: stopper)
        }
    }

    /// What is left of the time of the call; `nil` if it has no deadline.
    private func timeLeft() throws -> Duration? {
        guard let deadline = execution.settings.deadline else { return nil }
        let left = deadline - (execution.client.clock.now - execution.start)
        guard left > .zero else { throw execution.log.annotate(late: .late(deadline)) }
        return left
    }

    /// Starts the limits of attempt and call, and gives the timers of those that the transport does not keep.
    @inline(never)
    private func startLimits() throws -> [ScheduledAction] {
        let (timeout, clock) = (execution.settings.timeout, execution.client.clock)
        let left = try timeLeft()
        if execution.hasTimeKept {
            if let left, let deadline = execution.settings.deadline, left < timeout {
                stopper.deadline = TransferDeadline(.now + left, .call(deadline))
            } else {
                stopper.deadline = TransferDeadline(.now + timeout, .attempt(timeout))
            }
            return []
        }
        var timers = [clock.schedule(after: timeout) { [stopper] in stopper.interrupt(with: APIError.late(attempt: timeout)) }]
        if let left, let deadline = execution.settings.deadline {
            timers.append(
                clock.schedule(after: left) { [stopper, log = execution.log] in
                    stopper.interrupt(with: log.annotate(late: .late(deadline)))
                })
        }
        return timers
    }
}

extension Execution {
    /// Whether the call waits for nothing but its transfer.
    var isDirect: Bool {
        guard profile.isDirect, request.options.before.isEmpty, !isWatched, !asksForHost else { return false }
        guard settings.hedge == nil, !settings.dedupe, !isInBackground else { return false }
        guard snapshot.settings.interceptors.isEmpty, request.interceptors.isEmpty else { return false }
        return paramsSource?.isImmediate != false && headersSource?.isImmediate != false
    }

    /// Whether a stage may make another attempt of one that has failed: retry, or the sign-in where a server has refused it.
    fileprivate func hasAnswer(to error: any Error) -> Bool {
        settings.retry.limit > 0 || authentication != nil && (error as? APIError)?.status != nil
    }

    /// Whether the transport sees itself to it that a transfer is over in time.
    fileprivate var hasTimeKept: Bool {
        client.keepsTime && request.options.transport == nil
    }
}
