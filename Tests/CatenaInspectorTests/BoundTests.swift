import Catena
import CatenaPromise
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector
@testable import CatenaLoopback

@Suite("Limits of the inspector's memory", .limitedParallelism) struct BoundTests {
    @Test("beyond the limit of calls, the oldest are dropped and counted")
    func oldest() async throws {
        let probe = try Probe { $0.limits.calls = 10 }
        probe.stubs.get("/*").reply(data: 1)
        for number in 0..<25 { _ = try await probe.client.get("/\(number)").value() }
        let rows = try await probe.rows()
        #expect(rows.compactMap(\.path.string) == (15..<25).reversed().map { "/\($0)" })
        let count = probe.inspector.store.count
        #expect(count.total == 25)
        #expect(count.kept == 10)
        #expect(count.dropped == 15)
    }

    @Test("bodies are dropped before calls, the oldest first")
    func bodies() async throws {
        let probe = try Probe { $0.limits.bytes = 300_000 }
        probe.stubs.get("/*").reply(text: String(repeating: "a", count: 20_000))
        for number in 0..<40 { _ = try await probe.client.get("/\(number)").execute(.data).value }
        let count = probe.inspector.store.count
        #expect(count.kept == 40)
        #expect(count.bytes <= 300_000)
        #expect((25..<40).contains(count.bodiless), "\(count)")
        let rows = try await probe.rows()
        #expect(try await probe.detail(rows[0]).attempts[0].response.body.text.string?.count == 20_000)
        let old = try await probe.detail(rows[39]).attempts[0].response.body
        #expect(old.size.int == 20_000)
        #expect(old.hidden.string?.contains("room for newer ones") == true)
        #expect(rows[39].received.int == 20_000)
    }

    @Test("calls are dropped if they exceed the limit without bodies")
    func calls() async throws {
        let probe = try Probe { $0.limits.bytes = 20_000 }
        probe.stubs.get("/*").reply(data: 1)
        for number in 0..<40 { _ = try await probe.client.get("/\(number)").value() }
        let count = probe.inspector.store.count
        #expect(count.bytes <= 20_000)
        #expect((1..<40).contains(count.kept), "\(count)")
        #expect(try await probe.rows().count == count.kept)
    }

    @Test("a call that ends after it was dropped does not change the stored bytes")
    func outlived() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/slow") { _ in .text("done").held(by: gate) }
        server.get("/quick") { _ in .text("done") }
        let client = Client()
        client.configureDefaults { $0.host = server.url }
        let probe = try Probe(watching: client) { $0.limits.calls = 3 }
        let slow: Promise<String> = client.get("/slow").execute(.string)
        await gate.entered(1)
        for _ in 0..<5 { _ = try await client.get("/quick").execute(.string).value }
        let bytes = probe.inspector.store.count.bytes
        gate.open()
        _ = try await slow.value
        #expect(probe.inspector.store.count.bytes == bytes)
        #expect(probe.inspector.store.count.kept == 3)
    }

    @Test("5,000 concurrent calls are all counted, and an event for the page has at most 200")
    func many() async throws {
        let probe = try Probe()
        probe.stubs.get("/a").reply(data: 1)
        let (client, feed) = (probe.client, probe.inspector.feed)
        var events = probe.get("/api/events").events(reconnecting: .never).makeAsyncIterator()
        #expect(try await events.next()?.event == "effects")
        #expect(try await events.next()?.event == "calls")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { for _ in 0..<100 { _ = try? await client.get("/a").value() } }
            }
        }
        feed.tick()
        var total = 0
        while total < 5000, let event = try await events.next() {
            guard event.event == "calls" else { continue }
            let told = try JSON(parsing: Data(event.data.utf8))
            #expect((told.calls.array?.count ?? 0) <= 200)
            total = told.total.int ?? 0
        }
        #expect(total == 5000)
        #expect(try await probe.get("/api/calls?limit=200").value().more.bool == true)
    }

    @Test("of a call with very many attempts, the first and the last 20 are stored, and 200 of its spans and decisions")
    func attempts() async throws {
        let probe = try Probe()
        probe.stubs.get("/a").reply(.status(503))
        var policy = RetryPolicy.exponential(limit: 250)
        policy.budget = nil
        _ = await probe.client.get("/a").retry(policy).execute().catch { _ in }.result
        let contents = try #require(probe.inspector.store.calls().first).contents
        #expect(contents.attemptCount == 251)
        #expect(contents.attempts.map(\.number) == Array(1...20) + Array(232...251))
        #expect(contents.spans.count == 200)
        #expect(contents.decisions.count == 200)
    }

    @Test("a page that is too slow for an event receives all rows once it has caught up")
    func slowPage() async throws {
        let probe = try Probe()
        probe.stubs.get("/late").reply(data: 1)
        let feed = probe.inspector.feed
        let stream = try #require(feed.connect().stream)
        while await !stream.text().contains("event: calls") {}
        stream.send(Data(count: (4 << 20) - 1 - stream.waitingBytes))
        while stream.send(Data([0x0A])) {}
        _ = try await probe.client.get("/late").value()
        feed.tick()
        #expect(stream.waitingBytes == 4 << 20)
        _ = await stream.text()
        feed.tick()
        let text = stream.take(orElse: {}).map { String(decoding: $0, as: UTF8.self) }
        #expect(text?.contains("/late") == true)
    }

    @Test("the inspector serves at most 64 connections, and one that ends makes room")
    func connections() async throws {
        let probe = try Probe { $0.headTime = .seconds(1_000_000) }
        let server = probe.inspector.core.server
        var connections = try (0..<64).map { _ in try RawExchange.open(port: server.port) }
        let request = "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n\r\n"
        // The request may arrive after the connection was closed, which resets it.
        let refused = try? await RawExchange.run(port: server.port, request)
        #expect(refused == nil || refused == "")
        #expect(server.openConnections == 64)
        connections.removeLast()
        await server.connectionsClosed(1)
        #expect(try await RawExchange.run(port: server.port, request).hasPrefix("HTTP/1.1 200 "))
        withExtendedLifetime(connections) {}
    }
}

extension LoopbackStream {
    /// Waits for bytes, takes all of them, and returns them as text.
    fileprivate func text() async -> String {
        while true {
            let (hasMore, more) = AsyncStream.makeStream(of: Void.self)
            if let bytes = take(orElse: { more.finish() }) { return String(decoding: bytes, as: UTF8.self) }
            for await _ in hasMore {}
        }
    }
}
