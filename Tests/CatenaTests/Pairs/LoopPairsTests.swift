import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A page, a call of a poll and a connection of an event stream is a call each, and the loop is none.
@Suite("Loops of calls and other settings", .limitedParallelism)
struct LoopPairsTests {
    enum Loop: CaseIterable { case pages, poll, events }

    let stubs = Stubs()

    /// Responds to `/a` with two pages, with two values of a poll, or with two connections of an event stream, and to `/b` at once.
    private func client(_ loop: Loop, clock: VirtualClock? = nil, _ change: (inout Profile) -> Void = { _ in }) -> Client {
        let count = Counter()
        stubs.get("/a").reply { _ in
            count.increment()
            switch loop {
            case .pages: return .json(text: "{\"items\": [\(count.count)], \"total\": 2}")
            case .poll: return .reply(data: count.count)
            case .events: return count.count > 2 ? .status(204) : .text("data: 1\n\n", contentType: "text/event-stream")
            }
        }
        stubs.get("/b").reply(data: 7)
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum", change)
        return client
    }

    private func run(_ loop: Loop, _ request: Request) async throws {
        switch loop {
        case .pages: for try await _ in request.pages(of: Int.self) {}
        case .poll: _ = try await request.poll(every: .seconds(3), until: { (number: Int) in number >= 2 })
        case .events: for try await _ in request.events() {}
        }
    }

    @Test("each call of a loop takes a turn of the rate", arguments: Loop.allCases)
    func rate(loop: Loop) async throws {
        let client = client(loop) { $0.rateLimits = [RateLimit(1, per: .seconds(10))] }
        try await run(loop, client.tag("forum").get("/a"))
        #expect(stubs.clock.now >= .seconds(loop == .events ? 20 : 10))
    }

    @Test("a loop takes no place between two calls", arguments: Loop.allCases)
    func place(loop: Loop) async throws {
        let clock = VirtualClock()
        let client = client(loop, clock: clock) { $0.maxConcurrentCalls = ConcurrencyLimit(1, maxWaiting: 0) }
        let (request, other) = (client.tag("forum").get("/a"), client.tag("forum").get("/b"))
        guard loop != .pages else {
            for try await _ in request.pages(of: Int.self) { #expect(try await other.value(as: Int.self) == 7) }
            return
        }
        let task = Task { try await run(loop, request) }
        await clock.scheduled(.seconds(3))
        #expect(try await other.value(as: Int.self) == 7)
        task.cancel()
        _ = await task.result
    }

    @Test("a further page and a further connection are new calls, which are refused after a shutdown", arguments: [Loop.pages, .events])
    func shutdown(loop: Loop) async throws {
        let client = client(loop)
        let request = client.tag("forum").get("/a")
        let error = await #expect(throws: APIError.self) {
            switch loop {
            case .pages: for try await _ in request.pages(of: Int.self) { client.shutdown() }
            default: for try await _ in request.events() { client.shutdown() }
            }
        }
        #expect(error?.kind == .invalidRequest)
        #expect(stubs.requests.count == 1)
    }

    @Test("each page is a run for indicators, and a poll is one run with its waits", arguments: [Loop.pages, .poll]) @MainActor
    func loading(loop: Loop) async throws {
        let told = Recorder<Bool>()
        let request = client(loop).tag("forum").get("/a").loading { told.note($0) }
        try await run(loop, request)
        await mainQueueIsEmpty()
        #expect(told.events == (loop == .pages ? [true, false, true, false] : [true, false]))
    }

    @Test("cancelling the call of a page ends the loop")
    func cancelled() async throws {
        stubs.get("/a").query("page", 1).reply(.json(["items": [1], "total": 2]))
        stubs.get("/a").query("page", 2).reply(.unanswered)
        let client = Client(testing: stubs, clock: VirtualClock())
        let request = client.get("/a").id("list")
        let pages = Recorder<Int>()
        let task = Task { for try await page in request.pages(of: Int.self) { pages.note(page.items.count) } }
        let stubs = stubs
        await stubs.requestsReceived(2)
        client.calls.cancel(id: "list")
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(pages.events == [1])
    }
}
