/// Runs one call through its stages.
///
/// A call is prepared and enters its stages without waiting, in the current task. If all have passed, it is sent from there, and its response
/// needs no task, promise or chain. If the call has to wait, or a stage handles a failure of sending, the same plan runs as a chain. The chain
/// has a task of its own.
struct Pipeline: Sendable {
    let run: CallRun
    private let mode: any AttemptMode
    /// Ends a transfer that the chain has not sent, when a time limit passes or the call is cancelled.
    let stopper: TransferStopper
    private var preparation: Preparation
    /// The prepared call and its progress through the stages, or `nil` until it is prepared.
    private var begun: (call: Call, walk: StageWalk?)?

    init(_ run: CallRun, _ mode: any AttemptMode) {
        self.run = run
        self.mode = mode
        stopper = TransferStopper(
            inactivity: .keeping(run.configuration.inactivity, on: run.client.clock), meter: run.inspected)
        preparation = Preparation(run, for: mode.sharing)
    }

    /// Whether the response is received as a whole.
    private var isWhole: Bool { mode.sharing != nil }

    /// Prepares the call and sends it if only the transfer has to be awaited. Returns `nil` if the chain has to run.
    ///
    /// It awaits once, because an async function allocates memory for every value that it needs after an `await`.
    mutating func responseWithoutChain() async throws -> HTTPResponse? {
        _ = try run.timeLeft()
        guard let call = try entered() else { return nil }
        do {
            return Self.left(begun?.walk, by: try await Self.send(call, stopper, mode))
        } catch {
            try takeOver(error)
            return nil
        }
    }

    /// Runs the stages as a chain, which may wait.
    mutating func responseOfChain() async throws -> HTTPResponse {
        if begun == nil {
            while try preparation.call() == nil { try await preparation.wait() }
            // Whether the stages have to wait is known only now.
            if let response = try await responseWithoutChain() { return response }
        }
        guard let begun, let walk = begun.walk else { throw CancellationError() }
        let mode = mode
        return try await walk.run(begun.call) { call in try await Self.send(call, nil, mode) }
    }

    /// Runs the stages once more after a cached response, for that of the server.
    func responseOfServer() async throws -> HTTPResponse {
        guard let begun else { throw CancellationError() }
        var call = begun.call
        call.sharing?.cacheUse = .confirmed
        let mode = mode
        return try await StageWalk(Stages.plan(of: run)).run(call) { call in try await Self.send(call, nil, mode) }
    }

    // MARK: Entering

    /// Returns the call to send. Returns `nil` if its preparation or a stage has to wait, or if the chain handles an error of a stage.
    @inline(never)
    private mutating func entered() throws -> Call? {
        guard let call = try preparation.call() else { return nil }
        guard let walk = try begin(call) else { return call }
        do {
            let entered = try walk.enter(call)
            // A stage may have blocked for a while, and the call may be cancelled by now.
            if entered != nil { try run.throwIfCancelled() }
            return entered
        } catch {
            try takeOver(error)
            return nil
        }
    }

    /// Returns the walk through the stages, or `nil` if there are none to enter.
    private mutating func begin(_ call: Call) throws -> StageWalk? {
        let plan = Stages.plan(of: run)
        // A single stage is `RepeatStage`, which only acts after a failure.
        let walk = plan.count == 1 ? nil : StageWalk(plan)
        run.history.note(call)
        if let inspected = run.inspected { inspected.begin(call.prepared, made: walk.map { _ in run.now }) }
        run.emit(.started, call)
        try call.checkHedge(isWhole: isWhole)
        try run.throwIfCancelled()
        begun = (call, walk)
        return walk
    }

    /// Passes a failure on to the chain. Throws the failure if no stage handles it.
    @inline(never)
    private mutating func takeOver(_ error: any Error) throws {
        // A call that was cancelled meanwhile reports its cancellation, whatever else has failed.
        let error = run.isCancelled ? CancellationError() : error
        guard let walk = try walkAfterFailure() else { throw error }
        if !(error is CancellationError), walk.takesOver(error) { return }
        walk.leave(.failure(error))
        throw error
    }

    private mutating func walkAfterFailure() throws -> StageWalk? {
        guard let begun, begun.walk == nil else { return self.begun?.walk }
        let walk = StageWalk(Stages.plan(of: run))
        _ = try walk.enter(begun.call)
        self.begun = (begun.call, walk)
        return walk
    }

    /// Leaves the stages with a response; for a stream, at the end of its body.
    @inline(never)
    private static func left(_ walk: StageWalk?, by response: HTTPResponse) -> HTTPResponse {
        guard let walk else { return response }
        guard case .body(let body) = response.received else {
            walk.leave(.success(response))
            return response
        }
        // The body is stopped once its last reference is released.
        let head = response.withoutReceivedPayload
        body.whenOver { walk.leave(.success(head)) }
        return response
    }

    // MARK: Sending

    /// Checks the request that the stages have prepared, and sends it.
    private static func send(_ call: Call, _ stopper: TransferStopper?, _ mode: any AttemptMode) async throws -> HTTPResponse {
        let call = try call.readyToSend()
        do {
            try call.run.history.begin(call)
            var response = try await mode.run(call, stopper)
            call.noteResponse(&response)
            return response
        } catch {
            call.noteFailure(error)
            throw error
        }
    }
}

extension Pipeline {
    /// Runs a call to its end, in a task of its own.
    static func run<Mode: ResponseMode>(_ run: CallRun, until mode: @autoclosure () throws -> Mode) async throws -> Mode.Product {
        try await run.concluding {
            let mode = try mode()
            do {
                return try await product(of: mode, for: run)
            } catch {
                await mode.abandon()
                throw error
            }
        }
    }

