import Catena
import CatenaArchive
import CatenaTesting
import Foundation
import Testing

@Suite("HAR recorders", .limitedParallelism)
struct HARRecorderTests {
    private let stubs = Stubs()

    @Test("an archive has every attempt without secrets, and only the newest ones above its limit")
    func archive() async throws {
        stubs.get("/a").sequence(.status(503), .reply(data: 7))
        stubs.get("/b").reply(data: 8)
        let client = Client(testing: stubs)
        let recorder = HARRecorder(limit: 2)
        client.record(into: recorder)
        try await client.get("/a").header("Authorization", "Bearer made-up").retry(.exponential(limit: 1)).execute(.void).value
        let first = try JSON(parsing: try await recorder.archive())
        #expect(first.log.version.string == "1.2")
        #expect(first.log.entries.array?.map { $0.response.status.int } == [503, 200])
        #expect(!"\(first)".contains("made-up"))
        for _ in 0..<4 { try await client.get("/b").execute(.void).value }
        let later = try JSON(parsing: try await recorder.archive())
        #expect(later.log.entries.array?.map { $0.request.url.string } == ["https://stubs.test/b", "https://stubs.test/b"])
        recorder.clear()
        #expect(try JSON(parsing: try await recorder.archive()).log.entries.array?.isEmpty == true)
    }

    @Test("a recorder has any limit, and the largest one keeps every attempt", arguments: [(0, 1), (2, 2), (Int.max, 3)])
    func limits(limit: Int, kept: Int) async throws {
        stubs.get("/a").reply(data: 1)
        let client = Client(testing: stubs)
        let recorder = HARRecorder(limit: limit)
        client.record(into: recorder)
        for _ in 0..<3 { try await client.get("/a").execute(.void).value }
        await client.waitUntilIdle()
        #expect(try await entries(recorder) == kept)
    }

    private func entries(_ recorder: HARRecorder) async throws -> Int {
        try JSON(parsing: await recorder.archive()).log.entries.array?.count ?? 0
    }

    @Test("a recorder records each call once, however often it is added, and none after its end")
    func registrations() async throws {
        stubs.get("/a").reply(data: 1)
        let client = Client(testing: stubs)
        let (recorder, other) = (HARRecorder(), HARRecorder())
        client.record(into: recorder)
        client.record(into: other)
        let recording = client.record(into: recorder)
        try await client.get("/a").execute(.void).value
        await client.waitUntilIdle()
        #expect(try await entries(recorder) == 1)
        recording.end()
        try await client.get("/a").execute(.void).value
        await client.waitUntilIdle()
        #expect(try await entries(recorder) == 1)
        #expect(try await entries(other) == 2)
    }
}
