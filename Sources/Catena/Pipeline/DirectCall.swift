/// A call that waits for nothing but its transfer: no stage, no closure and no handler on its way has anything to wait for. It goes from its
/// beginning to its end in the task in which it is, without a promise, a task or a chain of its own.
struct DirectCall {
    private let execution: Execution
    /// The type that the call decodes; `nil` if it wants the body as it is.
    private let decoded: Any.Type?
    private let stopper: TransferStopper

    init(_ execution: Execution, decoded: Any.Type?) {
        self.execution = execution
        self.decoded = decoded
        let (settings, clock) = (execution.settings, execution.client.clock)
        stopper = TransferStopper(
            silence: InactivityWatch(settings.silence, on: clock),
            deadline: execution.hasTimeKept ? TransferDeadline(settings) : nil)
    }

    /// Runs the call in the task that awaits it, which is listed as the call's own meanwhile: cancelling the call ends the transfer.
    func runInTaskOfCaller<Value>(_ attempt: CollectingAttempt<Value>) async throws -> Response<Value> {
        do {
            try begin()
            let product = try await execution.withRedaction {
                let (product, response) = try await run(attempt)
                execution.conclude(response)
                return product
            }
            // Cancelled when its response had come, it has none.
            guard execution.task.end(stopper, as: .completed) else { throw CancellationError() }
            return product
        } catch {
            throw try await conclusion(of: error)
        }
    }

    private func begin() throws {
        execution.task.begin(stopper)
        try execution.throwIfCancelled()
    }

    /// The error as it leaves the call. Handlers may wait; who cancels the call meanwhile is not kept waiting by them.
    private func conclusion(of error: any Error) async throws -> any Error {
        let execution = execution
        guard execution.hasErrorHandler, !execution.isCancelled else {
            let left = await execution.withRedaction { await execution.conclude(error) }
            execution.task.end(stopper, as: execution.isCancelled ? .cancelled : .completed)
            return left
        }
        let promise = Promise<Never>(core: PromiseCore(origin: nil))
        try execution.task.proceed(with: promise.core)
        promise.core.run { throw await execution.withRedaction { await execution.conclude(error) } }
        let result = await promise.result
        execution.task.end(promise.core, as: .completed)
        switch result {
        case .failure(let error): return error
        }
    }

    /// Brings the product, and the response of which it was made.
    func run<Value>(_ attempt: CollectingAttempt<Value>) async throws -> (product: Response<Value>, response: HTTPResponse) {
        let reading = try await exchange()
        let product = try attempt.product(of: reading, for: execution)
        // Nothing interrupts decoding.
        if let deadline = execution.settings.deadline, execution.client.clock.now - execution.start >= deadline {
            throw execution.log.annotate(late: .late(deadline))
        }
        return (product, reading.response)
    }

    /// Prepares, sends and reads; the limits of time end the transfer.
    private func exchange() async throws -> EnvelopeResult {
        let timers = try startTimers()
        defer {
            for timer in timers { timer.cancel() }
            stopper.silence?.end()
        }
        let prepared = try Call.prepareNow(execution)
        execution.log.note(prepared)
        execution.emit(.started, prepared)
        try prepared.checkHedge(isWhole: true)
        let call = try prepared.readyToSend()
        do {
            try execution.log.begin(call)
            var response = try await received(by: call)
            let reading = try call.reading(of: &response, as: decoded)
            call.noteAnswer(&response)
            return reading
        } catch {
            call.noteFailure(error)
            throw error
        }
    }

    /// The last response of those to which redirects lead.
    private func received(by call: Call) async throws -> HTTPResponse {
        let transport = call.ownTransport
        var trail = RedirectTrail(call)
        while true {
            let outgoing = trail.outgoing(of: call)
            var response: HTTPResponse
            do {
                response = try await execution.client.receive(
                    outgoing, over: transport, limit: call.profile.bodyLimit, interruption: stopper)
            } catch {
                throw trail.marking(error)
            }
            if try trail.ends(with: &response) { return response }
        }
    }

    /// The limits of attempt and call, which begin at the same time, where the transport does not keep them.
    private func startTimers() throws -> [ScheduledAction] {
        if stopper.deadline != nil { return [] }
        let (timeout, clock) = (execution.settings.timeout, execution.client.clock)
        let attempt = clock.schedule(after: timeout) { [stopper] in stopper.interrupt(with: APIError.late(attempt: timeout)) }
        guard let deadline = execution.settings.deadline else { return [attempt] }
        guard deadline > .zero else {
            attempt.cancel()
            throw execution.log.annotate(late: .late(deadline))
        }
        let call = clock.schedule(after: deadline) { [stopper, log = execution.log] in
            stopper.interrupt(with: log.annotate(late: .late(deadline)))
        }
        return [attempt, call]
    }
}

extension TransferDeadline {
    /// The end of an attempt that begins now, or of its call, whichever comes first.
    fileprivate init(_ settings: CallSettings) {
        if let deadline = settings.deadline, deadline < settings.timeout {
            self.init(.now + deadline, .call(deadline))
        } else {
            self.init(.now + settings.timeout, .attempt(settings.timeout))
        }
    }
}

extension Execution {
    /// Whether the call waits for nothing but its transfer.
    var isDirect: Bool {
        guard profile.isDirect, request.options.before.isEmpty, !isWatched, !asksForHost else { return false }
        guard settings.retry.limit <= 0, settings.hedge == nil, !settings.dedupe, !isInBackground else { return false }
        guard snapshot.settings.interceptors.isEmpty, request.interceptors.isEmpty else { return false }
        return paramsSource?.isImmediate != false && headersSource?.isImmediate != false
    }

    /// Whether the transport sees itself to it that a transfer is over in time.
    fileprivate var hasTimeKept: Bool {
        client.keepsTime && request.options.transport == nil
    }
}
