import Foundation
import Testing

@testable import Catena

@Suite("Path templates", .limitedParallelism)
struct PathTemplateTests {
    private static func client() -> Client {
        silentClient {
            $0.configureDefaults { defaults in
                defaults.host = "https://h"
                defaults.params = ["region": "eu"]
            }
            $0.commonParams { _ in ["app": "ios"] }
        }
    }

    @Test("a name in the path is filled from the param of that name, which is then not sent elsewhere")
    static func fillingRows() async {
        await each(
            [
                RequestRow("one", "GET https://h/rooms/7/users?region=eu&app=ios&page=1") {
                    $0.get("/rooms/{room}/users").params(["room": 7, "page": 1])
                },
                RequestRow("the params may come first", "GET https://h/rooms/7?region=eu&app=ios") {
                    $0.request.params(["room": 7]).method(.get).path("/rooms/{room}")
                },
                RequestRow("twice", "GET https://h/7/7?region=eu&app=ios") { $0.get("/{room}/{room}").params(["room": 7]) },
                RequestRow("two beside each other", "GET https://h/7-8x?region=eu&app=ios") {
                    $0.get("/{a}-{b}x").params(["a": 7, "b": 8])
                },
                RequestRow("in the query", "GET https://h/a?q=x%26y%3D1&region=eu&app=ios") {
                    $0.get("/a?q={text}").params(["text": "x&y=1"])
                },
                RequestRow("from a common param", "GET https://h/ios/a?region=eu") { $0.get("/{app}/a") },
                RequestRow("from a param of the tag", "GET https://h/eu/a?app=ios") { $0.get("/{region}/a") },
                RequestRow("per call beats common", "GET https://h/tv/a?region=eu") { $0.get("/{app}/a").params(["app": "tv"]) },
                RequestRow("with merged common params", "GET https://h/ios/a?region=eu&b=1") {
                    $0.get("/{app}/a").params(["b": 1]).commonParams(.merged)
                },
                RequestRow("after the host's path", "GET https://h/api/7?region=eu&app=ios") {
                    $0.host("https://h/api").path("{a}").params(["a": 7])
                },
                RequestRow("one whole segment", "GET https://h/..%2Fa/b?region=eu&app=ios") { $0.get("/{a}/b").params(["a": "../a"]) },
                RequestRow("backslashes", "GET https://h/..%5C../b?region=eu&app=ios") { $0.get("/{a}/b").params(["a": "..\\.."]) },
                RequestRow("delimiters", "GET https://h/a%2Fb%3Fx%3D1%23%25?region=eu&app=ios") {
                    $0.get("/{a}").params(["a": "a/b?x=1#%"])
                },
                RequestRow("encoded dots", "GET https://h/%252E%252e?region=eu&app=ios") { $0.get("/{a}").params(["a": "%2E%2e"]) },
                RequestRow("a host", "GET https://h/%2F%2Fevil.example?region=eu&app=ios") {
                    $0.get("/{a}").params(["a": "//evil.example"])
                },
                RequestRow("a scheme", "GET https://h/https%3A%2F%2Fevil.example?region=eu&app=ios") {
                    $0.get("{a}").params(["a": "https://evil.example"])
                },
                RequestRow("control characters", "GET https://h/a%0D%0A%00?region=eu&app=ios") { $0.get("/{a}").params(["a": "a\r\n\0"]) },
                RequestRow("a value is not filled again", "GET https://h/%7Bb%7D?region=eu&app=ios&b=1") {
                    $0.get("/{a}").params(["a": "{b}", "b": 1])
                },
                RequestRow("scalars", "GET https://h/true/0.5/%C3%A9?region=eu&app=ios") {
                    $0.get("/{a}/{b}/{c}").params(["a": true, "b": 0.5, "c": "é"])
                },
                RequestRow("names", "GET https://h/1/2/3?region=eu&app=ios") {
                    $0.get("/{a_b}/{a-b}/{日2}").params(["a_b": 1, "a-b": 2, "日2": 3])
                },
                RequestRow("a combining mark after a brace", "GET https://h/7%CC%81?region=eu&app=ios") {
                    $0.get("/{a}\u{301}").params(["a": 7])
                },
                RequestRow("what is no name is text", "GET https://h/%7B%7D%7Ba%20b%7D%7Bc/7%7D?region=eu&app=ios") {
                    $0.get("/{}{a b}{c/{d}}").params(["d": 7])
                },
            ] as [RequestRow]
        ) { try await Self().filling(row: $0) }
    }

    func filling(row: RequestRow) async throws { try await row.checkLine(Self.client()) }

    @Test("a name in the path consumes its param even if the params are a body")
    func consumedFromBody() async throws {
        let json = try await Self.client().put("/rooms/{room}").params(["room": 7, "name": "x"]).preview()
        #expect(json.sentLine == "PUT https://h/rooms/7?region=eu&app=ios")
        #expect(json.sentBody == #"{"name":"x"}"#)
        let nothing = try await Self.client().put("/rooms/{room}").params(["room": 7]).preview()
        #expect(nothing.body == nil)
        #expect(!nothing.headers.contains("Content-Type"))
        let form = try await Self.client().post("/{app}").params(["a": 1]).encoding(.form).commonParams(.merged).preview()
        #expect(form.sentLine == "POST https://h/ios")
        #expect(form.sentBody == "region=eu&a=1")
    }

    @Test(
        "a name in the path without a usable value fails the call",
        arguments: [
            RequestRow("missing", "path…{room}…no param of that name") { $0.get("/{room}") },
            RequestRow("nil", "path…{room}…no param of that name") { $0.get("/{room}").params(["room": String?.none]) },
            RequestRow("removed", "path…{app}…no param of that name") { $0.get("/{app}").param("app", nil) },
            RequestRow("without common params", "path…{app}…no param of that name") { $0.get("/{app}").commonParams(.none) },
            RequestRow("in the body only", "path…{room}…no param of that name") { $0.post("/{room}").json(["room": 1]) },
            RequestRow("one of two", "path…{b}…no param of that name") { $0.get("/{a}/{b}").params(["a": 1]) },
            RequestRow("two dots", "path…{a}…\"..\" would change the path") { $0.get("/{a}/x").params(["a": ".."]) },
            RequestRow("a dot", "path…{a}…\".\" would change the path") { $0.get("/.{a}").params(["a": "."]) },
            RequestRow("empty", "path…{a}…the value is empty") { $0.get("/x/{a}").params(["a": ""]) },
            RequestRow("null", "path…{a}…not a single value") { $0.get("/{a}").params(["a": .null]) },
            RequestRow("array", "path…{a}…not a single value") { $0.get("/{a}").params(["a": [1]]) },
            RequestRow("object", "path…{a}…not a single value") { $0.get("/{a}").params(["a": ["b": 1]]) },
            RequestRow("NaN", "path…{a}…NaN") { $0.get("/{a}").params(["a": Double.nan]) },
            RequestRow("infinity", "path…{a}…infinite") { $0.get("/{a}").params(["a": Float.infinity]) },
        ])
    func refusing(row: RequestRow) async { await row.checkFault(Self.client()) }
}
