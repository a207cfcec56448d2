/// Links the server's records of each attempt to the call (W3C Trace Context).
struct TraceStage: Stage {
    var name: StageName { .authentication }
    var explanation: String { "trace: \(TraceContext.header)" }

    func enter(_ call: inout Call) -> StageEntry {
        // Only the backend may learn which requests belong together, not a host to which an interceptor has moved this one.
        guard !call.hasMoved, !call.prepared.headers.contains(TraceContext.header), let context = call.run.traceContext else {
            return .passed
        }
        var generator = SystemRandomNumberGenerator()
        let trace = context.parent(using: &generator)
        call.trace = trace
        call.add(trace, for: TraceContext.header)
        return .passed
    }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        var call = call
        if !hasEntered { _ = enter(&call) }
        return try await next(call)
    }
}
