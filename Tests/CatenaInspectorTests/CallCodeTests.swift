import Catena
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("Generated Swift calls", .limitedParallelism) struct CallCodeTests {
    /// A call, its generated code, and the same code as a closure.
    struct Row: Sendable {
        let original: @Sendable (Request) -> Request
        let lines: [String]
        let copied: @Sendable (Request) -> Request
    }

    static let form = "application/x-www-form-urlencoded"

    static let rows: [Row] = [
        Row(
            original: { $0.get("/rooms").query(["ids": [1, 2], "page": 3]) },
            lines: [#".get("/rooms")"#, #".query(["ids": ["1", "2"], "page": "3"])"#],
            copied: { $0.get("/rooms").query(["ids": ["1", "2"], "page": "3"]) }),
        Row(
            original: { $0.get("/rooms").query(["ids": [1, 2]]).encoding { $0.arrays = .repeat } },
            lines: [#".get("/rooms?ids=1&ids=2")"#], copied: { $0.get("/rooms?ids=1&ids=2") }),
        Row(
            original: { $0.method("PURGE").path("/rooms?flag&page=1") },
            lines: [#".method("PURGE").path("/rooms?flag&page=1")"#], copied: { $0.method("PURGE").path("/rooms?flag&page=1") }),
        Row(
            original: { $0.post("/rooms").form(["ids": [1, 2], "name": "a b"]) },
            lines: [#".post("/rooms")"#, #".form(["ids": ["1", "2"], "name": "a b"])"#],
            copied: { $0.post("/rooms").form(["ids": ["1", "2"], "name": "a b"]) }),
        Row(
            original: { $0.post("/rooms").form(["ids": [1, 2]]).encoding { $0.arrays = .repeat } },
            lines: [#".post("/rooms")"#, #".body(Data("ids=1&ids=2".utf8), contentType: "application/x-www-form-urlencoded")"#],
            copied: { $0.post("/rooms").body(Data("ids=1&ids=2".utf8), contentType: CallCodeTests.form) }),
        Row(
            original: { $0.get("/rooms").header("X-List", "1").header("X-List", adding: "2").header("X-Tag", adding: "call") },
            lines: [
                #".get("/rooms")"#, #".header("X-List", "1")"#, #".header("X-List", adding: "2")"#, #".header("X-Tag", adding: "call")"#,
            ],
            copied: { $0.get("/rooms").header("X-List", "1").header("X-List", adding: "2").header("X-Tag", adding: "call") }),
    ]

    @Test(
        "the generated code sends the same request, also with repeated names in the query, the form and the headers",
        arguments: rows.indices)
    func code(index: Int) async throws {
        let row = Self.rows[index]
        let probe = try Probe()
        probe.client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            forum.headers = ["X-Tag": "forum"]
        }
        probe.stubs.on(nil, "/**").reply(data: 1)
        let base = probe.client.tag("forum")
        try await row.original(base).execute(.void).value
        let code = try await probe.detail(probe.row()).swift.string
        #expect(code == (["API.tag(.forum)"] + row.lines + [".execute()"]).joined(separator: "\n    "))
        try await row.copied(base).execute(.void).value
        let calls = probe.stubs.requests.compactMap(\.sent)
        try #require(calls.count == 2)
        #expect(calls[1].url == calls[0].url)
        #expect(calls[1].headers == calls[0].headers)
        #expect(calls[1].body == calls[0].body)
    }
}
