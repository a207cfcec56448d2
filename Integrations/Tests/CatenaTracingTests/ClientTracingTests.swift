import Catena
import CatenaTesting
import CatenaTracing
import InMemoryTracing
import Testing
import Tracing

@Suite("swift-distributed-tracing") struct ClientTracingTests {
    private let stubs = Stubs()
    private let client: Client
    private let tracer = InMemoryTracer()
    private let forum: Catena.Tag = "forum"

    init() {
        client = Client(testing: stubs)
        client.configure(forum) { $0.host = "https://forum.test" }
        client.trace(with: tracer)
    }

    /// The span of the call, and the spans of its attempts in order.
    private func spans() throws -> (call: FinishedInMemorySpan, attempts: [FinishedInMemorySpan]) {
        let spans = tracer.finishedSpans
        return (try #require(spans.first { $0.kind == .internal }), spans.filter { $0.kind == .client })
    }

    private func text(_ span: FinishedInMemorySpan, _ name: String) -> String? {
        if case .string(let text) = span.attributes[name]?.toSpanAttribute() { text } else { nil }
    }

    private func number(_ span: FinishedInMemorySpan, _ name: String) -> Int64? {
        if case .int64(let number) = span.attributes[name]?.toSpanAttribute() { number } else { nil }
    }

    @Test("a call has a span with a child span for each attempt, with the attributes of the semantic conventions")
    func attempts() async throws {
        stubs.get("/rooms").sequence(.status(503), .reply(data: [1]))
        try await client.tag(forum).get("/rooms").query(["page": 1, "token": "made-up"]).retry(.exponential(limit: 1)).void()
        let (call, attempts) = try spans()
        #expect(attempts.count == 2)
        #expect(attempts.allSatisfy { $0.parentSpanID == call.spanID && $0.traceID == call.traceID && $0.operationName == "GET" })
        let first = try #require(attempts.first)
        #expect(text(first, "http.request.method") == "GET")
        #expect(text(first, "server.address") == "forum.test")
        #expect(number(first, "server.port") == 443)
        #expect(text(first, "url.full") == "https://forum.test/rooms?page=1&token=***")
        #expect(text(first, "catena.tag") == "forum")
        #expect(attempts.map { number($0, "http.response.status_code") } == [503, 200])
        #expect(attempts.map { number($0, "http.request.resend_count") } == [nil, 1])
        #expect(attempts.map { text($0, "error.type") } == ["503", nil])
        #expect(attempts.map { $0.status?.code } == [.error, nil])
        #expect(call.status == nil)
        #expect(number(call, "http.response.status_code") == 200)
    }

    @Test("the trace context of each attempt is sent with its request")
    func propagation() async throws {
        stubs.get("/rooms").sequence(.status(503), .reply(data: [1]))
        try await client.tag(forum).get("/rooms").retry(.exponential(limit: 1)).void()
        let sent = stubs.requests(to: "/rooms").map { $0.headers[InMemoryTracer.spanIDKey] }
        #expect(sent == (try spans().attempts.map(\.spanID)))
    }

    @Test("the trace context is not sent to tags that the app excludes")
    func withoutPropagation() async throws {
        client.trace(with: tracer) { $0.tag != "forum" }
        stubs.get("/rooms").reply(data: [1])
        try await client.tag(forum).get("/rooms").void()
        #expect(stubs.requests(to: "/rooms").map { $0.headers[InMemoryTracer.spanIDKey] } == [nil])
        #expect(try spans().attempts.count == 1)
    }

    @Test("the span around a call is its parent, whether the call is awaited or promised")
    func parent() async throws {
        stubs.get("/rooms").reply(data: [1])
        try await tracer.withSpan("page") { page in
            _ = try await client.tag(forum).get("/rooms").value()
            _ = try await client.tag(forum).get("/rooms").execute().value
            let calls = tracer.finishedSpans.filter { $0.kind == .internal }
            #expect(calls.map(\.parentSpanID) == [page.spanID, page.spanID])
        }
    }

    @Test("the error type of a failed span is the kind of the failure")
    func failures() async throws {
        stubs.on("PURGE", "/a").reply(.failure(.connect, message: "made-up"))
        _ = await client.tag(forum).method("PURGE").path("/a").execute(.void).result
        let failed = try spans().call
        #expect(failed.operationName == "HTTP")
        #expect(text(failed, "http.request.method") == "_OTHER")
        #expect(text(failed, "http.request.method_original") == "PURGE")
        #expect(text(failed, "error.type") == "connect")
        #expect(failed.status == SpanStatus(code: .error, message: "connect -1004"))
        #expect(failed.errors.isEmpty)
    }

    @Test("the status of a failed span hides a secret that the server gives as its code")
    func secretCode() async throws {
        client.configure(forum) { $0.secrets.add(values: "made-up-0123456789") }
        stubs.get("/rooms").reply(.text(#"{"code":"made-up-0123456789","msg":"no"}"#, status: 400, contentType: "application/json"))
        await #expect(throws: APIError.self) { try await client.tag(forum).get("/rooms").void() }
        let spans = try spans()
        for span in [spans.call] + spans.attempts {
            #expect(span.status?.message?.hasSuffix(" ***") == true, "\(String(describing: span.status))")
        }
    }

    @Test("the spans of a cancelled call have no error status")
    func cancelled() async throws {
        let client = Client(testing: stubs)
        let (left, leaving) = AsyncStream<Void>.makeStream()
        // This interceptor runs outside those of the spans. The spans end when the call's stages have returned, after the promise has settled.
        client.intercept("around", .before(.start)) { call, next in
            defer { leaving.finish() }
            return try await next(call)
        }
        client.trace(with: tracer)
        stubs.get("/b").reply(.unanswered)
        let call: Promise<Void> = client.get("/b").execute(.void)
        await stubs.requestsReceived(1)
        call.cancel()
        for await _ in left {}
        #expect(tracer.finishedSpans.count == 2)
        #expect(tracer.finishedSpans.allSatisfy { $0.status == nil })
    }

    @Test("a response from the cache has a span for the call and none for an attempt")
    func cache() async throws {
        client.configure(forum) { $0.cache = .memory(limit: 1 << 20) }
        var rules = RequestKeyRules()
        rules.volatileHeaders.formUnion([InMemoryTracer.traceIDKey, InMemoryTracer.spanIDKey])
        client.configure(forum) { [rules] in $0.requestKeyRules = rules }
        stubs.get("/rooms").reply(data: [1])
        for _ in 0..<2 { try await client.tag(forum).get("/rooms").cache(.always).void() }
        #expect(tracer.finishedSpans.filter { $0.kind == .internal }.count == 2)
        #expect(tracer.finishedSpans.filter { $0.kind == .client }.count == 1)
    }

    @Test("without a tracer, or after tracing has ended, calls have no span and no trace headers")
    func absent() async throws {
        let client = Client(testing: stubs)
        let tracing = client.trace()
        stubs.get("/rooms").reply(data: [1])
        try await client.get("/rooms").void()
        tracing.end()
        try await client.get("/rooms").void()
        #expect(stubs.requests(to: "/rooms").allSatisfy { $0.headers["traceparent"] == nil })
        #expect(tracer.finishedSpans.isEmpty)
    }

    /// A tracer that records no spans and injects invalid headers, or headers that the request already has.
    private struct Broken: Tracer {
        func startSpan<Instant: TracerInstant>(
            _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
            at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
        ) -> NoOpTracer.NoOpSpan { NoOpTracer.NoOpSpan(context: context()) }

        func forceFlush() {}

        func inject<Carrier, Inject: Injector>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
        where Inject.Carrier == Carrier {
            let fields = [
                ("a b", "1"), ("", "1"), ("X-A", "a\r\nX-Evil: 1"), ("X-B", " \u{e9}"), ("Host", "evil.test"), ("Content-Length", "7"),
                ("X-Own", "theirs"), ("X-Fine", "1"),
            ]
            for (name, value) in fields { injector.inject(value, forKey: name, into: &carrier) }
        }

        func extract<Carrier, Extract: Extractor>(_ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract)
        where Extract.Carrier == Carrier {}
    }

    @Test("a tracer that injects invalid headers fails no call")
    func broken() async throws {
        let client = Client(testing: stubs)
        client.trace(with: Broken())
        stubs.get("/rooms").reply(data: [1])
        try await client.get("/rooms").header("X-Own", "mine").void()
        let headers = try #require(stubs.requests(to: "/rooms").first).headers
        #expect(headers["X-Own"] == "mine")
        #expect(headers["X-Fine"] == "1")
        for name in ["X-A", "X-B", "Host", "Content-Length", "X-Evil"] { #expect(headers[name] == nil) }
    }
}
