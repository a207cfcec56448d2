/// Links the server's records of each attempt to the call (W3C Trace Context).
struct TraceStage: Stage {
    var name: StageName { .authentication }
    var explanation: String { "trace: \(TraceContext.header)" }

    @inline(__always)
    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        // Only the backend may learn which requests belong together, not a host to which an interceptor has moved this one.
        guard !call.hasMoved, !call.prepared.headers.contains(TraceContext.header), let context = call.run.traceContext else {
            return try await next(call)
        }
        return try await next(call.traced(by: context))
    }
}

extension Call {
    fileprivate func traced(by context: TraceContext) -> Call {
        var call = self
        var generator = SystemRandomNumberGenerator()
        let trace = context.parent(using: &generator)
        call.trace = trace
        call.add(trace, for: TraceContext.header)
        return call
    }
}
