public import Catena
import Instrumentation
public import Tracing

extension Client {
    /// Traces every call with swift-distributed-tracing: a span for the call, and in it a client span for each attempt.
    ///
    /// Names and attributes follow OpenTelemetry's semantic conventions for HTTP clients. The headers of a request carry the context of its attempt's span,
    /// unless the request has such headers. The backend's spans then belong to the attempt. Secrets are left out.
    ///
    /// ```swift
    /// Client.shared.trace()
    /// ```
    ///
    /// - Parameters:
    ///   - tracer: The tracer. By default that of the process or of `withTracer`. Without any, nothing changes.
    ///   - propagates: Whether the request of a call carries the context. By default every request does.
    /// - Returns: A registration whose `end()` stops tracing new calls; active calls are still traced. Discard it to trace until the process exits.
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
    /// Runs a call or an attempt within a span and returns its response.
    fileprivate func traced(
        _ call: Call, ofKind kind: SpanKind, _ run: (ServiceContext) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let span = startSpan(SpanFields.name(of: call.request), ofKind: kind)
        defer { span.end() }
        // Set attributes only if the span is recorded, because they take time.
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
