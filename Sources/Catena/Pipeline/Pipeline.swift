/// Takes one call through its stages.
///
/// A call is prepared and enters its stages without waiting, in the task in which it is. If all have passed, it is sent there, and its response needs
/// no task, promise or chain. Where something has to be waited for, or a stage handles the failure of the sending, the same plan runs as a chain in
/// a task of the call's own.
struct Pipeline: Sendable {
    let execution: Execution
    private let mode: any AttemptMode
    /// Ends what is sent before the chain runs, at the end of a limit of time and from outside.
    let stopper: TransferStopper
    private var preparation: Preparation
    /// The call as it comes to its stages, and how far it has entered them; `nil` until it is prepared.
    private var begun: (call: Call, walk: StageWalk?)?

    init(_ execution: Execution, _ mode: any AttemptMode) {
        self.execution = execution
        self.mode = mode
        stopper = TransferStopper(
            silence: .keeping(execution.settings.silence, on: execution.client.clock), meter: execution.trace)
        preparation = Preparation(execution, for: mode.sharing)
    }

    /// Whether the response is received as a whole.
    private var isWhole: Bool { mode.sharing != nil }

    /// Prepares the call and sends it, as far as nothing but the transfer has to be waited for; `nil` where the chain has to run.
    ///
    /// An asynchronous function keeps in memory that is got for each call what it needs after a wait. So this one waits once.
    mutating func responseAtOnce() async throws -> HTTPResponse? {
        _ = try execution.timeLeft()
        guard let call = try entered() else { return nil }
        do {
            return Self.left(begun?.walk, by: try await Self.send(call, stopper, mode))
        } catch {
            try takeOver(error)
            return nil
        }
    }

    /// Waits for what has to be waited for, and runs the stages.
    mutating func responseOfChain() async throws -> HTTPResponse {
        if begun == nil {
            while try preparation.call() == nil { try await preparation.wait() }
            // Only now it is known whether the stages have to wait.
            if let response = try await responseAtOnce() { return response }
        }
        guard let begun, let walk = begun.walk else { throw CancellationError() }
        let mode = mode
        return try await walk.run(begun.call) { call in try await Self.send(call, nil, mode) }
    }

    // MARK: Entering

    /// The call as it is to be sent; `nil` where its preparation or a stage has to wait, or the chain takes over what a stage has thrown.
    @inline(never)
    private mutating func entered() throws -> Call? {
        guard let call = try preparation.call() else { return nil }
        guard let walk = try begin(call) else { return call }
        do {
            let entered = try walk.enter(call)
            // A stage may have taken its time.
            if entered != nil { try execution.throwIfCancelled() }
            return entered
        } catch {
            try takeOver(error)
            return nil
        }
    }

    /// Gives the walk through the stages; `nil` if there are none.
    private mutating func begin(_ call: Call) throws -> StageWalk? {
        let plan = Stages.plan(of: execution)
        // A single stage is the one that only has something to do after a failure.
        let walk = plan.count == 1 ? nil : StageWalk(plan)
        execution.log.note(call)
        if let trace = execution.trace { trace.begin(call.prepared, made: walk.map { _ in execution.now }) }
        execution.emit(.started, call)
        try call.checkHedge(isWhole: isWhole)
        try execution.throwIfCancelled()
        begun = (call, walk)
        return walk
    }

    /// Has the chain take over what has failed; throws the failure where no stage handles it.
    @inline(never)
    private mutating func takeOver(_ error: any Error) throws {
        // The failure of a call that was cancelled meanwhile is of no interest.
        let error = execution.isCancelled ? CancellationError() : error
        guard let walk = try walkAfterFailure() else { throw error }
        if !(error is CancellationError), walk.takesOver(error) { return }
        walk.leave(.failure(error))
        throw error
    }

    private mutating func walkAfterFailure() throws -> StageWalk? {
        guard let begun, begun.walk == nil else { return self.begun?.walk }
        let walk = StageWalk(Stages.plan(of: execution))
        _ = try walk.enter(begun.call)
        self.begun = (begun.call, walk)
        return walk
    }

    /// Leaves the stages with a response; those of a stream when its body has ended.
    @inline(never)
    private static func left(_ walk: StageWalk?, by response: HTTPResponse) -> HTTPResponse {
        guard let walk else { return response }
        guard case .body(let body) = response.received else {
            walk.leave(.success(response))
            return response
        }
        // The body is stopped when nobody holds it.
        let head = response.withoutReceivedPayload
        body.whenOver { walk.leave(.success(head)) }
        return response
    }

    // MARK: Sending

    /// The last step: the request that the stages have made is checked and sent.
    private static func send(_ call: Call, _ stopper: TransferStopper?, _ mode: any AttemptMode) async throws -> HTTPResponse {
        let call = try call.readyToSend()
        do {
            try call.execution.log.begin(call)
            var response = try await mode.run(call, stopper)
            call.noteAnswer(&response)
            return response
        } catch {
            call.noteFailure(error)
            throw error
        }
    }
}

extension Pipeline {
    /// Takes a call to its end, in a task that is its own.
    static func run<Mode: ResponseMode>(_ execution: Execution, until mode: @autoclosure () throws -> Mode) async throws -> Mode.Product {
        try await execution.concluding {
            let mode = try mode()
            do {
                return try await product(of: mode, for: execution)
            } catch {
                await mode.abandon()
                throw error
            }
        }
    }

