import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct EventStreamTests {
    let clock = VirtualClock()

    static func answer(_ pieces: String..., end: (any Error)? = nil) -> TransportResponse {
        .pieces(pieces, headers: ["Content-Type": "text/event-stream; charset=utf-8"], end: end)
    }

    func client(_ answer: @escaping @Sendable (Int) async throws -> TransportResponse) -> (Client, ClosureTransport) {
        let count = Counter()
        let stub = ClosureTransport { _ in
            count.increment()
            return try await answer(count.count)
        }
        let client = Client(transport: stub, clock: clock)
        client.defaultHost = "https://example.com"
        return (client, stub)
    }

    @Test("events arrive as they are sent, and the request accepts text/event-stream") func events() async throws {
        let (client, stub) = client { _ in Self.answer("event: add\nda", "ta: 1\n\n", ": nothing\n\ndata: 2\n\ndata: cut off") }
        let events = try await client.get("/a").events(reconnecting: .never).collected()
        #expect(events == [ServerSentEvent(event: "add", data: "1"), ServerSentEvent(data: "2")])
        #expect(stub.requests.map { $0.headers["Accept"] } == ["text/event-stream"])
        #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == [nil])
    }

    @Test("an Accept header set by the call stays unchanged") func accept() async throws {
        let (client, stub) = client { _ in Self.answer("data: 1\n\n") }
        _ = try await client.get("/a").header("Accept", "application/x").events(reconnecting: .never).collected()
        #expect(stub.requests.map { $0.headers["Accept"] } == ["application/x"])
    }

    @Test("an event stream whose connection ends or breaks connects again after a wait, with the last id", arguments: [true, false])
    func reconnecting(breaks: Bool) async throws {
        let (client, stub) = client { attempt in
            switch attempt {
            case 1: Self.answer("id: 7\ndata: 1\n\nid: 8\ndata: unfinished\n", end: breaks ? APIError(.connectionLost) : nil)
            case 2: Self.answer("data: 2\n\n")
            default: .status(204)
            }
        }
        let task = Task { try await client.get("/a").events().collected() }
        for _ in 1...2 {
            await clock.scheduled(.seconds(3))
            clock.advance(by: .seconds(3))
        }
        #expect(try await task.value == [ServerSentEvent(data: "1", id: "7"), ServerSentEvent(data: "2", id: "7")])
        #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == [nil, "7", "7"])
    }

    @Test("the server's retry field sets the wait before all further connections") func serverWait() async throws {
        let (client, _) = client { attempt in
            switch attempt {
            case 1: Self.answer("retry: 7000\ndata: 1\n\n")
            case 2: Self.answer("data: 2\n\n")
            default: .status(204)
            }
        }
        let task = Task { try await client.get("/a").events().collected() }
        for _ in 1...2 {
            await clock.scheduled(.milliseconds(7000))
            clock.advance(by: .milliseconds(7000))
        }
        #expect(try await task.value.map(\.data) == ["1", "2"])
    }

    @Test(
        "the wait that a server sets is at least half a second and at most an hour",
        arguments: [
            ("0", Duration.milliseconds(500)), ("70", .milliseconds(500)), ("9999999999", .seconds(3600)),
            ("9223372036854775807", .seconds(3600)),
        ])
    func boundedWait(asked: String, wait: Duration) async throws {
        let (client, stub) = client { attempt in attempt == 1 ? Self.answer("retry: \(asked)\ndata: 1\n\n") : .status(204) }
        let task = Task { try await client.get("/a").timeout(.seconds(9)).events().collected() }
        await clock.scheduled(wait)
        #expect(stub.requests.count == 1)
        clock.advance(by: wait)
        #expect(try await task.value.count == 1)
    }

    @Test(
        "the last id is sent back unchanged, in UTF-8",
        arguments: [("7", 1), ("zoë-第三", 1), ("x", 4096)])
    func sentIDs(piece: String, times: Int) async throws {
        let id = String(repeating: piece, count: times)
        let (client, stub) = client { attempt in attempt == 1 ? Self.answer("id: \(id)\ndata: 1\n\n") : .status(204) }
        client.intercept("look") { call, next in try await next(call) }
        let task = Task { try await client.get("/a").events().collected() }
        await clock.scheduled(.seconds(3))
        clock.advance(by: .seconds(3))
        #expect(try await task.value.map(\.id) == [id])
        #expect(stub.requests.last?.headers["Last-Event-ID"] == id)
    }

    @Test("an id that is too long is ignored, and the one before stays in effect") func longID() async throws {
        let long = String(repeating: "x", count: 900_000)
        let (client, stub) = client { attempt in
            attempt == 1 ? Self.answer("id: 7\ndata: 1\n\nid: \(long)\ndata: 2\n\n") : .status(204)
        }
        let task = Task { try await client.get("/a").events().collected() }
        await clock.scheduled(.seconds(3))
        clock.advance(by: .seconds(3))
        #expect(try await task.value.map(\.id) == ["7", "7"])
        #expect(stub.requests.last?.headers["Last-Event-ID"] == "7")
    }

    @Test("events end after the allowed number of connections without an event") func limit() async throws {
        let (client, stub) = client { _ in Self.answer() }
        let task = Task { try await client.get("/a").events(reconnecting: .after(.seconds(1), limit: 2)).collected() }
        for _ in 1...2 {
            await clock.scheduled(.seconds(1))
            clock.advance(by: .seconds(1))
        }
        #expect(try await task.value.isEmpty)
        #expect(stub.requests.count == 3)
    }

    @Test("the last failure is thrown after the allowed number of failed connections") func lastFailure() async throws {
        let (client, _) = client { attempt in
            if attempt == 1 { return Self.answer("data: 1\n\n") }
            throw APIError(.connect)
        }
        let task = Task { try await client.get("/a").events(reconnecting: .after(.seconds(1), limit: 2)).collected() }
        for _ in 1...2 {
            await clock.scheduled(.seconds(1))
            clock.advance(by: .seconds(1))
        }
        let result = await task.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(error?.kind == .connect)
    }

    @Test("an event stream of a POST does not connect again") func post() async throws {
        let (client, stub) = client { _ in Self.answer("data: 1\n\n") }
        let events = try await client.post("/a").json(["stream": true]).events().collected()
        #expect(events.map(\.data) == ["1"])
        #expect(stub.requests.count == 1)
    }

    @Test("an event stream throws if its first connection fails") func firstConnection() async throws {
        let (client, stub) = client { _ in throw APIError(.connect) }
        await #expect(throws: APIError.self) { try await client.get("/a").events().collected() }
        #expect(stub.requests.count == 1)
    }

    @Test(
        "a response that is not status 200 with an event stream throws, even after a reconnection",
        arguments: [
            (201, "text/event-stream", "status 200, not 201"), (200, "text/html", "text/html"),
            (200, "text/event-streams", "no event stream"),
            (404, "text/event-stream", ""), (500, "text/event-stream", ""),
        ], [1, 2])
    func refused(answer: (status: Int, type: String, message: String), attempt: Int) async throws {
        let (client, stub) = client { number in
            number < attempt ? Self.answer() : .pieces(["data: 1\n\n"], status: answer.status, headers: ["Content-Type": answer.type])
        }
        let task = Task { try await client.get("/a").events().collected() }
        if attempt == 2 {
            await clock.scheduled(.seconds(3))
            clock.advance(by: .seconds(3))
        }
        let result = await task.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(error?.status == answer.status)
        #expect(error?.message.contains(answer.message) == true || answer.message.isEmpty)
        #expect(stub.requests.count == attempt)
    }

    @Test("a reconnection that ends with status 503 is retried if the request has retries, and else ends the stream", arguments: [0, 1])
    func retriedReconnection(limit: Int) async throws {
        let (client, stub) = client { attempt in
            switch attempt {
            case 1: Self.answer("data: 1\n\n")
            case 2: .status(503)
            case 3: Self.answer("data: 2\n\n")
            default: .status(204)
            }
        }
        let task = Task { try await client.get("/a").retry(.exponential(limit: limit)).events().collected() }
        let waits: [Duration] = limit == 0 ? [.seconds(3)] : [.seconds(3), .milliseconds(500), .seconds(3)]
        for wait in waits {
            await clock.scheduled(wait)
            clock.advance(by: wait)
        }
        let result = await task.result
        #expect((try? result.get().map(\.data)) == (limit == 0 ? nil : ["1", "2"]))
        #expect(stub.requests.count == (limit == 0 ? 2 : 4))
    }

    @Test("an event over the limit throws") func tooLong() async throws {
        let (client, _) = client { _ in Self.answer("data: 1\n\ndata: 123456789\n\n") }
        var iterator = client.get("/a").events(limit: 10).makeAsyncIterator()
        #expect(try await iterator.next()?.data == "1")
        let error = await #expect(throws: APIError.self) { try await iterator.next() }
        #expect(error?.kind == .bodyTooLarge)
        #expect(try await iterator.next() == nil)
    }

    @Test("cancelling a stream that waits to connect again ends the wait") func cancelledWait() async throws {
        let (client, stub) = client { _ in Self.answer("data: 1\n\n") }
        let task = Task { try await client.get("/a").events().collected() }
        await clock.scheduled(.seconds(3))
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        await clock.delays { $0.isEmpty }
        #expect(stub.requests.count == 1)
    }

    @Test("a connection that runs out of its own time is made again, although the call has a deadline", arguments: [false, true])
    func timeoutBesideDeadline(isSilent: Bool) async throws {
        let (asked, asking) = Promise<Void>.pending()
        let (client, stub) = client { [clock] attempt in
            switch attempt {
            case 1: return Self.answer("data: 1\n\n")
            case 2:
                asking.fulfill(())
                try await clock.sleep(for: .seconds(1000))
            case 3: return Self.answer("data: 2\n\n")
            default: break
            }
            return .status(204)
        }
        var request = client.get("/a").timeout(.seconds(5)).deadline(.seconds(600))
        if isSilent { request = request.timeout(.seconds(60)).set(\.firstByteTimeout, .seconds(5)) }
        let events = Task { [request] in try await request.events().collected() }
        Task {
            for wait in [3, 5, 3, 3] as [Int64] {
                if wait == 5 { try await asked.value }
                await clock.scheduled(.seconds(wait))
                clock.advance(by: .seconds(wait))
            }
        }
        #expect(try await events.value.map(\.data) == ["1", "2"])
        #expect(stub.requests.count == 4)
    }

    @Test("the deadline ends an event stream with an error") func deadline() async throws {
        let (client, _) = client { _ in
            TransportResponse(
                status: 200, headers: ["Content-Type": "text/event-stream"],
                body: TransportBody(AsyncStream<Data> { $0.yield(Data("data: 1\n\n".utf8)) }))
        }
        var iterator = client.get("/a").deadline(.seconds(9)).events().makeAsyncIterator()
        #expect(try await iterator.next()?.data == "1")
        clock.advance(by: .seconds(9))
        let error = await #expect(throws: APIError.self) { try await iterator.next() }
        #expect(error?.kind == .timeout)
    }

    @Test("events arrive one by one over a real connection, and leaving the loop closes it") func connection() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/a") { _ in
            .chunked(["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]).header("Content-Type", "text/event-stream")
                .stalled(after: 9, by: gate).stalled(after: 18)
        }
        let client = Client()
        var received: [String] = []
        for try await event in client.host(server.url).get("/a").events() {
            received.append(event.data)
            gate.open()
            if received.count == 2 { break }
        }
        #expect(received == ["1", "2"])
        await server.connectionsClosed(1)
    }
}
