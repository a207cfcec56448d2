public import Catena
import Instrumentation
public import Tracing

extension Client {
    /// Traces every call with swift-distributed-tracing: a span for the call, and in it a client span for each attempt.
    ///
    /// Names and attributes follow OpenTelemetry's semantic conventions for HTTP clients. The context of an attempt's span is put into the
    /// headers of its request, unless they are there already, so that the spans of the backend belong to it. Secrets are left out.
    ///
    /// ```swift
    /// Client.shared.trace()
    /// ```
    ///
    /// - Parameters:
    ///   - tracer: The tracer; that of the process, or of `withTracer`, if none is given. Without any, nothing changes.
    ///   - propagates: Whether the context is put into the request of a call; by default into all, as the backend decides what it makes of it.
    /// - Returns: A registration that ends it; active calls are still traced. It may be ignored.
    @discardableResult
    public func trace(
        with tracer: (any Tracer)? = nil, propagates: @escaping @Sendable (Call) -> Bool = { _ in true }
    ) -> Registration {
        let used = { @Sendable in tracer ?? InstrumentationSystem.tracer }
        let calls = intercept("catena.tracing.call", .before(.start)) { call, next in
            try await used().traced(call, ofKind: .internal) { _ in try await next(call) }
        }
        let attempts = intercept("catena.tracing.attempt", .after(.retry)) { call, next in
            let tracer = used()
            return try await tracer.traced(call, ofKind: .client) { context in
                guard propagates(call) else { return try await next(call) }
                var call = call
                tracer.inject(context, into: &call.request.headers, using: HeaderInjector())
                return try await next(call)
            }
        }
        return Registration {
            calls.end()
            attempts.end()
        }
    }
}

extension Tracer {
    /// The response of a call or of an attempt, with a span around it.
    fileprivate func traced(
        _ call: Call, ofKind kind: SpanKind, _ run: (ServiceContext) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let span = startSpan(SpanFields.name(of: call.request), ofKind: kind)
        defer { span.end() }
        // Attributes cost something, and a span that is not sampled has no use for them.
        if span.isRecording { span.updateAttributes { SpanFields.describe(call, ofKind: kind, in: &$0) } }
        do {
            let response = try await ServiceContext.$current.withValue(span.context) { try await run(span.context) }
            SpanFields.end(span, status: response.status)
            return response
        } catch {
            SpanFields.end(span, error)
            throw error
        }
    }
}
