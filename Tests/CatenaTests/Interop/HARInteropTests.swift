import Catena
import CatenaArchive
import CatenaTesting
import Foundation
import TestSupport
import Testing

#if os(Linux) || os(macOS)
extension InteropTests {
    /// Archives as an independent library reads them: haralyzer, in Python.
    @Suite("HAR", .enabled(if: InteropTests.python != nil)) struct Archives {
        private struct Entry: Decodable, Equatable {
            let method: String
            let url: String
            let status: Int
            let sent: String
            let type: String
            let received: String
            /// The query items by their names.
            var query: [String: String] = [:]
            var comment = ""
        }

        private struct Reading: Decodable {
            let creator: String
            let entries: [Entry]
            /// Whether the start times are in order and no duration is negative.
            let isOrdered: Bool
            let statuses: [String: Int]
        }

        private static let script = """
            import base64, json, sys
            from haralyzer import HarEntry, HarParser
            with open(sys.argv[1], encoding="utf-8") as file:
                parser = HarParser(json.load(file))
            entries = [HarEntry(entry) for entry in parser.har_data["entries"]]
            def read(entry):
                content = entry.response.raw_entry["content"]
                sent = entry.request.raw_entry.get("postData", {})
                return {
                    "method": entry.request.method, "url": entry.request.url, "status": entry.status,
                    "sent": sent.get("text", ""), "type": sent.get("mimeType", ""),
                    "received": base64.b64encode(base64.b64decode(content["text"])).decode() if content.get("encoding") == "base64"
                        else entry.response.text or "",
                    "query": {pair["name"]: pair["value"] for pair in entry.request.queryString},
                    "comment": entry.raw_entry.get("comment", "")}
            moments = [entry.startTime for entry in entries]
            print(json.dumps({
                "creator": parser.creator["name"], "entries": [read(entry) for entry in entries],
                "isOrdered": moments == sorted(moments) and all(entry.time >= 0 for entry in entries),
                "statuses": {str(code): sum(1 for entry in entries if parser.match_status_code(entry, str(code), regex=False))
                             for code in {entry.status for entry in entries}}}))
            """

        @Test("another library reads recorded calls of all kinds as they were")
        func calls() async throws {
            let bytes = Data((0...255).map { UInt8($0) })
            let server = try LoopbackServer()
            let asked = Counter()
            server.get("/old") { _ in .redirect(to: "/new?page=2") }
            server.get("/new") { _ in .json(text: #"{"name": "Zoë"}"#) }
            server.get("/busy") { _ in
                asked.increment()
                return asked.count == 1 ? .text("later", status: 503) : .text("now")
            }
            server.post("/echo") { .body($0.body) }
            let client = Client()
            client.configureDefaults { defaults in
                defaults.host = server.url
                defaults.envelope = .raw
                defaults.retry = RetryPolicy.exponential(limit: 1, baseDelay: .milliseconds(1))
            }
            let recorder = HARRecorder()
            client.record(into: recorder)
            _ = try await client.get("/old").query(["q": "a b&c", "token": "made-up"]).execute(.string).value
            _ = try await client.get("/busy").execute(.string).value
            _ = try await client.post("/echo").json(["face": "👋🏽", "password": "made-up"]).execute(.string).value
            _ = try await client.post("/echo").body(bytes, contentType: "application/octet-stream").execute(.data).value
            let file = try ScratchFile(try await recorder.archive(), name: "calls.har")
            let (status, printed) = try ChildProcess.run(InteropTests.python ?? "", ["-c", Self.script, file.url.path], withErrors: false)
            #expect(status == 0)
            let reading = try JSONDecoder().decode(Reading.self, from: Data(printed.utf8))
            #expect(reading.creator == "Catena" && reading.isOrdered)
            #expect(reading.statuses == ["200": 4, "503": 1])
            let json = #"{"face":"👋🏽","password":"***"}"#
            let base64 = bytes.base64EncodedString()
            let expected = [
                Entry(
                    method: "GET", url: "\(server.url)/old?q=a%20b%26c&token=***", status: 200, sent: "", type: "",
                    received: #"{"name": "Zoë"}"#, query: ["q": "a b&c", "token": "***"]),
                Entry(method: "GET", url: "\(server.url)/busy", status: 503, sent: "", type: "", received: "later"),
                Entry(method: "GET", url: "\(server.url)/busy", status: 200, sent: "", type: "", received: "now", comment: "attempt 2"),
                Entry(method: "POST", url: "\(server.url)/echo", status: 200, sent: json, type: "application/json", received: json),
                Entry(
                    method: "POST", url: "\(server.url)/echo", status: 200, sent: base64, type: "application/octet-stream", received: base64
                ),
            ]
            #expect(reading.entries.count == expected.count)
            for (found, expected) in zip(reading.entries, expected) {
                #expect(found.comment.hasPrefix(expected.comment))
                var found = found
                found.comment = expected.comment
                #expect(found == expected)
            }
        }
    }
}
#endif
