import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite(.limitedParallelism) struct InterceptorTests {
    let clock = VirtualClock()
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs, clock: clock)
    }

    @Test("an interceptor may change the request") func changesRequest() async throws {
        stubs.get("/a").reply(json: ["code": 0, "data": 7])
        client.intercept("trace") { call, next in
            var call = call
            call.request.headers["X-Trace"] = "\(call.tag.map(\.name) ?? "none")-\(call.attempt)"
            return try await next(call)
        }
        client.configure("forum") { _ in }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
        #expect(stubs.requests.map { $0.headers["X-Trace"] } == ["forum-1"])
    }

    @Test("client, tag and call each have interceptors, which run in that order") func order() async throws {
        stubs.get("/a").reply(json: ["code": 0, "data": 7])
        let mark: @Sendable (String) -> Interceptor.Body = { name in
            { call, next in
                var call = call
                call.request.headers.add(name, for: "X-Way")
                return try await next(call)
            }
        }
        client.intercept("one", with: mark("client"))
        client.intercept("two", .before(.retry), with: mark("outer"))
        client.configure("forum") { $0.intercept("one", with: mark("tag")) }
        try await client.tag("forum").get("/a").set(\.interceptors, [Interceptor("call", .after(.retry), mark("call"))]).execute(.void)
            .value
        #expect(stubs.requests.first?.headers.values(for: "X-Way") == ["outer", "client", "tag", "call"])
    }

    @Test("an interceptor before the retry stage runs once, one after it for every attempt") func aroundRetry() async throws {
        stubs.get("/a").reply(status: 503)
        let whole = Counter()
        let each = Counter()
        client.intercept("whole", .before(.retry)) { call, next in
            whole.increment()
            return try await next(call)
        }
        client.intercept("each") { call, next in
            each.increment()
            return try await next(call)
        }
        let call = client.get("/a").retry(.exponential(limit: 1, baseDelay: .seconds(1))).execute()
        await clock.scheduled(.seconds(1))
        clock.advance(by: .seconds(1))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.attempts == 2)
        #expect(whole.count == 1)
        #expect(each.count == 2)
        #expect(stubs.requests.count == 2)
    }

    @Test("a response that an interceptor replaces is parsed again") func changesAnswer() async throws {
        stubs.get("/a").reply(json: ["code": 5, "data": 7])
        client.intercept("mend", .before(.transport)) { call, next in
            do {
                return try await next(call)
            } catch let error as APIError where error.code == .integer(5) {
                return HTTPResponse(status: 200, body: Data(#"{"code": 0, "data": 9}"#.utf8), address: call.request.address)
            }
        }
        #expect(try await client.get("/a").value(as: Int.self) == 9)
        client.intercept("mend") { call, next in
            HTTPResponse(status: 200, body: Data(#"{"code": 6, "msg": "no"}"#.utf8), address: call.request.address)
        }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").value(as: Int.self) }
        #expect(error?.code == .integer(6))
        #expect(error?.message == "no")
    }

    @Test(
        "a header that an interceptor sets is validated before it is sent",
        arguments: [
            ("X-A", "one\r\nX-B: two"), ("X A", "1"), ("Host", "elsewhere"), ("Content-Length", "3"),
        ]) func checked(_ name: String, _ value: String) async
    {
        stubs.get("/a").reply(json: ["code": 0, "data": 7])
        client.intercept("wrong") { call, next in
            var call = call
            call.request.headers.add(value, for: name)
            return try await next(call)
        }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.hasPrefix("intercept: ") == true)
        #expect(stubs.requests.isEmpty)
    }

    @Test("an error that an interceptor throws fails the call") func throwing() async {
        stubs.get("/a").reply(json: ["code": 0, "data": 7])
        let no = client.intercept("no") { _, _ in throw Failure(3) }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
        #expect(error?.underlying as? Failure == Failure(3))
        #expect(stubs.requests.isEmpty)
        no.end()
        await #expect(throws: Never.self) { try await client.get("/a").value() }
    }

    @Test("an interceptor that calls `next` for ever ends when the call is cancelled") func cancelled() async {
        stubs.get("/a").reply(status: 500)
        client.intercept("for ever") { call, next in
            while true {
                do { return try await next(call) } catch { try Task.checkCancellation() }
            }
        }
        let task = Task { try await client.get("/a").value() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("an interceptor also runs before a stream") func streams() async throws {
        stubs.get("/a").reply(text: "one\ntwo\n")
        client.intercept("mark") { call, next in
            var call = call
            call.request.headers["X-Mark"] = "1"
            var response = try await next(call)
            response.headers["X-Seen"] = "1"
            return response
        }
        var lines: [String] = []
        for try await line in client.get("/a").lines() { lines.append(line) }
        #expect(lines == ["one", "two"])
        #expect(stubs.requests.first?.headers["X-Mark"] == "1")
    }
}
