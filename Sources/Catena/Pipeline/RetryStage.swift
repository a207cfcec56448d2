/// Tries again after failures that another attempt may help against.
struct RetryStage: Stage {
    let policy: RetryPolicy

    var name: StageName { .retry }
    var explanation: String { "up to \(policy.limit) more attempts" }

    func run(_ call: Call, next: Next) async throws -> HTTPResponse {
        var call = call
        while true {
            do {
                return try await next(call)
            } catch {
                let error = call.execution.log.annotate(error)
                try Task.checkCancellation()
                guard let failure = error as? APIError, let wait = wait(after: failure, call) else { throw error }
                call.execution.log.note(failure)
                call.execution.emit(.retrying(after: wait, failure), call)
                try await call.client.clock.sleep(for: wait)
                call = try await call.next()
            }
        }
    }

    private func wait(after error: APIError, _ call: Call) -> Duration? {
        policy.wait(after: error, attempt: call.attempt, method: call.prepared.method, random: call.client.random())
    }
}
