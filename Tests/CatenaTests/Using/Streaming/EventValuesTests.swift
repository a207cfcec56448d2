import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Events as values", .limitedParallelism)
struct EventValuesTests {
    struct Chunk: Codable, Equatable, Sendable {
        let text: String
    }

    let clock = VirtualClock()

    private func client(_ answer: @escaping @Sendable (Int) async throws -> TransportResponse) -> (Client, ClosureTransport) {
        let count = Counter()
        let stub = ClosureTransport { _ in
            count.increment()
            return try await answer(count.count)
        }
        let client = Client(transport: stub, clock: clock)
        client.defaultHost = "https://example.com"
        return (client, stub)
    }

    /// Returns a response whose body stays open after these pieces.
    private static func endless(_ pieces: String..., type: String = "text/event-stream") -> TransportResponse {
        TransportResponse(
            status: 200, headers: ["Content-Type": type],
            body: TransportBody(AsyncStream<Data> { stream in for piece in pieces { stream.yield(Data(piece.utf8)) } }))
    }

    // MARK: The end

    @Test("values arrive as they are sent and end at the sentinel, even if the connection stays open", arguments: [HTTPMethod.post, .get])
    func sentinel(method: HTTPMethod) async throws {
        let (client, stub) = client { _ in
            Self.endless(
                "data: {\"text\":\"Hel", "lo\"}\n\ndata: {\"text\":", "\ndata: \" you\"}\n\n",
                "data: [DONE]\n\ndata: {\"text\":\"late\"}\n\n")
        }
        let request = method == .post ? client.post("/chat").json(["stream": true]) : client.get("/chat")
        let chunks = try await request.events(as: Chunk.self, until: "[DONE]").collected()
        #expect(chunks == [Chunk(text: "Hello"), Chunk(text: " you")])
        #expect(stub.requests.map(\.method) == [method])
        #expect(stub.requests.map { $0.headers["Accept"] } == ["text/event-stream"])
    }

    @Test("after the sentinel the values end, and the call has completed without being cancelled")
    func afterSentinel() async throws {
        let (client, _) = client { _ in Self.endless("data: 1\n\ndata: end\n\n") }
        var iterator = client.get("/a").events(as: Int.self, until: "end").makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        let task = try #require(client.calls.tasks().first)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(task.state == .completed)
        #expect(client.calls.tasks().isEmpty)
    }

    @Test(
        "a sentinel also counts without the empty line after it",
        arguments: ["data: 1\n\ndata: end", "data: 1\n\ndata: end\n", "data: 1\r\n\r\ndata: end\r", "data: 1\n\nid: 2\ndata:end\r\n"])
    func unfinishedSentinel(text: String) async throws {
        let (client, stub) = client { _ in
            TransportResponse(status: 200, headers: ["Content-Type": "text/event-stream"], body: TransportBody(Data(text.utf8)))
        }
        #expect(try await client.get("/a").events(as: Int.self, until: "end").collected() == [1])
        #expect(stub.requests.count == 1)
    }

    @Test("the sentinel closes a connection that the server keeps open")
    func connection() async throws {
        let server = try LoopbackServer()
        server.post("/chat") { _ in
            .chunked(["data: {\"text\":\"a\"}\n\n", "data: [DONE]\n\n", ": more\n\n"]).header("Content-Type", "text/event-stream")
                .stalled(after: 36)
        }
        let request = Client().host(server.url).post("/chat").json(["stream": true])
        #expect(try await request.events(as: Chunk.self, until: "[DONE]").collected() == [Chunk(text: "a")])
        await server.connectionsClosed(1)
    }

    @Test(
        "values without a sentinel end with an error, for a POST at once and for a GET after the last connection",
        arguments: [HTTPMethod.post, .get])
    func missingSentinel(method: HTTPMethod) async throws {
        let (client, stub) = client { attempt in attempt == 1 ? EventStreamTests.answer("data: 1\n\n") : EventStreamTests.answer() }
        let stream = client.path("/a").method(method).events(as: Int.self, until: "[DONE]", reconnecting: .after(.seconds(1), limit: 2))
        let values = Recorder<Int>()
        let task = Task { for try await value in stream { values.note(value) } }
        if method == .get {
            for _ in 1...2 {
                await clock.scheduled(.seconds(1))
                clock.advance(by: .seconds(1))
            }
        }
        let result = await task.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(values.events == [1])
        #expect(error?.kind == .connectionLost)
        #expect(error?.message == #"The events have ended without "[DONE]"."#)
        #expect(stub.requests.count == (method == .get ? 3 : 1))
    }

