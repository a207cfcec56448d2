import Catena
import CatenaTesting
import Testing

@Suite("Entries of a structured log", .limitedParallelism)
struct LogEntryTests {
    @Test("an entry has the parts of its line as values")
    func parts() async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        let (entries, sink) = AsyncStream<LogEntry>.makeStream()
        client.configure("forum") { $0.host = "https://forum.test" }
        client.log(to: .entries { sink.yield($0) })
        stubs.get("/a").sequence(.status(503), .connectionLost, .reply(data: 1))
        let call = client.tag("forum").get("/a").query(["token": "made-up"]).retry(.exponential(limit: 2))
        try await call.execute(.void).value
        _ = await client.get("/a").header("X-A", "a\nb").execute(.void).result
        var found: [LogEntry] = []
        for await entry in entries.prefix(4) { found.append(entry) }
        #expect(found[0].text.hasPrefix("GET https://forum.test/a?token=*** → 503"))
        #expect(Set(found.prefix(3).map(\.callID)).count == 1)
        #expect(found[0].callID != nil && found[3].callID != nil && found[0].callID != found[3].callID)
        #expect(found.map(\.tag) == ["forum", "forum", "forum", nil])
        #expect(found.map(\.method) == [.get, .get, .get, nil])
        #expect(found.map(\.status) == [503, nil, 200, nil])
        #expect(found.map(\.attempt) == [1, 2, 3, nil])
        #expect(found.map(\.failure) == [.status, .connectionLost, nil, .invalidRequest])
        #expect(found[2].source == .stub)
    }

    @TaskLocal private static var caller: String?

    @Test("a sink captures its value in the caller's task, however the call is made")
    func captured() async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        let (entries, sink) = AsyncStream<String?>.makeStream()
        client.log(to: .entries(capturing: { Self.caller }) { _, caller in sink.yield(caller) })
        stubs.get("/a").reply(data: 1)
        let request = client.host("https://forum.test").get("/a")
        try await Self.$caller.withValue("awaited") { _ = try await request.value(as: Int.self) }
        _ = try await Self.$caller.withValue("promised") { request.execute(as: Int.self) }.value
        try await Self.$caller.withValue("limited") { request.deadline(.seconds(5)).retry(.exponential(limit: 1)).execute(.void) }.value
        _ = await Self.$caller.withValue("unbuilt") { request.header("X-A", "a\nb").execute(.void) }.result
        let cancelled = Self.$caller.withValue("cancelled") {
            request.before { try await Promise<Void>.pending().promise.value }.execute(.void)
        }
        cancelled.cancel()
        try await request.execute(.void).value
        // The entry of the cancelled call has no fixed place, because its own task logs it.
        var found: Set<String?> = []
        for await caller in entries.prefix(6) { found.insert(caller) }
        #expect(found == ["awaited", "promised", "limited", "unbuilt", "cancelled", nil])
    }
}
