/// Takes a call through its stages.
///
/// The envelope is read inside retry, so that a business code can be a reason for another attempt: one decision for each attempt.
enum Pipeline {
    /// Runs a call. What an attempt is to bring, a whole answer or only its head, is the goal's to say.
    static func run(_ execution: Execution, until goal: some Attempt) async throws -> HTTPResponse {
        do {
            let response = try await limited(execution, until: goal)
            // Whether what a whole answer says can be decoded is still to be seen.
            if !(goal is CollectingAttempt) { execution.finish(with: .success(response.withoutAttachment)) }
            return response
        } catch {
            let error = execution.log.annotate(error)
            execution.finish(with: .failure(error))
            throw error
        }
    }

    private static func limited(_ execution: Execution, until goal: some Attempt) async throws -> HTTPResponse {
        guard let deadline = execution.deadline else { return try await whole(execution, until: goal) }
        let late: @Sendable () -> APIError = { execution.log.annotate(late: APIError.late(deadline)) }
        return try await withTimeLimit(deadline, on: execution.client.clock, error: late()) {
            try await whole(execution, until: goal)
        }
    }

    private static func whole(_ execution: Execution, until goal: some Attempt) async throws -> HTTPResponse {
        for before in execution.request.options.before {
            do {
                try await before()
            } catch {
                throw Call.failure(of: "before", error)
            }
        }
        try await execution.task.passage()
        let call = try await Call.prepare(execution)
        execution.log.note(call)
        execution.emit(.started, call)
        let stages = Stages.all(for: execution, until: goal as? CollectingAttempt)
        let response = stages.isEmpty ? try await goal.send(call) : try await StageChain(stages) { try await goal.send($0) }.run(call)
        return try await goal.conclude(response, of: execution)
    }
}

extension Attempt {
    /// The last stage: what the ones before have made of the request is checked and sent.
    fileprivate func send(_ call: Call) async throws -> HTTPResponse {
        try call.checkInterceptedRequest()
        var call = call
        // One that an interceptor has made itself knows nothing of it.
        if let redaction = call.profile.redaction { call.prepared.redaction = redaction }
        // A call may be cancelled while its closures run, which need not heed that; what is cancelled is not sent.
        try Task.checkCancellation()
        call.execution.log.note(call)
        call.execution.emit(.attempt, call)
        do {
            var response = try await run(call)
            if call.queued > .zero { response.noteQueue(call.queued) }
            call.execution.emit(.answered(response.withoutAttachment), call)
            return response
        } catch {
            call.execution.emit(.failed(error), call)
            throw error
        }
    }
}