    @Test("a status 204 ends the values without an error and without a sentinel")
    func noContent() async throws {
        let (client, _) = client { _ in .status(204) }
        #expect(try await client.get("/a").events(as: Int.self, until: "[DONE]").collected().isEmpty)
    }

    @Test("without a sentinel values connect again with the last id, and their errors count events across connections")
    func reconnecting() async throws {
        let (client, stub) = client { attempt in
            attempt == 1 ? EventStreamTests.answer("id: 7\ndata: 1\n\n") : EventStreamTests.answer("data: 2\n\ndata: x\n\n")
        }
        let values = Recorder<Int>()
        let task = Task { for try await value in client.get("/a").events(as: Int.self) { values.note(value) } }
        await clock.scheduled(.seconds(3))
        clock.advance(by: .seconds(3))
        let result = await task.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(values.events == [1, 2])
        #expect(error?.message.hasPrefix("Event 3: ") == true)
        #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == [nil, "7"])
    }

    @Test("without a sentinel the values of a POST end with its connection")
    func post() async throws {
        let (client, stub) = client { _ in EventStreamTests.answer("data: 1\n\n") }
        #expect(try await client.post("/a").events(as: Int.self).collected() == [1])
        #expect(stub.requests.count == 1)
    }

    // MARK: Values

    @Test("events may contain any JSON, and events without data are skipped")
    func anyJSON() async throws {
        let (client, _) = client { _ in
            EventStreamTests.answer("data: 1\n\ndata:\n\nevent: ping\ndata: \ndata:\t\n\ndata: null\n\ndata: [2]\n\n")
        }
        #expect(try await client.get("/a").events(as: JSON.self, reconnecting: .never).collected() == [1, .null, [2]])
    }

    @Test("the sentinel may be an empty text")
    func emptySentinel() async throws {
        let (client, _) = client { _ in Self.endless("data: 1\n\ndata:\n\n") }
        #expect(try await client.get("/a").events(as: Int.self, until: "").collected() == [1])
    }

    @Test("the tag's decoder decodes the values of events")
    func decoder() async throws {
        struct Snake: Decodable, Sendable { let firstName: String }
        let (client, _) = client { _ in Self.endless("data: {\"first_name\":\"a\"}\n\ndata: end\n\n") }
        client.configureDefaults {
            $0.decoder = JSONDecoder()
            $0.decoder?.keyDecodingStrategy = .convertFromSnakeCase
        }
        #expect(try await client.get("/a").events(as: Snake.self, until: "end").collected().map(\.firstName) == ["a"])
    }

    // MARK: Errors of events

    @Test("an event that cannot be decoded ends the values with an error that has its number and its data")
    func badEvent() async throws {
        struct Other: Decodable { let words: String }
        let (client, _) = client { _ in
            Self.endless("data: {\"text\":\"a\"}\n\n", "data: {\"words\":\"a\"}\n\ndata: {\"text\":\"b\"}\n\n")
        }
        var iterator = client.post("/chat").events(as: Chunk.self, until: "[DONE]").makeAsyncIterator()
        #expect(try await iterator.next() == Chunk(text: "a"))
        let error = await #expect(throws: APIError.self) { try await iterator.next() }
        #expect(error?.kind == .decoding)
        #expect(error?.message.hasPrefix(#"Event 2: Cannot decode Chunk at "text" (there is no such key)"#) == true, "\(error as Any)")
        #expect(error?.status == 200)
        #expect(error?.body == Data(#"{"words":"a"}"#.utf8))
        #expect(try error?.decoded(as: Other.self).words == "a")
        #expect(try await iterator.next() == nil)
        #expect(client.calls.tasks().isEmpty)
    }

    @Test(
        "the error for an event shows the event's name, shortened, on one line and without secrets",
        arguments: [
            ("error", 1, "Event 1 (error): "), ("message", 1, "Event 1: "), ("token=s3cr3t", 1, "Event 1 (token=***): "),
            ("x", 100_000, "Event 1 (\(String(repeating: "x", count: 64))): "),
        ])
    func namedEvent(part: String, count: Int, start: String) async throws {
        let name = String(repeating: part, count: count)
        let (client, _) = client { _ in Self.endless("event: \(name)\ndata: {}\n\n") }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").events(as: Chunk.self).collected() }
        #expect(error?.message.hasPrefix(start + "Cannot decode Chunk") == true)
        #expect((error?.message.count ?? 0) < 300)
    }

    @Test("an event over the limit throws")
    func tooLong() async throws {
        let (client, _) = client { _ in Self.endless("data: 1\n\ndata: 123456789\n\n") }
        var iterator = client.get("/a").events(as: Int.self, limit: 10).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        let error = await #expect(throws: APIError.self) { try await iterator.next() }
        #expect(error?.kind == .bodyTooLarge)
        #expect(try await iterator.next() == nil)
    }

