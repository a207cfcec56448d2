/// Takes a call through its stages.
///
/// The envelope is read inside retry, so that a business code can be a reason for another attempt: one decision for each attempt.
enum Pipeline {
    /// Runs a call to its end. What its attempts are to bring, a whole response or only its head, is the goal's to say.
    static func run<Goal: AttemptGoal>(_ execution: Execution, until goal: @autoclosure () throws -> Goal) async throws -> Goal.Product {
        try await execution.concluding {
            let goal = try goal()
            do {
                return try await limited(execution, until: goal)
            } catch {
                await goal.abandon()
                throw error
            }
        }
    }

    private static func limited<Goal: AttemptGoal>(
        _ execution: Execution,
        until goal: Goal
    ) async throws -> (product: Goal.Product, response: HTTPResponse) {
        guard let deadline = execution.settings.deadline else { return try await product(execution, of: goal) }
        let late: @Sendable () -> APIError = { execution.log.annotate(late: APIError.late(deadline)) }
        return try await withTimeLimit(deadline, on: execution.client.clock, error: late()) {
            try await product(execution, of: goal)
        }
    }

    private static func product<Goal: AttemptGoal>(
        _ execution: Execution,
        of goal: Goal
    ) async throws -> (product: Goal.Product, response: HTTPResponse) {
        let response = try await Self.response(execution, until: goal)
        return (try await goal.product(of: response, for: execution), response)
    }

    /// What leaves the stages. Of any goal, so that the way there is compiled once and not for each type of product.
    private static func response(_ execution: Execution, until goal: any AttemptGoal) async throws -> HTTPResponse {
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
        execution.emit(.started, call)
        try call.checkHedge(isWhole: goal.wholeResponse != nil)
        let stages = Stages.all(for: execution, bringing: goal.wholeResponse)
        if stages.isEmpty { return try await send(call, until: goal) }
        return try await StageChain(stages) { try await send($0, until: goal) }.run(call)
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
        if let redaction = profile.redaction { call.prepared.redaction = redaction }
        // A call may be cancelled while its closures run, which need not heed that; what is cancelled is not sent.
        try execution.throwIfCancelled()
        // Code on the way may have made a request of it that must not be sent twice.
        let isAlone = call.lane != nil && call.hedgeFault != nil
        guard execution.log.note(call, isSent: true, isAlone: isAlone) else { throw CancellationError() }
        execution.emit(.attempt, call)
        return call
    }

    func noteAnswer(_ response: inout HTTPResponse) {
        if queued > .zero { response.noteQueue(queued) }
        if execution.log.end(self) { execution.emit(.answered(response.withoutBaggage), self) }
    }

    func noteFailure(_ error: any Error) {
        if execution.log.end(self) { execution.emit(.failed(error), self) }
    }
}
