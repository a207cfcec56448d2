import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct ByteStreamTests {
    let clock = VirtualClock()

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

    static func text(_ pieces: [Data]) -> String { String(decoding: pieces.joined(), as: UTF8.self) }

    @Test("a stream delivers the bytes in order, and sends nothing before its loop begins") func order() async throws {
        let (client, stub) = client { _ in .pieces(["ab", "", "cd", "e"]) }
        let stream = client.get("/a").stream()
        #expect(stub.requests.isEmpty)
        #expect(try await Self.text(stream.collected()) == "abcde")
        #expect(try await Self.text(stream.collected()) == "abcde", "each loop sends the request anew")
        #expect(stub.requests.count == 2)
    }

    @Test("a stream delivers a body that is already complete, even an empty one", arguments: ["", "abc"]) func whole(text: String)
        async throws
    {
        let (client, _) = client { _ in .text(text) }
        #expect(try await Self.text(client.get("/a").stream().collected()) == text)
    }

    @Test("open() returns the head before the bytes") func head() async throws {
        let (client, _) = client { _ in .pieces(["ab"], status: 203, headers: ["X-A": "1"]) }
        let answer = try await client.get("/a").stream().open()
        #expect(answer.status == 203)
        #expect(answer.headers["x-a"] == "1")
        #expect(answer.url.absoluteString == "https://example.com/a")
        #expect(try await Self.text(answer.collected()) == "ab")
        #expect(try await answer.collected().isEmpty, "an open stream can be iterated once")
    }

    @Test("a stream with an error status delivers no bytes, and throws the error of the envelope") func errorStatus() async throws {
        let (client, _) = client { _ in .json(#"{"code": 7, "msg": "no such report"}"#, status: 404) }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").stream().collected() }
        #expect(error?.kind == .status)
        #expect(error?.code == 7)
        #expect(error?.message == "no such report")
        #expect(error?.body == Data(#"{"code": 7, "msg": "no such report"}"#.utf8))
    }

    @Test("the body of an error status is limited by bodyLimit") func errorLimit() async throws {
        let (client, _) = client { _ in .text(String(repeating: "x", count: 100), status: 500) }
        client.configureDefaults { $0.bodyLimit = 10 }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").stream().collected() }
        #expect(error?.kind == .bodyTooLarge)
        #expect(error?.status == 500)
    }

    @Test("bodyLimit does not apply to a stream") func noLimit() async throws {
        let (client, _) = client { _ in .text(String(repeating: "x", count: 100)) }
        client.configureDefaults { $0.bodyLimit = 10 }
        #expect(try await Self.text(client.get("/a").stream().collected()).count == 100)
    }

    @Test("a stream retries the call until the head has arrived, and runs the common closures anew") func retry() async throws {
        let (client, stub) = client { attempt in attempt == 1 ? .status(503) : .pieces(["ab"]) }
        let asked = Counter()
        client.commonHeaders { _ in
            asked.increment()
            return ["X-Nonce": "\(asked.count)"]
        }
        let task = Task { try await client.get("/a").retry(.exponential(limit: 1)).stream().collected() }
        await clock.scheduled(.milliseconds(500))
        clock.advance(by: .milliseconds(500))
        #expect(try await Self.text(task.value) == "ab")
        #expect(stub.requests.map { $0.headers["X-Nonce"] } == ["1", "2"])
    }

    @Test("a stream that has delivered bytes is not retried, and throws the error after them") func cut() async throws {
        let (client, stub) = client { _ in .pieces(["ab"], end: APIError(.connectionLost)) }
        var iterator = client.get("/a").retry(.exponential(limit: 3)).stream().makeAsyncIterator()
        #expect(try await iterator.next() == Data("ab".utf8))
        let error = await #expect(throws: APIError.self) { try await iterator.next() }
        #expect(error?.kind == .connectionLost)
        #expect(error?.request?.url == "https://example.com/a")
        #expect(error?.attempts == 1)
        #expect(try await iterator.next() == nil)
        #expect(stub.requests.count == 1)
    }

    @Test("a stream follows redirects and delivers none of their bodies") func redirect() async throws {
        let stub = ClosureTransport { request in
            request.address.path == "/a" ? .text("moved", status: 302, headers: ["Location": "/b"]) : .pieces(["here"])
        }
        let client = Client(transport: stub)
        let answer = try await client.host("https://example.com").get("/a").stream().open()
        #expect(answer.url.path() == "/b")
        #expect(try await Self.text(answer.collected()) == "here")
    }

    @Test("the timeout of an attempt covers a stream only until its head") func timeout() async throws {
        let (body, source) = AsyncStream<Data>.makeStream()
        let (client, _) = client { _ in TransportResponse(status: 200, body: TransportBody(body)) }
        var iterator = try await client.get("/a").timeout(.seconds(1)).stream().open().makeAsyncIterator()
        #expect(clock.delays.isEmpty)
        clock.advance(by: .seconds(60))
        source.yield(Data("a".utf8))
        #expect(try await iterator.next() == Data("a".utf8))
    }

    @Test("the timeout of an attempt covers the head and the body of an error status", arguments: [nil, 500])
    func headTimeout(status: Int?) async throws {
        let (client, _) = client { _ in
            guard let status else { return try await PipelineTests.silence() }
            return TransportResponse(status: status, body: TransportBody(AsyncStream<Data> { _ in }))
        }
        let task = Task { try await client.get("/a").timeout(.seconds(1)).stream().collected() }
        await clock.scheduled(.seconds(1))
        clock.advance(by: .seconds(1))
        let result = await task.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(error?.kind == .timeout)
    }

    @Test("the deadline also ends the body of a stream, after the bytes that have arrived") func deadline() async throws {
        let stopped = Promise<Void>.pending()
        let (client, _) = client { _ in
            let body = AsyncStream<Data> { stream in
                stream.yield(Data("a".utf8))
                stream.onTermination = { _ in stopped.resolver.fulfill(()) }
            }
            return TransportResponse(status: 200, body: TransportBody(body))
        }
        var iterator = client.get("/a").deadline(.seconds(5)).stream().makeAsyncIterator()
        #expect(try await iterator.next() == Data("a".utf8))
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: APIError.self) { try await iterator.next() }
        #expect(error?.kind == .timeout)
        #expect(error?.message.contains("deadline") == true)
        _ = await stopped.promise.result
    }

    @Test("idleTimeout counts the silence of a body only while its reader waits") func silence() async throws {
        let (body, source) = AsyncStream<Data>.makeStream()
        let (client, _) = client { _ in TransportResponse(status: 200, body: TransportBody(body)) }
        var iterator = try await client.get("/a").set(\.idleTimeout, .seconds(5)).stream().open().makeAsyncIterator()
        clock.advance(by: .seconds(60))
        source.yield(Data("a".utf8))
        #expect(try await iterator.next() == Data("a".utf8))
        clock.advance(by: .seconds(60))
        let waiting = Task { [clock] in
            await clock.scheduled(.seconds(5))
            clock.advance(by: .seconds(5))
        }
        let error = await #expect(throws: APIError.self) { try await iterator.next() }
        #expect(error?.kind == .timeout)
        await waiting.value
        #expect(clock.delays.isEmpty)
    }

    @Test("a cancelled call delivers nothing more, although its body has arrived")
    func cancelledAfterArrival() async throws {
        let client = Client(transport: ClosureTransport { _ in .text("a\nb\nc") })
        let answer = try await client.host("https://example.com").get("/a").id("x").stream().open()
        var pieces = answer.makeAsyncIterator()
        client.calls.cancel(id: "x")
        await #expect(throws: CancellationError.self) { try await pieces.next() }
    }

    @Test("firstByteTimeout ends a silence before the head") func silenceBeforeHead() async throws {
        let (client, _) = client { _ in try await PipelineTests.silence() }
        let task = Task { try await client.get("/a").set(\.firstByteTimeout, .seconds(5)).stream().collected() }
        await clock.scheduled(.seconds(5))
        clock.advance(by: .seconds(5))
        let result = await task.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(error?.kind == .timeout)
    }

    @Test("a stream that has ended leaves no timer behind") func nothingLeft() async throws {
        let (client, _) = client { _ in .pieces(["a"]) }
        _ = try await client.get("/a").deadline(.seconds(5)).stream().collected()
        #expect(clock.delays.isEmpty)
    }

    @Test("a slow reader slows down the source") func backPressure() async throws {
        let pulled = Counter()
        let megabyte = Data(repeating: 1, count: 1024 * 1024)
        let (client, _) = client { _ in
            let body = AsyncStream<Data> {
                pulled.increment()
                return pulled.count <= 5 ? megabyte : nil
            }
            return TransportResponse(status: 200, body: TransportBody(body))
        }
        var iterator = try await client.get("/a").stream().open().makeAsyncIterator()
        await giveChances()
        #expect(pulled.count <= 2)
        var received = 0
        while let piece = try await iterator.next() {
            received += piece.count
            // The pieces that were read, one in the pipe, and one on its way there.
            #expect(pulled.count <= received / megabyte.count + 2)
        }
        #expect(received == 5 * megabyte.count)
    }
}

/// Streams over real sockets, because these tests check that connections are closed.
@Suite(.limitedParallelism) struct ByteStreamConnectionTests {
    enum Leaving: CaseIterable { case breaking, throwing, cancelling, dropping, holdingTheAnswer }

    @Test("leaving the loop over a stream closes the connection", arguments: Leaving.allCases)
    func leaving(how: Leaving) async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .text("0123456789").stalled(after: 4) }
        let client = Client()
        let request = client.host(server.url).get("/a")
        switch how {
        case .breaking:
            for try await _ in request.stream() { break }
        case .throwing:
            await #expect(throws: Failure.self) {
                for try await _ in request.stream() { throw Failure(1) }
            }
        case .cancelling:
            let first = Promise<Void>.pending()
            let task = Task { for try await _ in request.stream() { first.resolver.fulfill(()) } }
            _ = await first.promise.result
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
        case .dropping:
            _ = try await request.stream().open()
        case .holdingTheAnswer:
            let answer = try await request.stream().open()
            for try await _ in answer { break }
            await server.connectionsClosed(1)
            _ = answer.status
        }
        await server.connectionsClosed(1)
    }

    @Test("a stream that is cancelled before its head closes its connection") func cancelledHead() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .unanswered }
        let client = Client()
        let task = Task { try await client.host(server.url).get("/a").stream().collected() }
        await server.requestsReceived(1)
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        await server.connectionsClosed(1)
    }

    @Test("a body that is cut at any byte delivers the bytes before the cut and then throws") func cuts() async throws {
        let server = try LoopbackServer()
        server.get("/{cut}") { .text("0123456789").connectionLost(after: Int($0.parameters["cut"] ?? "") ?? 0) }
        let client = Client()
        for cut in 0..<10 {
            var received = Data()
            do {
                for try await piece in client.host(server.url).get("/\(cut)").stream() { received += piece }
                Issue.record("no error after \(cut) bytes")
            } catch let error as APIError {
                #expect(error.kind == .connectionLost)
            }
            #expect(String(decoding: received, as: UTF8.self) == "0123456789".prefix(cut))
        }
    }

    @Test("pieces arrive while the server still sends") func whileSending() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/a") { _ in .chunked(["one", "two"]).stalled(after: 3, by: gate) }
        let client = Client()
        var iterator = client.host(server.url).get("/a").stream().makeAsyncIterator()
        #expect(try await iterator.next() == Data("one".utf8))
        gate.open()
        #expect(try await iterator.next() == Data("two".utf8))
        #expect(try await iterator.next() == nil)
    }
}
