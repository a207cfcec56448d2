import Catena
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("Progress of a call", .limitedParallelism) struct ProgressTests {
    @Test("the row of a running download has the received and the expected bytes", arguments: [false, true])
    func download(isFollowed: Bool) async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/data") { _ in .body(Data(repeating: 0x61, count: 300_000), contentType: "text/plain").stalled(after: 100_000, by: gate)
        }
        let probe = try Probe(watching: Client())
        let request = probe.client.host(server.url).get("/data")
        let call: Promise<String> = isFollowed ? request.onProgress(.download) { _ in }.execute(.string) : request.execute(.string)
        await gate.entered(1)
        let row = try await probe.row { ($0.received.int ?? 0) >= 90_000 }
        #expect(row.state.string == "running")
        #expect(row.expected.int == 300_000)
        gate.open()
        #expect(try await call.value.count == 300_000)
        let over = try await probe.row { $0.state.string == "succeeded" }
        #expect(over.received.int == 300_000)
        #expect(over.expected.isNull)
        let detail = try await probe.detail(over)
        #expect(detail.attempts[0].response.body.size.int == 300_000)
        #expect(detail.attempts[0].response.body.hidden.isNull)
    }

    @Test("the row of a running upload has the sent bytes", arguments: [false, true])
    func upload(isFollowed: Bool) async throws {
        let server = try LoopbackServer()
        server.post("/data") { _ in .unanswered }
        let probe = try Probe(watching: Client())
        let request = probe.client.host(server.url).post("/data").body(Data(repeating: 0x61, count: 300_000), contentType: "text/plain")
        let call: Promise<Void> = isFollowed ? request.onProgress(.upload) { _ in }.execute(.void) : request.execute(.void)
        await server.requestsReceived(1)
        let row = try await probe.row { $0.uploaded.int == 300_000 }
        #expect(row.state.string == "running")
        #expect(row.sent.int == 300_000)
        call.cancel()
        _ = await call.result
        #expect(try await probe.row { $0.state.string == "cancelled" }.uploaded.isNull)
    }
}

extension Probe {
    /// Waits for an event with a row that meets the condition, and returns the row.
    fileprivate func row(_ isWanted: (JSON) -> Bool) async throws -> JSON {
        for try await event in get("/api/events").events(reconnecting: .never) where event.event == "calls" {
            for row in try JSON(parsing: Data(event.data.utf8)).calls.array ?? [] where isWanted(row) { return row }
        }
        return try await row()
    }
}
