import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Streams and downloads that stall after their head.
@Suite(.limitedParallelism) struct IdleLimitTests {
    let clock = VirtualClock()

    /// Returns a response that sends its head and then stalls.
    static func stalled(type: String = "text/plain") -> TransportResponse {
        TransportResponse(status: 200, headers: ["Content-Type": type], body: TransportBody(AsyncStream<Data> { _ in }))
    }

    func client(_ answer: @escaping @Sendable (Int) -> TransportResponse) -> Client {
        let count = Counter()
        let client = Client(
            transport: ClosureTransport { _ in
                count.increment()
                return answer(count.count)
            }, clock: clock)
        client.configureDefaults {
            $0.host = "https://example.com"
            $0.timeout = .seconds(7)
        }
        return client
    }

    @Test("a stream or a download that stalls ends after a minute", arguments: ["stream", "lines", "download"])
    func usual(what: String) async throws {
        let client = client { _ in Self.stalled() }
        let folder = try ScratchFolder()
        let call = Task {
            switch what {
            case "stream": for try await _ in client.get("/a").stream() {}
            case "lines": for try await _ in client.get("/a").lines() {}
            default: _ = try await client.get("/a").execute(.download(to: folder.file("a"))).value
            }
        }
        await clock.scheduled(.seconds(60))
        clock.advance(by: .seconds(60))
        let result = await call.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(error?.kind == .timeout)
    }

    @Test("an idleTimeout of the call or of its tag replaces the minute", arguments: [true, false])
    func own(isOfTag: Bool) async throws {
        let reading = Counter()
        let client = client { _ in
            let body = AsyncStream<Data> {
                reading.increment()
                await untilCancelled()
                return nil
            }
            return TransportResponse(status: 200, headers: ["Content-Type": "text/plain"], body: TransportBody(body))
        }
        if isOfTag { client.configureDefaults { $0.idleTimeout = .seconds(3) } }
        let request = isOfTag ? client.get("/a") : client.get("/a").set(\.idleTimeout, .seconds(3))
        let call = Task { for try await _ in request.stream() {} }
        await reading.reached(1)
        await clock.scheduled(.seconds(3))
        #expect(!clock.delays.contains(.seconds(60)))
        // The timer that was seen may be that of the head, which ends when the body begins. The body's own timer then needs another advance.
        var isOver = false
        while !isOver {
            clock.advance(by: .seconds(3))
            let ended = Promise<Bool> {
                _ = await call.result
                return true
            }
            let waits = Promise<Bool> { [clock] in
                await clock.scheduled(.seconds(3))
                return false
            }
            isOver = try await Promise<Bool>.race([ended, waits]).value
        }
        let result = await call.result
        let error = #expect(throws: APIError.self) { try result.get() }
        #expect(error?.message.contains("3.0 seconds") == true, "\(error?.message ?? "")")
    }

    @Test("a reader that takes more than a minute for a piece loses no bytes") func slowReader() async throws {
        let client = client { _ in .pieces(["a", "b"]) }
        var text = ""
        for try await piece in client.get("/a").stream() {
            text += String(decoding: piece, as: UTF8.self)
            clock.advance(by: .seconds(600))
        }
        #expect(text == "ab")
    }

    @Test("a silent event stream connects again each time") func events() async throws {
        let client = client { attempt in attempt < 7 ? Self.stalled(type: "text/event-stream") : .status(204) }
        let events = Task { try await client.get("/a").events().collected() }
        for _ in 1..<7 {
            await clock.scheduled(.seconds(60))
            clock.advance(by: .seconds(60))
            await clock.scheduled(.seconds(3))
            clock.advance(by: .seconds(3))
        }
        #expect(try await events.value.isEmpty)
    }

    @Test("a silent event stream connects again, within the deadline of the stream") func eventsWithDeadline()
        async throws
    {
        let client = client { attempt in attempt < 3 ? Self.stalled(type: "text/event-stream") : .status(204) }
        let events = Task { try await client.get("/a").deadline(.seconds(90)).events().collected() }
        await clock.scheduled(.seconds(60))
        clock.advance(by: .seconds(60))
        await clock.scheduled(.seconds(3))
        clock.advance(by: .seconds(3))
        await clock.scheduled(.seconds(27))
        clock.advance(by: .seconds(27))
        #expect(await events.result.apiError?.kind == .timeout)
    }
}
