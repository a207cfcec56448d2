import Catena
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("Recording while no page is open", .limitedParallelism) struct AttentionTests {
    @Test("failed calls are stored without a page, with request and response")
    func failures() async throws {
        let probe = try Probe { $0.linger = .zero }
        probe.stubs.get("/good").reply(data: 1)
        probe.stubs.post("/bad").reply(code: 7, message: "no", status: 409)
        _ = try await probe.client.get("/good").value()
        _ = await probe.client.post("/bad").json(["a": 1]).execute().catch { _ in }.result
        let rows = try await probe.rows()
        #expect(rows.map(\.path.string) == ["/bad"])
        #expect(rows[0].status.int == 409)
        #expect(rows[0].code.string == "7")
        let detail = try await probe.detail(rows[0])
        #expect(detail.attempts[0].request.body.text.string == #"{"a":1}"#)
        #expect(detail.attempts[0].response.body.text.string?.contains("\"no\"") == true)
        #expect(detail.decisions[0].string?.contains("no page was open") == true)
        #expect(detail.error.kind.string == "status")
    }

    @Test("without a page the newest failures are stored, and the others are counted")
    func bounded() async throws {
        let probe = try Probe {
            $0.linger = .zero
            $0.limits.unseenCalls = 3
        }
        probe.stubs.get("/*").reply(status: 500)
        for number in 0..<5 { _ = await probe.client.get("/\(number)").execute().catch { _ in }.result }
        #expect(try await probe.rows().map(\.path.string) == ["/4", "/3", "/2"])
        #expect(probe.inspector.store.count.dropped == 2)
        try await probe.post("/api/clear").execute(.void).value
        #expect(try await probe.rows().isEmpty)
        #expect(probe.inspector.store.count == CallStore.Count())
    }

    @Test("without a page the bodies of failures stay within their limit")
    func bytes() async throws {
        let probe = try Probe {
            $0.linger = .zero
            $0.limits.unseenBytes = 25_000
        }
        probe.stubs.post("/*").reply(status: 500)
        let body = Data(repeating: 0x61, count: 10_000)
        for number in 0..<4 {
            _ = await probe.client.post("/\(number)").body(body, contentType: "text/plain").execute().catch { _ in }.result
        }
        #expect(try await probe.rows().map(\.path.string) == ["/3", "/2"])
    }

    @Test("for some time after the start, and after a page is closed, all calls are recorded")
    func lingering() async throws {
        let clock = VirtualClock()
        let probe = try Probe { ($0.linger, $0.clock) = (.seconds(10), clock) }
        probe.stubs.get("/*").reply(data: 1)
        _ = try await probe.client.get("/early").value()
        clock.advance(by: .seconds(11))
        _ = try await probe.client.get("/late").value()
        #expect(try await probe.rows().map(\.path.string) == ["/early"])

        var page: EventStream.AsyncIterator? = probe.get("/api/events").events(reconnecting: .never).makeAsyncIterator()
        _ = try await page?.next()
        _ = try await page?.next()
        clock.advance(by: .seconds(11))
        _ = try await probe.client.get("/seen").value()
        #expect(try await probe.rows().map(\.path.string) == ["/seen", "/early"])
        page = nil
    }

    @Test("an inspector without a page does not affect another one with a page")
    func two() async throws {
        let first = try Probe()
        let second = try Probe(watching: first.client) { $0.linger = .zero }
        first.stubs.get("/*").reply(status: 500)
        _ = await first.client.get("/a").execute().catch { _ in }.result
        #expect(try await first.rows().count == 1)
        #expect(try await second.rows().count == 1)
        second.inspector.stop()
        _ = await first.client.get("/b").execute().catch { _ in }.result
        #expect(try await first.rows().count == 2)
    }
}
