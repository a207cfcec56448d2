import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Decoded events that do not end as planned", .limitedParallelism)
struct InterruptedEventTests {
    struct Chunk: Codable, Equatable, Sendable {
        let text: String
    }

    private static let failure = #"data: {"error":{"code":"overloaded","message":"Later."}}"# + "\n\n"
    private static func chunk(_ text: String) -> String { #"data: {"text":"\#(text)"}"# + "\n\n" }

    let clock = VirtualClock()

    /// A stream whose events the test sends.
    private final class Feed: Sendable {
        private let pieces = AsyncThrowingStream<Data, any Error>.makeStream()

        var response: TransportResponse {
            TransportResponse(status: 200, headers: ["Content-Type": "text/event-stream"], body: TransportBody(pieces.stream))
        }

        func send(_ text: String) { pieces.continuation.yield(Data(text.utf8)) }
        func finish() { pieces.continuation.finish() }
    }

    private func client(_ feed: Feed, _ authentication: Authentication<PersonScheme>? = nil) -> (client: Client, stub: ClosureTransport) {
        let stub = ClosureTransport { _ in feed.response }
        let client = Client(transport: stub, clock: clock)
        client.configureDefaults { defaults in
            defaults.host = "https://example.com"
            defaults.authentication = authentication
        }
        return (client, stub)
    }

    // MARK: Bad events

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        var chunks: [String] = []
        var kind: APIError.Kind?
        var message = ""

        var testDescription: String { name }
    }

    private static let cases = [
        Case(name: "a failure first", text: failure + chunk("a"), kind: .business, message: "Later."),
        Case(name: "a failure between values", text: chunk("a") + failure + chunk("b"), chunks: ["a"], kind: .business, message: "Later."),
        Case(name: "a failure after the end", text: chunk("a") + "data: [DONE]\n\n" + failure, chunks: ["a"]),
        Case(name: "a failure of several lines", text: "data: {\"error\":\ndata: \"x\"}\n\n", kind: .business, message: "x"),
        Case(
            name: "a failure with a byte order mark", text: "\u{FEFF}" + failure, kind: .business, message: "Later."),
        Case(
            name: "no JSON", text: chunk("a") + "data: oops\n\n", chunks: ["a"], kind: .decoding, message: "Event 2: Cannot decode Chunk: "),
        Case(name: "HTML", text: "event: error\ndata: <html>\n\n", kind: .decoding, message: "Event 1 (error): Cannot decode Chunk: "),
        Case(name: "half a failure", text: "data: {\"error\":{\"message\"\n\n", kind: .decoding, message: "Event 1: Cannot decode Chunk: "),
        Case(name: "no data", text: "data:\n\ndata\n\nevent: ping\n\n: note\n\ndata: \t\n\n" + chunk("a"), chunks: ["a"]),
        Case(name: "another type", text: "data: [1]\n\n", kind: .decoding, message: "Event 1: Cannot decode Chunk"),
        Case(name: "an empty object", text: "data: {}\n\n", kind: .decoding, message: "Event 1: Cannot decode Chunk"),
        Case(name: "null", text: "data: null\n\n", kind: .missingPayload, message: "Event 1: "),
        Case(name: "an event at the limit", text: chunk(String(repeating: "x", count: 983)), chunks: [String(repeating: "x", count: 983)]),
        Case(
            name: "an event over the limit", text: chunk("a") + chunk(String(repeating: "x", count: 1100)), chunks: ["a"],
            kind: .bodyTooLarge, message: "An event is longer than the 1000 bytes that are allowed."),
        Case(name: "nothing", text: ""),
    ]

