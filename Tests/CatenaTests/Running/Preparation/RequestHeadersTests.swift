import Foundation
import Testing

@testable import Catena

@Suite("Headers of a request", .limitedParallelism)
struct RequestHeadersTests {
    private static func client() -> Client {
        silentClient {
            $0.configureDefaults { defaults in
                defaults.host = "https://h/api"
                defaults.headers = ["Who": "defaults", "D": "1"]
            }
            $0.configure("forum") { $0.headers = ["WHO": "profile", "P": "1"] }
            $0.configure("elsewhere") { $0.host = "https://elsewhere.example:8443" }
            $0.configure("broken") { $0.host = "not a host" }
            $0.commonHeaders { tag in tag == "bare" ? ["N": nil] : ["who": "common", "C": "1"] }
        }
    }

    struct HeaderRow: Sendable, CustomTestStringConvertible {
        let name: String
        let expected: [String]
        let request: @Sendable (Client) -> Request

        init(_ name: String, _ expected: [String], _ request: @escaping @Sendable (Client) -> Request) {
            self.name = name
            self.expected = expected
            self.request = request
        }

        var testDescription: String { name }

        func check(_ client: Client) async throws {
            let library = ["accept", "user-agent"]
            let fields = try await request(client).preview().headers.fields
            #expect(fields.filter { !library.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" } == expected)
        }
    }

    @Test(
        "defaults, profile, common headers, call: later headers replace earlier ones of the same name",
        arguments: [
            HeaderRow("defaults", ["Who: defaults", "D: 1"]) { $0.tag("bare").get("/") },
            HeaderRow("profile over defaults", ["WHO: profile", "D: 1", "P: 1"]) { $0.tag("forum").get("/").commonHeaders(.none) },
            HeaderRow("common over profile", ["who: common", "D: 1", "P: 1", "C: 1"]) { $0.tag("forum").get("/") },
            HeaderRow("the call over all", ["wHO: call", "D: 1", "P: 1", "C: 1"]) { $0.tag("forum").get("/").header("wHO", "call") },
            HeaderRow("several of the call", ["Who: call", "D: 1", "C: 1", "X: 1"]) { $0.get("/").headers(["Who": "call", "X": "1"]) },
            HeaderRow("without common headers", ["Who: defaults", "D: 1", "X: 1"]) { $0.get("/").header("X", "1").commonHeaders(.none) },
            HeaderRow("the later step wins", ["who: 2", "D: 1", "C: 1"]) { $0.get("/").header("Who", "1").header("who", "2") },
            HeaderRow("merged per name", ["who: common", "D: 1", "C: 1", "x: 2", "Y: 1"]) {
                $0.get("/").headers(["X": "1", "Y": "1"]).headers(["x": "2"])
            },
        ])
    func precedence(row: HeaderRow) async throws { try await row.check(Self.client()) }

