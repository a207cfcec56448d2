import Catena
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("Calls that the inspector repeats", .limitedParallelism) struct RepeatTests {
    private func lines(_ headers: HTTPHeaders) -> [String] { headers.fields.map { "\($0.name): \($0.value)" }.sorted() }

    /// Repeats a call, and waits until the repeated one has ended.
    private func again(_ row: JSON, _ probe: Probe) async throws {
        try await probe.post("/api/calls/\(row.id.int ?? 0)/again").execute(.void).value
        await probe.client.waitUntilIdle()
    }

    @Test(
        "a repeated call has the address, the headers and the body of the original one, whatever the tag and the common closures add",
        arguments: [CommonParams.query, .merged])
    func same(placement: CommonParams) async throws {
        let probe = try Probe()
        probe.client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            forum.headers = ["X-Tag": "forum", "X-Removed": "forum"]
            forum.params = ["lang": "en"]
            forum.commonParams = placement
        }
        probe.client.commonHeaders { _ in ["Authorization": "Bearer made-up", "X-App": "ios"] }
        probe.client.commonParams { _ in ["v": "3"] }
        probe.stubs.on(nil, "/**").reply(data: 1)
        try await probe.client.tag("forum").post("/rooms").params(["name": "lobby"]).header("X-App", adding: "test").header(
            "X-Removed", nil
        )
        .execute(.void).value
        // The closures have other values by the time of the repetition.
        probe.client.commonHeaders { _ in ["Authorization": "Bearer other", "X-New": "1"] }
        probe.client.commonParams { _ in ["w": "4"] }
        try await again(probe.row(), probe)
        let calls = probe.stubs.requests.compactMap(\.sent)
        try #require(calls.count == 2)
        #expect(calls[1].method == calls[0].method)
        #expect(calls[1].url == calls[0].url)
        #expect(lines(calls[1].headers) == lines(calls[0].headers))
        #expect(calls[1].body == calls[0].body)
    }

    @Test("every repetition of a call is sent, although the tag has a cache and shares responses")
    func cache() async throws {
        let probe = try Probe()
        probe.client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            forum.cache = .memory(limit: 100_000)
            forum.cachePolicy = .expire(.seconds(60))
            forum.dedupe = true
        }
        probe.stubs.get("/a").reply(data: 1)
        try await probe.client.tag("forum").get("/a").execute(.void).value
        let row = try await probe.row()
        for _ in 0..<2 { try await again(row, probe) }
        #expect(probe.stubs.requests.count == 3)
        #expect(try await probe.rows().map(\.source.string) == ["stub", "stub", "stub"])
    }

    @Test(
        "a call is not repeated if the tag would transform its body a second time", arguments: [("reversed", false), ("unchanged", true)])
    func transformed(name: String, isRepeated: Bool) async throws {
        let probe = try Probe()
        probe.client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            forum.transformBody = { body, type in (isRepeated ? body : Data(body.reversed()), type) }
        }
        probe.stubs.post("/rooms").reply(data: 1)
        try await probe.client.tag("forum").post("/rooms").json(["name": "lobby"]).execute(.void).value
        let row = try await probe.row()
        let answer = await probe.post("/api/calls/\(row.id.int ?? 0)/again").execute().result
        await probe.client.waitUntilIdle()
        #expect(probe.stubs.requests.count == (isRepeated ? 2 : 1))
        guard case .failure(let error as APIError) = answer else { return #expect(isRepeated) }
        #expect(error.status == 409)
        #expect(String(decoding: error.body ?? Data(), as: UTF8.self).contains("transformBody"))
    }
}
