/// Limits the number of calls that run at the same time.
struct ConcurrencyStage: Stage {
    let limit: ConcurrencyLimit

    var name: StageName { .limits }
    var explanation: String { "concurrency: \(limit.limit) calls at a time" }

    @inline(__always)
    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        // A token refresh needs no place, because the calls that have the places wait for it.
        guard !call.run.isPartOfRefresh, let limiter = call.run.tagState.concurrency else { return try await next(call) }
        var call = call
        var place = limiter.enterIfFree()
        if place == nil {
            let start = call.client.clock.now
            place = try await call.wait { [priority = call.configuration.priority] in try await limiter.enter(priority: priority) }
            call.queued += call.client.clock.now - start
        }
        do {
            let response = try await next(call)
            // A stream holds its place until the end of its body.
            if case .body(let body) = response.received { body.owner.pipe.whenOver { [place] in place?.leave() } } else { place?.leave() }
            return response
        } catch {
            place?.leave()
            throw error
        }
    }
}
