import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("A transport of one's own and the call it sends for", .limitedParallelism)
struct TransferContextTests {
    @Test("it learns the tag and the number of the attempt")
    func call() async throws {
        let seen = Recorder<String>()
        // The first two attempts fail.
        let transport = ContextTransport { _, context in
            seen.note("\(context.tag?.name ?? "") \(context.attempt)")
            return TransportResponse(status: context.attempt < 3 ? 503 : 200, body: TransportBody(Data("\(context.attempt)".utf8)))
        }
        let client = Client(transport: transport, timers: VirtualClock(isAutomatic: true))
        client.configure("forum") {
            $0.host = "https://forum.example.com"
            $0.retry = .exponential(limit: 2)
        }
        #expect(try await client.tag("forum").get("/a").data() == Data("3".utf8))
        #expect(seen.events == ["forum 1", "forum 2", "forum 3"])
        #expect(TransferContext().tag == nil && TransferContext().attempt == 1)
    }

    /// A way to receive a response, and a reply that keeps it waiting.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reply: StubReply
        var isStreamed = false
    }

    static let rows = [
        Row(testDescription: "a response that does not come", reply: .unanswered),
        Row(testDescription: "a head that does not come, of a stream", reply: .unanswered, isStreamed: true),
        Row(testDescription: "a body that stands still", reply: .text("abcdef").stalled(after: 3)),
        Row(testDescription: "a response that is late", reply: .text("a").delayed(by: .seconds(60))),
    ]

    @Test("around another one, a time limit and a cancellation end the transfer at once", arguments: rows, [true, false])
    func wrapped(row: Row, isCancelled: Bool) async throws {
        let (stubs, clock) = (Stubs(), VirtualClock())
        stubs.get("/a").reply(row.reply)
        let client = Client(transport: ContextTransport { try await stubs.send($0, in: $1) }, timers: clock)
        let request = client.host("https://forum.example.com").get("/a").timeout(.seconds(5))
        let call = Task {
            if row.isStreamed { for try await _ in request.stream() {} } else { _ = try await request.data() }
        }
        // The time limit, and what the stub waits for.
        await clock.delays { $0.contains(.seconds(5)) && $0.count > 1 }
        if isCancelled { client.calls.cancelAll() } else { clock.advance(by: .seconds(5)) }
        let error = await #expect(throws: (any Error).self) { try await call.value }
        #expect(isCancelled ? error is CancellationError : (error as? APIError)?.kind == .timeout)
    }

    @Test("a transport that waits after the inner one, or sends twice, is ended with all that it has begun", arguments: [1, 2])
    func busy(copies: Int) async throws {
        let (stubs, clock, ends) = (Stubs(), VirtualClock(), Counter())
        stubs.get("/a").reply { _ in copies == 1 ? .text("a") : .unanswered }
        let client = Client(
            transport: ContextTransport { request, context in
                defer { ends.increment() }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<copies { group.addTask { _ = try await stubs.send(request, in: context) } }
                    try await group.waitForAll()
                }
                try await clock.sleep(for: .seconds(600))
                return TransportResponse(status: 200)
            }, timers: clock)
        let call = Task { try await client.host("https://forum.example.com").get("/a").timeout(.seconds(5)).data() }
        await clock.delays { $0.contains(.seconds(5)) && $0.count > copies }
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout)
        await ends.reached(1)
    }

    @Test("over one that wraps libcurl, a long body is refused and a time limit ends a silent server's call", .needsEngine)
    func wrappedCurl() async throws {
        let server = try LoopbackServer()
        server.get("/long") { _ in .text(String(repeating: "a", count: 70_000)) }
        server.get("/silent") { _ in .unanswered }
        let curl = try CurlTransport()
        let client = Client(transport: ContextTransport { try await curl.send($0, in: $1) })
        client.configureDefaults { $0.bodyLimit = 1_000 }
        let long = await #expect(throws: APIError.self) { try await client.host(server.url).get("/long").data() }
        #expect(long?.kind == .bodyTooLarge)
        let silent = await #expect(throws: APIError.self) {
            try await client.host(server.url).get("/silent").timeout(.milliseconds(200)).data()
        }
        #expect(silent?.kind == .timeout)
    }
}
