/// Ties what the server notes about each attempt to the call (W3C Trace Context).
struct TraceStage: Stage {
    let context: TraceContext

    var name: StageName { .authentication }
    var explanation: String { "trace \(context.traceID)" }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse {
        var call = call
        var generator = SystemRandomNumberGenerator()
        if !call.prepared.headers.contains(TraceContext.header) {
            call.add(context.parent(using: &generator), for: TraceContext.header)
        }
        return try await next(call)
    }
}