    /// Returns the product and the response from which it was created.
    private static func product<Mode: ResponseMode>(
        of mode: Mode, for run: CallRun
    ) async throws -> (product: Mode.Product, response: HTTPResponse) {
        var pipeline = Pipeline(run, mode.attempt)
        // A product of a whole response awaits nothing, so that the limits of the transfer are those of the call.
        if pipeline.isWhole, let response = try await pipeline.responseWithoutChain() {
            let product = try await mode.product(of: response, for: run)
            // Decoding cannot be interrupted, so the deadline is checked afterwards.
            _ = try run.timeLeft()
            return (product, response)
        }
        return try await chained(pipeline, mode)
    }

    /// Runs the call as a chain within its deadline.
    private static func chained<Mode: ResponseMode>(
        _ pipeline: Pipeline, _ mode: Mode
    ) async throws -> (product: Mode.Product, response: HTTPResponse) {
        let run = pipeline.run
        return try await run.withinDeadline {
            var pipeline = pipeline
            let response = try await pipeline.responseOfChain()
            return (try await mode.product(of: response, for: run), response)
        }
    }
}

extension Pipeline {
    /// Returns the value of a call to the task that awaits it. Cancelling the call ends the transfer.
    static func value<Value>(_ target: ResultDecoder<Value>, of run: CallRun) async throws -> Value {
        // A generic mode would be a type for each type of value, whose metadata the runtime would look up in each call.
        var pipeline = Pipeline(run, WholeBodyAttempt(decoded: target.decoded))
        do {
            run.begin(pipeline.stopper)
            try run.throwIfCancelled()
            let response =
                try await run.hasTaskValues
                ? run.withRedaction { try await pipeline.responseWithoutChain() } : pipeline.responseWithoutChain()
            if let response {
                let value = try run.withRedaction { try target.concluded(with: response, of: run) }
                // A call that was cancelled after its response had arrived has no value.
                guard run.task.end(pipeline.stopper, as: .completed) else { throw CancellationError() }
                return value
            }
        } catch {
            throw await run.conclude(run.isCancelled ? CancellationError() : error, after: pipeline.stopper)
        }
        return try await goOn(with: pipeline, target)
    }

    /// Returns the value of a call that has begun, in a task of the call's own.
    static func valueOfBegun<Value>(_ target: ResultDecoder<Value>, of run: CallRun) async throws -> Value {
        var pipeline = Pipeline(run, WholeBodyAttempt(decoded: target.decoded))
        do {
            if let response = try await pipeline.responseWithoutChain() { return try target.concluded(with: response, of: run) }
        } catch {
            throw await run.conclude(error)
        }
        return try await chainedValue(with: pipeline, target)
    }

    // A separate function, because otherwise the frame of every call would contain its variables.
    @inline(never)
    private static func goOn<Value>(with pipeline: Pipeline, _ target: ResultDecoder<Value>) async throws -> Value {
        try await pipeline.run.goOn { try await chainedValue(with: pipeline, target) }
    }

    @inline(never)
    private static func chainedValue<Value>(with pipeline: Pipeline, _ target: ResultDecoder<Value>) async throws -> Value {
        try await pipeline.run.concluding { try await chained(pipeline, WholeBodyMode(target: target)) }
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
    /// Returns the time left to the call, or `nil` if it has no deadline.
    func timeLeft() throws -> Duration? {
        guard let deadline = configuration.deadline else { return nil }
        let left = deadline - (client.clock.now - deadlineStart)
        guard left > .zero else { throw history.annotate(late: .late(deadline)) }
        return left
    }

    /// Runs a part of the call within its deadline.
    func withinDeadline<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let deadline = configuration.deadline, let left = try timeLeft() else { return try await work() }
        let late: @Sendable () -> APIError = { [history] in history.annotate(late: APIError.late(deadline)) }
        return try await withTimeLimit(left, on: client.clock, error: late(), work)
    }
}

extension Call {
    /// Returns the call as it is sent in this attempt. Checks it, counts it and notifies the observers.
    func readyToSend() throws -> Call {
        try checkInterceptedRequest()
        var call = withoutWhatStays()
        // A request that an interceptor has created itself has no redaction.
        if call.prepared.redaction !== profile.redaction { call.prepared.redaction = profile.redaction }
        if !call.assembled.address.shown.secretParts.isEmpty { call.prepared.address.shown.take(call.assembled.address.shown) }
        // The call may have been cancelled while its closures ran. The task is checked and not the call, because calls that have joined this
        // one may not be cancelled.
        try Task.checkCancellation()
        // An interceptor may have changed the request into one that must not be sent twice.
        let isAlone = call.attemptIndex != nil && call.hedgeFault != nil
        guard run.history.note(call, isSent: true, isAlone: isAlone) else { throw CancellationError() }
        if call.hasMoved { run.history.note(movedFrom: call.assembled.address) }
        run.inspected?.beginAttempt(call.attempt, call.prepared, at: run.now)
        run.emit(.attempt, call)
        return call
    }

    func noteResponse(_ response: inout HTTPResponse) {
        if queued > .zero { response.noteQueue(queued) }
        // Only a circuit breaker reads this, and only for calls with a deadline.
        if run.configuration.deadline != nil { run.history.noteResponse() }
        if run.history.end(self) { run.emit(.answered(response.withoutReceivedPayload), self) }
    }

    func noteFailure(_ error: any Error) {
        guard run.history.end(self) else { return }
        run.inspected?.failAttempt(attempt, error, at: run.now)
        run.emit(.failed(run.hidingKnownSecrets(of: error)), self)
    }
}
