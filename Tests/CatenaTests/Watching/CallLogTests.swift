import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Logs and recordings of calls", .limitedParallelism)
struct CallLogTests {
    let stubs = Stubs()
    let lines = Recorder<String>()

    private func client(_ detail: LogDetail = .oneLine, clock: VirtualClock? = nil) -> Client {
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum") { _ in }
        client.log(detail, to: LogSink { [lines] in lines.note($0) })
        return client
    }

    @Test("a log has a line for each attempt, without secrets")
    func attempts() async throws {
        stubs.get("/a").sequence(.status(503).delayed(by: .milliseconds(40)), .status(401), .reply(data: 7))
        let client = client()
        let authentication = Authentication(CountingScheme(), store: MemoryCredentialStore(.first))
        client.configure("forum") { $0.authentication = authentication }
        try await client.tag("forum").get("/a").params(["token": "made-up", "q": 1]).retry(.exponential(limit: 1)).execute(.void).value
        await lines.reached(3)
        #expect(
            lines.events == [
                "GET https://stubs.test/a?token=***&q=1 → 503, status 503 in 40.0 ms [forum]",
                "GET https://stubs.test/a?token=***&q=1 → 401, status 401 in 0.0 ms (attempt 2) [forum]",
                "GET https://stubs.test/a?token=***&q=1 → 200, 22 bytes in 0.0 ms (attempt 3) [forum]",
            ])
    }

    @Test("a log also has a line for a call that is not sent: rejected, from the cache or invalid")
    func unsent() async throws {
        stubs.get("/a").reply(.reply(data: 7).header("Cache-Control", "max-age=60"))
        let client = client()
        client.configure("forum") { forum in
            forum.cache = .memory(limit: 10000)
            forum.rateLimits = [RateLimit(1, per: .seconds(1000))]
        }
        try await client.tag("forum").get("/a").execute(.void).value
        try await client.tag("forum").get("/a").execute(.void).value
        _ = await client.tag("forum").get("/b").execute(.void).result
        _ = await client.tag("forum").host("no host").get("/b").execute(.void).result
        await lines.reached(4)
        #expect(lines.events[1].hasPrefix("GET https://stubs.test/a → 200, 22 bytes in 0.0 ms from the cache"))
        #expect(lines.events[2].hasPrefix("GET https://stubs.test/b → rateLimited"))
        #expect(lines.events[3].hasPrefix("invalidRequest -1000 host: "))
    }

    @Test("a log has a line for a cancelled attempt")
    func cancelled() async {
        stubs.get("/a").reply(.unanswered)
        // The clock stands still, so that no timeout ends the attempt before it is cancelled.
        let call: Promise<Void> = client(clock: VirtualClock()).get("/a").execute(.void)
        let stubs = stubs
        await stubs.requestsReceived(1)
        call.cancel()
        await lines.reached(1)
        #expect(lines.events.first?.contains("cancelled") == true, "\(lines.events)")
    }

    @Test("a verbose log has headers and bodies, without secrets")
    func verbose() async throws {
        stubs.post("/a").reply(.reply(data: 7).header("Set-Cookie", "sid=made-up"))
        try await client(.verbose).post("/a").json(["password": "made-up"]).execute(.void).value
        await lines.reached(1)
        let text = try #require(lines.events.first)
        #expect(text.contains("\n  > {\"password\":\"***\"}"))
        #expect(text.contains("\n  < Set-Cookie: ***"))
        #expect(!text.contains("made-up"))
    }

    @Test("a log has a line for a refresh in the background")
    func renewals() async throws {
        stubs.get("/a").reply(.reply(data: 7).header("Cache-Control", "max-age=0, stale-while-revalidate=30"))
        let client = client()
        client.configureDefaults { $0.cache = .memory(limit: 10000) }
        try await client.get("/a").execute(.void).value
        try await client.get("/a").execute(.void).value
        await lines.reached(3)
        #expect(stubs.requests.count == 2)
    }
}
