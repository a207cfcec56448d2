import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite(.limitedParallelism) struct CallEventTests {
    /// Records the events of a client's calls as texts.
    final class Listener: Sendable {
        private let words = Mutex<[String]>([])
        let isOver: Promise<Void>
        private let over: Resolver<Void>

        init() {
            (isOver, over) = Promise<Void>.pending()
        }

        func hear(_ event: CallEvent) {
            let word =
                switch event.kind {
                case .started: "started \(event.request?.method.name ?? "")"
                case .attempt: "attempt \(event.attempt)"
                case .failed(let error): "failed with \((error as? APIError)?.status ?? 0)"
                case .answered(let response): "answered \(response.status)"
                case .retrying(let wait, let error): "retrying after \(wait) because of \(error.status ?? 0)"
                case .finished(.success(let response)): "finished with \(response.status)"
                case .finished(.failure(let error)): "finished with \((error as? APIError)?.kind.name ?? "cancellation")"
                }
            words.withLock { $0.append(word) }
            if case .finished = event.kind { over.fulfill(()) }
        }

        var heard: [String] { words.withLock { $0 } }
    }

    @Test("observers receive every event of a call, in order") func points() async throws {
        let clock = VirtualClock()
        let count = Counter()
        let client = Client(
            transport: ClosureTransport { _ in
                count.increment()
                return count.count == 1 ? .status(503) : .json("1")
            }, clock: clock)
        let listener = Listener()
        client.observe(listener.hear)
        let call = client.host("https://example.com").get("/a").retry(.exponential(limit: 1, baseDelay: .seconds(2))).execute(as: Int.self)
        await clock.scheduled(.seconds(2))
        clock.advance(by: .seconds(2))
        #expect(try await call.value == 1)
        try await listener.isOver.value
        #expect(
            listener.heard == [
                "started GET", "attempt 1", "failed with 503", "retrying after 2.0 seconds because of 503", "attempt 2", "answered 200",
                "finished with 200",
            ])
    }

    @Test("observers also receive the end of a call whose request is invalid") func invalid() async throws {
        let client = Client(transport: ClosureTransport { _ in .json("1") })
        let listener = Listener()
        client.observe(listener.hear)
        await #expect(throws: APIError.self) { try await client.get("/a").value() }
        try await listener.isOver.value
        #expect(listener.heard == ["finished with invalidRequest"])
    }

    @Test(
        "observers also receive the end of a call that is cancelled before it begins",
        arguments: ["cancelled", "group gone", "task cancelled"])
    func cancelledAtOnce(way: String) async throws {
        let client = Client(transport: ClosureTransport { _ in throw APIError(.offline) })
        client.defaultHost = "https://example.com"
        let listener = Listener()
        client.observe(listener.hear)
        switch way {
        case "cancelled":
            // The call may have begun by then, but it ends only once.
            client.get("/a").before { await untilCancelled() }.execute().cancel()
        case "group gone": _ = client.get("/a").group(CallGroup()).execute()
        default:
            let task = Task {
                await untilCancelled()
                return try await client.get("/a").value()
            }
            task.cancel()
            _ = await task.result
        }
        try await listener.isOver.value
        #expect(listener.heard.filter { $0.hasPrefix("finished") } == ["finished with cancellation"])
    }

    @Test("an observer that blocks does not delay a call") func blocking() async throws {
        let client = Client(transport: ClosureTransport { _ in .json("1") })
        client.defaultHost = "https://example.com"
        let gate = DispatchSemaphore(value: 0)
        client.observe { _ in gate.wait() }
        #expect(try await client.get("/a").value(as: Int.self) == 1)
        for _ in 0..<10 { gate.signal() }
    }
}
