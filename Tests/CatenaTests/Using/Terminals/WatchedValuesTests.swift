import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Values that change while a loop shows them", .limitedParallelism)
struct WatchedValuesTests {
    private let bench: ValuesBench

    init(cache: ResponseCache? = .memory(limit: 1_000_000)) {
        bench = ValuesBench(cache: cache)
        bench.stubs.post("/change").reply(data: true)
    }

    private func change(to number: Int? = nil, _ path: Path = "/a") async throws {
        if let number { bench.server.set { $0.number = number } }
        try await bench.client.post("/change").set(\.invalidates, [path]).void()
    }

    @Test("a loop asks the server again for what was changed while it ran, and ends with the new value", arguments: [true, false])
    func during(hasCache: Bool) async throws {
        let suite = hasCache ? self : WatchedValuesTests(cache: nil)
        var shown: [Int] = []
        for try await number in suite.bench.client.get("/a").values(of: Int.self) {
            shown.append(number)
            if number < 3 { try await suite.change(to: number + 1) }
        }
        #expect(shown == [1, 2, 3])
    }

    @Test("a loop whose value was not changed ends as before")
    func unchanged() async throws {
        var shown: [Int] = []
        for try await number in bench.client.get("/a").values(of: Int.self) {
            shown.append(number)
            try await change(to: 2, "/b/*")
        }
        #expect(shown == [1])
    }

    @Test("a change while the cached value is shown is seen, although the server's value was asked for before")
    func whileCached() async throws {
        try await bench.fill()
        bench.server.set { $0.number = 2 }
        var values = bench.client.get("/a").values(of: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 1)
        await bench.stubs.requestsReceived(2)
        try await change(to: 3)
        var shown: [Int] = []
        while let number = try await values.next() { shown.append(number) }
        // The first request may have met the former number or the new one.
        #expect(shown == [2, 3] || shown == [3])
        #expect(bench.stubs.requests.count == 4)
    }

    @Test("a watching loop continues after the server's value, with each new one, and gives no value twice")
    func watching() async throws {
        let shown = Recorder<Int>()
        let loop = Task { [bench] in
            for try await number in bench.client.get("/a").values(of: Int.self).watching() { shown.note(number) }
        }
        await shown.reached(1)
        // Between two changes, no call is active, and the client is idle.
        await bench.client.waitUntilIdle()
        try await change(to: 2)
        await shown.reached(2)
        // An unchanged value is not given again.
        try await change()
        await bench.stubs.requestsReceived(5)
        await bench.client.waitUntilIdle()
        try await change(to: 3)
        await shown.reached(3)
        await bench.client.waitUntilIdle()
        try await change(to: 4, "/other")
        #expect(bench.stubs.requests.count == 8)
        loop.cancel()
        await #expect(throws: CancellationError.self) { try await loop.value }
        #expect(shown.events == [1, 2, 3])
    }

    @Test("a failed call of a watching loop is reported, and the loop waits for the next change")
    func failing() async throws {
        let (shown, events) = (Recorder<Int>(), Counter())
        bench.client.onDiagnostic { if $0.kind == .unrefreshedValue { events.increment() } }
        let loop = Task { [bench] in
            for try await number in bench.client.get("/a").values(of: Int.self).watching() { shown.note(number) }
        }
        await shown.reached(1)
        await bench.client.waitUntilIdle()
        bench.server.set { $0.failure = .status(503) }
        try await change(to: 2)
        await events.reached(1)
        bench.server.set { $0.failure = nil }
        await bench.client.waitUntilIdle()
        try await change()
        await shown.reached(2)
        loop.cancel()
        _ = await loop.result
        #expect(shown.events == [1, 2])
    }

    @Test("the first failure without a value ends a watching loop")
    func failingFirst() async throws {
        bench.server.set { $0.failure = .status(503) }
        await #expect(throws: APIError.self) { for try await _ in bench.client.get("/a").values(of: Int.self).watching() {} }
    }

    @Test("a watching loop asks nothing for another user, and ends after a sign-out")
    func signedOut() async throws {
        let authentication = Authentication(CountingScheme(), store: MemoryCredentialStore(.first))
        bench.client.configureDefaults { $0.authentication = authentication }
        let shown = Recorder<Int>()
        let loop = Task { [bench] in
            for try await number in bench.client.get("/a").values(of: Int.self).watching() { shown.note(number) }
        }
        await shown.reached(1)
        await bench.client.waitUntilIdle()
        try authentication.signOut()
        let calls = bench.stubs.requests.count
        bench.server.set { $0.number = 2 }
        try await bench.client.post("/change").authenticated(false).set(\.invalidates, ["/a"]).void()
        try await loop.value
        #expect(shown.events == [1])
        #expect(bench.stubs.requests.count == calls + 1)
    }

    @Test("leaving a watching loop between two values leaves nothing behind")
    func left() async throws {
        for try await _ in bench.client.get("/a").values(of: Int.self).watching() { break }
        try await change(to: 2)
        #expect(bench.stubs.requests.count == 2)
    }
}
