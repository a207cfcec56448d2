/// A call that waits for nothing but its transfer: no stage, no closure and no handler on its way has anything to wait for. It goes from its
/// beginning to its end in the task in which it is, without a promise, a task or a chain of its own.
struct DirectCall<Value: Sendable> {
    private let execution: Execution
    private let attempt: CollectingAttempt<Value>
    private let transport: DirectTransport
    private let stopper: TransferStopper

    init(_ execution: Execution, _ attempt: CollectingAttempt<Value>, _ transport: DirectTransport) {
        self.execution = execution
        self.attempt = attempt
        self.transport = transport
        stopper = TransferStopper(silence: InactivityWatch(execution.settings.silence, on: execution.client.clock))
    }

    /// Runs the call in the task that awaits it, which is listed as the call's own meanwhile: cancelling the call ends the transfer.
    func runInTaskOfCaller() async throws -> Response<Value> {
        execution.task.begin(stopper)
        guard !execution.isCancelled else {
            execution.task.end(stopper, as: .cancelled)
            throw await execution.conclude(CancellationError())
        }
        let product: Response<Value>
        do {
            product = try await execution.withRedaction {
                let (product, response) = try await run()
                execution.conclude(response)
                return product
            }
        } catch {
            throw try await concluding(error)
        }
        // Cancelled when its response had come, it has none.
        guard execution.task.end(stopper, as: .completed) else { throw CancellationError() }
        return product
    }

    /// The error as it leaves the call. Handlers may wait; who cancels the call meanwhile is not kept waiting by them.
    private func concluding(_ error: any Error) async throws -> any Error {
        let execution = execution
        guard execution.hasErrorHandler, !execution.isCancelled else {
            let left = await execution.withRedaction { await execution.conclude(error) }
            execution.task.end(stopper, as: left is CancellationError ? .cancelled : .completed)
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

    /// Prepares, sends and reads; the limits of time end the transfer.
    func run() async throws -> (product: Response<Value>, response: HTTPResponse) {
        let limits = try startTimers()
        defer { for timer in limits { timer.cancel() } }
        defer { stopper.silence?.end() }
        let prepared = try Call.prepareNow(execution)
        execution.log.note(prepared)
        execution.emit(.started, prepared)
        try prepared.checkHedge(isWhole: true)
        let call = try prepared.readyToSend()
        do {
            try execution.log.begin(call)
            var trail = RedirectTrail(call)
            var response: HTTPResponse
            repeat {
                let outgoing = trail.outgoing(of: call)
                do {
                    response = try await receive(outgoing, call)
                } catch {
                    throw trail.marking(error)
                }
            } while try !trail.ends(with: &response)
            let reading = try attempt.reading(of: &response, to: call)
            call.noteAnswer(&response)
            return (try attempt.product(of: reading, for: execution), response)
        } catch {
            call.noteFailure(error)
            throw error
        }
    }

    private func receive(_ request: HTTPRequest, _ call: Call) async throws -> HTTPResponse {
        stopper.silence?.begin(stopper)
        let limit = call.profile.bodyLimit
        switch transport {
        case .collecting(let transport): return try await transport.collect(stopper.sent(request), limit: limit, interruption: stopper)
        case .limited(let transport): return try await transport.collectWithinLimits(request, limit: limit, interruption: stopper)
        }
    }

    /// The limits of attempt and call, which begin at the same time.
    private func startTimers() throws -> [ScheduledAction] {
        let (timeout, clock) = (execution.settings.timeout, execution.client.clock)
        let end = { [stopper] (error: @escaping @Sendable () -> APIError) -> @Sendable () -> Void in
            { stopper.interrupt(with: error()) }
        }
        var timers: [ScheduledAction] = []
        if let deadline = execution.settings.deadline {
            let late: @Sendable () -> APIError = { [log = execution.log] in log.annotate(late: .late(deadline)) }
            guard deadline > .zero else { throw late() }
            timers.append(clock.schedule(after: deadline, end(late)))
        }
        timers.append(clock.schedule(after: timeout, end { .late(attempt: timeout) }))
        return timers
    }
}

extension Execution {
    /// What carries the call if it waits for nothing else; `nil` if it may.
    var directTransport: DirectTransport? {
        guard profile.isDirect, request.options.before.isEmpty, !isWatched, !asksForHost else { return nil }
        guard settings.retry.limit <= 0, settings.hedge == nil, !settings.dedupe, !isInBackground else { return nil }
        guard snapshot.settings.interceptors.isEmpty, request.interceptors.isEmpty else { return nil }
        guard paramsSource?.isImmediate != false, headersSource?.isImmediate != false else { return nil }
        return request.options.transport == nil ? client.directTransport : nil
    }
}