    @Test("cancelling a task that waits for an event ends the transfer")
    func cancelled() async throws {
        let (client, _) = client { _ in Self.endless("data: 1\n\n") }
        let first = Counter()
        let task = Task { for try await _ in client.post("/a").events(as: Int.self, until: "[DONE]") { first.increment() } }
        await first.reached(1)
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(client.calls.tasks().isEmpty)
    }
}

@Suite("A response that is no event stream", .limitedParallelism)
struct RefusedEventsTests {
    let clock = VirtualClock()

    private func error(
        _ answer: @escaping @Sendable () -> TransportResponse
    ) async throws -> (events: APIError, values: APIError) {
        let client = Client(transport: ClosureTransport { _ in answer() }, clock: clock)
        client.defaultHost = "https://example.com"
        let request = client.post("/chat").timeout(.seconds(9)).json(["stream": true])
        let events = Task { try await request.events().collected() }
        let first = await events.result
        let values = Task { try await request.events(as: JSON.self, until: "[DONE]").collected() }
        let second = await values.result
        #expect(client.calls.tasks().isEmpty)
        return (
            try #require(throws: APIError.self) { try first.get() }, try #require(throws: APIError.self) { try second.get() }
        )
    }

    @Test("a response with a failure in its envelope throws this failure, whatever its status", arguments: [200, 400, 503])
    func envelope(status: Int) async throws {
        let body = #"{"code": 7, "msg": "no such model"}"#
        let errors = try await error { .json(body, status: status) }
        for error in [errors.events, errors.values] {
            #expect(error.kind == (status == 200 ? .business : .status))
            #expect(error.code == 7)
            #expect(error.message == "no such model")
            #expect(error.status == status)
            #expect(error.body == Data(body.utf8))
        }
    }

    @Test(
        "a response without a failure in its envelope throws because of its type, and the error has the body",
        arguments: [
            ("application/json", #"{"code": 0, "data": 1}"#), ("application/json", "not JSON"), ("text/html", "<html>Sign in</html>"),
            ("application/json", ""), ("", "data: 1\n\n"),
        ])
    func type(type: String, body: String) async throws {
        let errors = try await error { .pieces([body], headers: ["Content-Type": type]) }
        for error in [errors.events, errors.values] {
            #expect(error.kind == .decoding)
            #expect(error.message.contains("no event stream"))
            #expect(error.body == Data(body.utf8))
        }
    }

    @Test("a body that is too long for a failure's envelope throws because of its type")
    func long() async throws {
        let errors = try await error { .json(#"{"code": 7, "msg": "\#(String(repeating: "x", count: APIError.bodyLimit))"}"#) }
        #expect(errors.events.kind == .decoding)
        #expect(errors.values.kind == .decoding)
    }

    /// Returns a client whose response has a body without bytes, and a counter of the readings of such bodies.
    private func stalled(_ clock: VirtualClock) -> (Client, Counter) {
        let reading = Counter()
        let body = AsyncThrowingStream<Data, any Error> {
            reading.increment()
            await untilCancelled()
            return nil
        }
        let transport = ClosureTransport { _ in
            TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: TransportBody(body))
        }
        return (Client(transport: transport, clock: clock), reading)
    }

    /// Runs many times, because the timeout and the end of the reading may be noticed in any order.
    @Test("a body that does not arrive within the timeout of an attempt throws because of its type")
    func late() async throws {
        for _ in 0..<200 { try await late(VirtualClock()) }
    }

    private func late(_ clock: VirtualClock) async throws {
        let (client, _) = stalled(clock)
        let task = Task { try await client.absoluteURL("https://example.com/a").timeout(.seconds(9)).events().collected() }
        // The timer for the head is as long as that for the body. It has been cancelled once the reader has scheduled its idle timer.
        await clock.scheduled(BodyReader.usualIdleLimit)
        clock.advance(by: .seconds(9))
        let result = await task.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(error?.message.contains("no event stream") == true)
        #expect(client.calls.tasks().isEmpty)
    }

    @Test("cancelling a task that reads a response without events is not reported as an error")
    func cancelled() async throws {
        let (client, reading) = stalled(clock)
        let seen = Recorder<APIError>()
        client.onError { error, _ in
            seen.note(error)
            return .proceed
        }
        let task = Task { try await client.absoluteURL("https://example.com/a").events().collected() }
        await reading.reached(1)
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(seen.events.isEmpty)
        #expect(client.calls.tasks().isEmpty)
    }
}
