import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Streams with a concurrency limit", .limitedParallelism)
struct StreamLimitTests {
    enum Terminal: CaseIterable { case stream, lines, jsonLines, events }

    enum Ending: CaseIterable { case read, broken, leftLoop, dropped, cancelled, late }

    let clock = VirtualClock()
    let sources = Recorder<AsyncThrowingStream<Data, any Error>.Continuation>()
    let stub: ClosureTransport
    let client: Client

    init() {
        stub = ClosureTransport { [sources] request in
            guard request.address.path != "/missing" else { return .status(404) }
            // The body lasts until its source ends it.
            let (body, source) = AsyncThrowingStream<Data, any Error>.makeStream()
            source.yield(Data((request.address.path == "/numbers" ? "1\n" : "data: 1\n\n").utf8))
            sources.note(source)
            return TransportResponse(status: 200, headers: ["Content-Type": "text/event-stream"], body: TransportBody(body))
        }
        client = Client(transport: stub, clock: clock)
        client.defaultHost = "https://example.com"
        client.configure("forum") { $0.maxConcurrentCalls = ConcurrencyLimit(1) }
    }

    private var request: Request { client.tag("forum").get("/a") }

    private func limiter() throws -> ConcurrencyLimiter { try #require(CallRun(request).tagState.concurrency) }

    @Test("a stream keeps its place while it is read", arguments: Terminal.allCases)
    func keepsPlace(terminal: Terminal) async throws {
        let limiter = try limiter()
        let load = Recorder<Int>()
        switch terminal {
        case .stream:
            for try await _ in request.stream() {
                load.note(limiter.load.running)
                break
            }
        case .lines:
            for try await _ in request.lines() {
                load.note(limiter.load.running)
                break
            }
        case .jsonLines:
            for try await _ in client.tag("forum").get("/numbers").lines(as: Int.self) {
                load.note(limiter.load.running)
                break
            }
        case .events:
            for try await _ in request.events() {
                load.note(limiter.load.running)
                break
            }
        }
        #expect(load.events == [1])
        await limiter.reached { $0.running == 0 }
        #expect(limiter.load == (0, 0))
    }

    @Test("the next call gets the place when the body has ended, and not before", arguments: Ending.allCases)
    func handsOver(ending: Ending) async throws {
        let limiter = try limiter()
        var answer: StreamedResponse? = try await request.id("first").deadline(.seconds(5)).stream().open()
        try #require(limiter.load == (1, 0))
        let second = Task { try await request.stream().open() }
        await limiter.reached { $0 == (1, 1) }
        #expect(stub.requests.count == 1)
        let source = try #require(sources.events.first)
        switch ending {
        case .read:
            source.finish()
            _ = try await answer?.collected()
        case .broken:
            source.finish(throwing: APIError(.connectionLost))
            let broken = answer
            await #expect(throws: APIError.self) { _ = try await broken?.collected() }
        case .leftLoop:
            if let answer { for try await _ in answer { break } }
        case .dropped: answer = nil
        case .cancelled: client.calls.cancel(id: "first")
        case .late: clock.advance(by: .seconds(5))
        }
        let next = try await second.value
        #expect(stub.requests.count == 2)
        #expect(limiter.load == (1, 0))
        // The first stream has no place to release any more.
        answer = nil
        await giveChances()
        #expect(limiter.load == (1, 0))
        sources.events.last?.finish()
        _ = try await next.collected()
        #expect(limiter.load == (0, 0))
    }

    @Test("a complete body keeps its place until it is read") func arrived() async throws {
        let limiter = try limiter()
        let answer = try await request.stream().open()
        sources.events.first?.finish()
        await giveChances()
        #expect(limiter.load == (1, 0))
        #expect(try await answer.collected().count == 1)
        #expect(limiter.load == (0, 0))
    }

    @Test(
        "a call that does not become a stream releases its place",
        arguments: ["refused", "replaced within", "replaced outside", "asked twice"])
    func noStream(what: String) async throws {
        let limiter = try limiter()
        let own: Interceptor.Body = { call, next in
            var response = try await next(call)
            response.body = Data("own".utf8)
            return response
        }
        switch what {
        case "refused":
            let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/missing").stream().open() }
            #expect(error?.status == 404)
        case "replaced within", "replaced outside":
            client.intercept("own", what == "replaced within" ? .after(.retry) : .before(.limits), with: own)
            #expect(try await request.stream().collected() == [Data("own".utf8)])
        default:
            client.intercept("twice", .before(.limits)) { call, next in
                _ = try await next(call)
                return try await next(call)
            }
            let answer = try await request.stream().open()
            #expect(limiter.load == (1, 0))
            sources.events.last?.finish()
            _ = try await answer.collected()
            #expect(stub.requests.count == 2)
        }
        await limiter.reached { $0.running == 0 }
        #expect(limiter.load == (0, 0))
    }

    @Test("a stream that is cancelled before its response releases its place", arguments: [true, false]) func cancelled(whileWaiting: Bool)
        async throws
    {
        let limiter = try limiter()
        let (gate, resolver) = Promise<Void>.pending()
        client.intercept("gate") { call, next in
            let response = try await next(call)
            try await gate.value
            return response
        }
        let first = Task { try await request.stream().open() }
        await stub.requestsReceived(1)
        if whileWaiting {
            let second = Task { try await request.stream().open() }
            await limiter.reached { $0.waiting == 1 }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            #expect(limiter.load == (1, 0))
        }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        resolver.fulfill(())
        await limiter.reached { $0.running == 0 }
        #expect(limiter.load == (0, 0))
    }
}