    /// The product, and the response of which it was made.
    private static func product<Mode: ResponseMode>(
        of mode: Mode, for execution: Execution
    ) async throws -> (product: Mode.Product, response: HTTPResponse) {
        var pipeline = Pipeline(execution, mode.attempt)
        // Of a whole response the product waits for nothing, so that the limits of the transfer are those of the call.
        if pipeline.isWhole, let response = try await pipeline.responseAtOnce() {
            let product = try await mode.product(of: response, for: execution)
            // Nothing interrupts decoding.
            _ = try execution.timeLeft()
            return (product, response)
        }
        return try await chained(pipeline, mode)
    }

    /// Waits for what has to be waited for, within the deadline of the call.
    private static func chained<Mode: ResponseMode>(
        _ pipeline: Pipeline, _ mode: Mode
    ) async throws -> (product: Mode.Product, response: HTTPResponse) {
        let execution = pipeline.execution
        return try await execution.withinDeadline {
            var pipeline = pipeline
            let response = try await pipeline.responseOfChain()
            return (try await mode.product(of: response, for: execution), response)
        }
    }
}

extension Pipeline {
    /// The value of a call, for the task that awaits it, which is listed as the call's own meanwhile: cancelling the call ends the transfer.
    static func value<Value>(_ target: ResultDecoder<Value>, of execution: Execution) async throws -> Value {
        // The mode would be a type of its own for each type of value, which the runtime would look up for each call.
        var pipeline = Pipeline(execution, WholeBodyAttempt(decoded: target.decoded))
        do {
            execution.begin(pipeline.stopper)
            try execution.throwIfCancelled()
            let response =
                try await execution.hasTaskValues
                ? execution.withRedaction { try await pipeline.responseAtOnce() } : pipeline.responseAtOnce()
            if let response {
                let value = try execution.withRedaction { try target.concluded(with: response, of: execution) }
                // Cancelled when its response had come, it has none.
                guard execution.task.end(pipeline.stopper, as: .completed) else { throw CancellationError() }
                return value
            }
        } catch {
            throw await pipeline.conclusion(of: error)
        }
        return try await goOn(with: pipeline, target)
    }

    // A function of its own: what it keeps while it waits would be kept by every call.
    @inline(never)
    private static func goOn<Value>(with pipeline: Pipeline, _ target: ResultDecoder<Value>) async throws -> Value {
        let (execution, mode) = (pipeline.execution, WholeBodyMode(target: target))
        return try await execution.goOn { try await execution.concluding { try await chained(pipeline, mode) } }
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
}

extension ResultDecoder {
    /// The value of a response with which the call ends.
    @inline(never)
    fileprivate func concluded(with response: HTTPResponse, of execution: Execution) throws -> Value {
        let value = try self.value(of: response, for: execution)
        // Nothing interrupts decoding.
        _ = try execution.timeLeft()
        execution.conclude(response)
        return value
    }
}

extension Execution {
    /// What is left of the time of the call; `nil` if it has no deadline.
    func timeLeft() throws -> Duration? {
        guard let deadline = settings.deadline else { return nil }
        let left = deadline - (client.clock.now - start)
        guard left > .zero else { throw log.annotate(late: .late(deadline)) }
        return left
    }

    /// Runs a part of the call that its deadline ends.
    func withinDeadline<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let deadline = settings.deadline, let left = try timeLeft() else { return try await work() }
        let late: @Sendable () -> APIError = { [log] in log.annotate(late: APIError.late(deadline)) }
        return try await withTimeLimit(left, on: client.clock, error: late(), work)
    }
}

extension Call {
    /// The call as it is sent in this attempt: checked, counted and told.
    func readyToSend() throws -> Call {
        try checkInterceptedRequest()
        var call = withoutWhatStays()
        // One that an interceptor has made itself knows nothing of it.
        if call.prepared.redaction !== profile.redaction { call.prepared.redaction = profile.redaction }
        // A call may be cancelled while its closures run, which need not heed that; what is cancelled is not sent. The task counts, and not
        // the call: others may have joined it who are not cancelled.
        try Task.checkCancellation()
        // Code on the way may have made a request of it that must not be sent twice.
        let isAlone = call.lane != nil && call.hedgeFault != nil
        guard execution.log.note(call, isSent: true, isAlone: isAlone) else { throw CancellationError() }
        execution.trace?.beginAttempt(call.attempt, call.prepared, at: execution.now)
        execution.emit(.attempt, call)
        return call
    }

    func noteAnswer(_ response: inout HTTPResponse) {
        if queued > .zero { response.noteQueue(queued) }
        // Only a breaker asks for it, and a deadline alone has it ask.
        if execution.settings.deadline != nil { execution.log.noteAnswer() }
        if execution.log.end(self) { execution.emit(.answered(response.withoutReceivedPayload), self) }
    }

    func noteFailure(_ error: any Error) {
        guard execution.log.end(self) else { return }
        execution.trace?.failAttempt(attempt, error, at: execution.now)
        execution.emit(.failed(error), self)
    }
}