    @Test("each bad event has its error, after the values before it", arguments: cases)
    func bad(_ sample: Case) async throws {
        let feed = Feed()
        let (client, stub) = client(feed)
        feed.send(sample.text)
        feed.finish()
        var iterator = client.post("/a").events(as: Chunk.self, limit: 1000).makeAsyncIterator()
        for chunk in sample.chunks { #expect(try await iterator.next() == Chunk(text: chunk)) }
        if let kind = sample.kind {
            let error = await #expect(throws: APIError.self) { try await iterator.next() }
            #expect(error?.kind == kind)
            #expect(error?.message.hasPrefix(sample.message) == true, "\(error as Any)")
        }
        #expect(try await iterator.next() == nil)
        #expect(stub.requests.count == 1)
        #expect(client.calls.tasks().isEmpty)
    }

    @Test("`[DONE]` ends the values without `until:`, closes the connection and prevents a reconnection", arguments: [true, false])
    func done(isFinished: Bool) async throws {
        let feed = Feed()
        let (client, stub) = client(feed)
        feed.send(Self.chunk("a") + "data: [DONE]" + (isFinished ? "\n\n" : ""))
        if !isFinished { feed.finish() }
        #expect(try await client.get("/a").events(as: Chunk.self).collected() == [Chunk(text: "a")])
        #expect(stub.requests.count == 1)
        #expect(client.calls.tasks().isEmpty)
    }

    @Test("the error of a huge event has the first part of its data as its body, and says so")
    func huge() async throws {
        let feed = Feed()
        let (client, _) = client(feed)
        feed.send(#"data: {"error":{"message":"Later."},"trace":"\#(String(repeating: "x", count: 2 * APIError.bodyLimit))"}"# + "\n\n")
        let error = await #expect(throws: APIError.self) { try await client.post("/a").events(as: Chunk.self).collected() }
        #expect(error?.kind == .business && error?.message == "Later.")
        #expect(error?.body?.count == APIError.bodyLimit)
    }

    // MARK: In mid-stream

    /// Starts a loop over the values, and returns when it has received the first one.
    private func start(_ request: Request, _ feed: Feed) async -> (task: Task<Void, any Error>, received: Recorder<String>) {
        let received = Recorder<String>()
        feed.send(Self.chunk("a"))
        let task = Task { for try await chunk in request.events(as: Chunk.self) { received.note(chunk.text) } }
        await received.reached(1)
        return (task, received)
    }

    @Test("cancelling the loop in mid-stream stops the transfer, and a failure that follows is not reported")
    func cancelled() async throws {
        let feed = Feed()
        let (client, _) = client(feed)
        let seen = Counter()
        client.onError { _, _ in
            seen.increment()
            return .proceed
        }
        let (task, _) = await start(client.post("/a"), feed)
        task.cancel()
        feed.send(Self.failure)
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(client.calls.tasks().isEmpty && seen.count == 0)
    }

    @Test("the deadline ends the values in mid-stream")
    func deadline() async throws {
        let feed = Feed()
        let (client, stub) = client(feed)
        let (task, received) = await start(client.get("/a").deadline(.seconds(9)), feed)
        clock.advance(by: .seconds(9))
        let result = await task.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(error?.kind == .timeout)
        #expect(received.events == ["a"] && stub.requests.count == 1)
    }

    @Test("after a sign-out an open stream goes on, and its failure is neither refreshed nor sent again", arguments: [true, false])
    func signedOut(signsOut: Bool) async throws {
        let feed = Feed()
        let refreshes = Counter()
        let scheme = PersonScheme(whileRefreshing: { refreshes.increment() })
        let authentication = Authentication(scheme, store: MemoryCredentialStore(Person(name: "A")))
        let (client, stub) = client(feed, authentication)
        let request = client.get("/a").envelope(.standard.authentication("expired"))
        let (task, received) = await start(request, feed)
        if signsOut { try authentication.signOut() }
        feed.send(Self.chunk("b") + #"data: {"error":{"code":"expired","message":"Sign in."}}"# + "\n\n")
        let result = await task.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(error?.code == "expired" && error?.category == .authentication)
        #expect(received.events == ["a", "b"])
        #expect(stub.requests.map { $0.headers["Authorization"] } == ["A0"] && refreshes.count == 0)
    }

    @Test("a shutdown lets an open stream end with its failure, which handlers receive")
    func shutDown() async throws {
        let feed = Feed()
        let (client, _) = client(feed)
        let seen = Recorder<ErrorCode>()
        client.onError { error, _ in
            seen.note(error.code)
            return .proceed
        }
        let (task, received) = await start(client.get("/a"), feed)
        client.shutdown()
        feed.send(Self.chunk("b") + Self.failure)
        let result = await task.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(error?.code == "overloaded" && seen.events == ["overloaded"])
        #expect(received.events == ["a", "b"])
        await client.waitUntilIdle()
    }

    @Test("leaving the loop over values closes the connection, by an error as well", arguments: [true, false])
    func connection(fails: Bool) async throws {
        let server = try LoopbackServer()
        let second = fails ? Self.failure : Self.chunk("b")
        server.get("/a") { _ in
            .chunked([Self.chunk("a"), second, ": more\n\n"]).header("Content-Type", "text/event-stream")
                .stalled(after: Self.chunk("a").utf8.count + second.utf8.count)
        }
        var received: [String] = []
        do {
            for try await chunk in Client().host(server.url).get("/a").events(as: Chunk.self) {
                received.append(chunk.text)
                if received.count == 2 { break }
            }
        } catch let error as APIError {
            #expect(error.code == "overloaded")
        }
        #expect(received == (fails ? ["a"] : ["a", "b"]))
        await server.connectionsClosed(1)
    }
}