    @Test(
        "nil leaves a header out, also a common one, and `adding` adds another value",
        arguments: [
            HeaderRow("nil after a value", ["D: 1", "C: 1"]) { $0.get("/").header("Who", "1").header("who", nil) },
            HeaderRow("nil takes back what was added", ["who: common", "D: 1", "C: 1"]) {
                $0.get("/").header("X", adding: "1").header("x", nil)
            },
            HeaderRow("removed", ["D: 1", "C: 1"]) { $0.get("/").header("WHO", nil) },
            HeaderRow("removed from the defaults", ["who: common", "C: 1"]) { $0.get("/").header("d", nil) },
            HeaderRow("removed with the call's own", ["D: 1", "C: 1"]) {
                $0.get("/").header("Who", "1").header("Who", adding: "2").header("who", nil)
            },
            HeaderRow("removed and set again", ["Who: 1", "D: 1", "C: 1"]) { $0.get("/").header("who", nil).header("Who", "1") },
            HeaderRow("removed and set among others", ["Who: 1", "D: 1", "C: 1"]) { $0.get("/").header("who", nil).headers(["Who": "1"]) },
            HeaderRow("nil does not bring it back", ["D: 1", "C: 1"]) { $0.get("/").header("who", nil).header("Who", nil) },
            HeaderRow("removed and added again", ["D: 1", "C: 1", "Who: 1"]) { $0.get("/").header("who", nil).header("Who", adding: "1") },
            HeaderRow("added to the common one", ["who: common", "D: 1", "C: 1", "Who: 1"]) { $0.get("/").header("Who", adding: "1") },
            HeaderRow("added to the call's own", ["who: common", "D: 1", "C: 1", "X: 1", "X: 2"]) {
                $0.get("/").header("X", "1").header("X", adding: "2")
            },
            HeaderRow("setting replaces what was added", ["who: common", "D: 1", "C: 1", "x: 2"]) {
                $0.get("/").header("X", adding: "1").header("x", "2")
            },
            HeaderRow("merging replaces what was added", ["who: common", "D: 1", "C: 1", "X: 2"]) {
                $0.get("/").header("X", adding: "1").headers(["X": "2"])
            },
            HeaderRow("several values replace the common one", ["Who: 1", "D: 1", "C: 1", "Who: 2"]) {
                $0.get("/").header("Who", ["1", "2"])
            },
            HeaderRow("no value leaves it out", ["D: 1", "C: 1"]) { $0.get("/").header("Who", [] as [String]) },
            HeaderRow("an empty value is sent", ["Who: ", "D: 1", "C: 1"]) { $0.get("/").header("Who", "") },
        ])
    func changing(row: HeaderRow) async throws { try await row.check(Self.client()) }

    @Test(
        "an absolute address receives the tag's and common headers only at the origin of the tag's host",
        arguments: [
            HeaderRow("same origin", ["who: common", "D: 1", "C: 1"]) { $0.absoluteURL("https://h/other") },
            HeaderRow("the port spelt out", ["who: common", "D: 1", "C: 1"]) { $0.absoluteURL("https://H:443/other") },
            HeaderRow("another host", ["X: 1"]) { $0.absoluteURL("https://evil.example/").header("X", "1") },
            HeaderRow("a longer host", []) { $0.absoluteURL("https://h.evil.example/api") },
            HeaderRow("another port", []) { $0.absoluteURL("https://h:8443/api") },
            HeaderRow("another scheme", []) { $0.absoluteURL("http://h/api") },
            HeaderRow("the origin of another tag", []) { $0.tag("elsewhere").get("/").absoluteURL("https://h/api") },
            HeaderRow("the tag's own origin", ["who: common", "D: 1", "C: 1"]) {
                $0.tag("elsewhere").absoluteURL("https://elsewhere.example:8443/")
            },
            HeaderRow("a tag whose host is none", []) { $0.tag("broken").absoluteURL("https://evil.example/") },
            HeaderRow("without common headers", ["Who: defaults", "D: 1"]) { $0.absoluteURL("https://h/").commonHeaders(.none) },
            HeaderRow("another host of the call's own", []) { $0.host("https://other.example").path("/") },
            HeaderRow("another host, by the call's choice", ["who: common", "D: 1", "C: 1"]) {
                $0.host("https://other.example").path("/").commonHeaders(.merged)
            },
        ])
    func absoluteAddresses(row: HeaderRow) async throws { try await row.check(Self.client()) }

    @Test("without a configured host, an absolute address receives common headers")
    func noHost() async throws {
        let client = silentClient { $0.commonHeaders { _ in ["C": "1"] } }
        #expect(try await client.absoluteURL("https://h/").preview().headers["C"] == "1")
    }

    @Test("the library's own headers are replaced by any others")
    func libraryHeaders() async throws {
        let client = silentClient { $0.defaultHost = "https://h" }
        #expect(try await client.get("/").preview().headers == ["Accept": "*/*", "User-Agent": "Catena"])
        client.configureDefaults { $0.headers = ["user-agent": "Forum/1"] }
        #expect(
            try await client.get("/").header("Accept", "text/csv").preview().headers == ["Accept": "text/csv", "user-agent": "Forum/1"])
        #expect(try await client.get("/").header("accept", nil).header("User-Agent", nil).preview().headers == [:])
        // These headers are not secret, so that another origin may receive them.
        #expect(try await client.absoluteURL("https://other.example").preview().headers == ["Accept": "*/*", "user-agent": "Forum/1"])
    }
}
