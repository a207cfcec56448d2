/// Limits the number of calls that run at the same time.
struct ConcurrencyStage: Stage {
    let limit: ConcurrencyLimit

    var name: StageName { .limits }
    var explanation: String { "concurrency: \(limit.limit) calls at a time" }

    func enter(_ call: inout Call) -> StageEntry {
        if RefreshScope.isActive { return .passed }
        guard let slot = call.run.tagState.concurrency?.enterIfFree() else { return .waits }
        call.slot = slot
        return .passed
    }

    func leave(_ call: Call, _ outcome: Result<HTTPResponse, any Error>) { call.slot?.leave() }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        var call = call
        if !hasEntered, !RefreshScope.isActive { try await wait(&call) }
        let slot = call.slot
        do {
            let response = try await next(call)
            // A stream holds its place until the end of its body.
            if case .body(let body) = response.received { body.whenOver { slot?.leave() } } else { slot?.leave() }
            return response
        } catch {
            slot?.leave()
            throw error
        }
    }

    private func wait(_ call: inout Call) async throws {
        let start = call.client.clock.now
        call.slot = try await call.run.tagState.concurrency?.enter(priority: call.configuration.priority)
        call.queued += call.client.clock.now - start
    }
}
