/// Takes a call through its stages.
///
/// The envelope is read inside retry, so that a business code can be a reason for another attempt: one decision for each attempt.
enum Pipeline {
    /// Runs a call to its end. What its attempts are to bring, a whole response or only its head, is the goal's to say.
    static func run<Goal: AttemptGoal>(_ execution: Execution, until goal: @autoclosure () throws -> Goal) async throws -> Goal.Product {
        try await execution.concluding {
            let goal = try goal()
            do {
                return try await product(of: goal, for: execution, within: execution.settings.deadline) {
                    try await response(execution, until: goal)
                }
            } catch {
                await goal.abandon()
                throw error
            }
        }
    }

    /// Takes a call that has begun without them through its stages, to its end.
    static func goOn<Goal: AttemptGoal>(with staged: StagedCall, until goal: Goal) async throws -> (
        product: Goal.Product, response: HTTPResponse
    ) {
        try await product(of: goal, for: staged.call.execution, within: staged.left) {
            try await passStages(staged.call, after: staged.first, until: goal)
        }
    }

    /// - Parameter left: What is left of the time of the call; `nil` if it has no deadline.
    private static func product<Goal: AttemptGoal>(
        of goal: Goal, for execution: Execution, within left: Duration?, _ response: @escaping @Sendable () async throws -> HTTPResponse
    ) async throws -> (product: Goal.Product, response: HTTPResponse) {
        let work: @Sendable () async throws -> (product: Goal.Product, response: HTTPResponse) = {
            let response = try await response()
            return (try await goal.product(of: response, for: execution), response)
        }
        guard let left, let deadline = execution.settings.deadline else { return try await work() }
        let late: @Sendable () -> APIError = { execution.log.annotate(late: APIError.late(deadline)) }
        return try await withTimeLimit(left, on: execution.client.clock, error: late(), work)
    }

    /// What leaves the stages. Of any goal, so that the way there is compiled once and not for each type of product.
    private static func response(_ execution: Execution, until goal: any AttemptGoal) async throws -> HTTPResponse {
        if let trace = execution.trace, !execution.request.options.before.isEmpty || execution.asksForHost {
            trace.begin(as: execution.described)
        }
        for before in execution.request.options.before {
            do {
                try await before()
            } catch {
                throw Call.failure(of: "before", error)
            }
        }
        try await execution.task.waitWhileSuspended()
        let call = try await Call.prepare(execution)
        execution.log.note(call)
        execution.trace?.begin(call.prepared, made: execution.now)
        execution.emit(.started, call)
        try call.checkHedge(isWhole: goal.wholeResponse != nil)
        return try await passStages(call, after: nil, until: goal)
    }

    private static func passStages(_ call: Call, after first: FirstAttempt?, until goal: any AttemptGoal) async throws -> HTTPResponse {
        let stages = Stages.all(for: call.execution, bringing: goal.wholeResponse, after: first)
        if stages.isEmpty { return try await send(call, until: goal) }
        let chain = StageChain(stages) { call in
            if let failure = first?.takeFailure() { throw failure }
            return try await send(call, until: goal)
        }
        return try await chain.run(call)
    }

    /// The last stage: what the ones before have made of the request is checked and sent.
    private static func send(_ call: Call, until goal: any AttemptGoal) async throws -> HTTPResponse {
        let call = try call.readyToSend()
        do {
            try call.execution.log.begin(call)
            var response = try await goal.run(call)
            call.noteAnswer(&response)
            return response
        } catch {
            call.noteFailure(error)
            throw error
        }
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
        if execution.log.end(self) { execution.emit(.answered(response.withoutBaggage), self) }
    }

    func noteFailure(_ error: any Error) {
        guard execution.log.end(self) else { return }
        execution.trace?.failAttempt(attempt, error, at: execution.now)
        execution.emit(.failed(error), self)
    }
}
