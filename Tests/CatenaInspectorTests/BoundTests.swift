import Catena
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

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
}
