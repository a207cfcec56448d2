import Foundation
import Testing

@testable import Catena

@Suite("Methods", .limitedParallelism)
struct HTTPMethodTests {
    @Test(
        "standard verbs are upper-cased, other names are kept",
        arguments: [
            ("get", "GET"), ("head", "HEAD"), ("Post", "POST"), ("put", "PUT"), ("Patch", "PATCH"), ("delete", "DELETE"),
            ("options", "OPTIONS"), ("query", "QUERY"), ("purge", "purge"), ("M-SEARCH", "M-SEARCH"),
            ("GETS", "GETS"),
        ])
    func names(name: String, expected: String) async throws {
        #expect(HTTPMethod(name).name == expected)
        #expect(try await silentClient().host("https://h").method(HTTPMethod(name)).preview().method.name == expected)
    }

    @Test(
        "a name that is not a token is refused and not repeated",
        arguments: [
            "", " ", "GET ", "GET /x HTTP/1.1\r\nX: y\r\n\r\n", "G\rT", "G\nT", "G\0T", "G\tT", "GÉT", "G:T", "G/T", "G(T)", "\"GET\"",
            "G@T", "G\u{7F}T",
        ])
    func tokens(name: String) async {
        let error = await silentClient().host("https://h").method(HTTPMethod(name)).previewFault()
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message == "method: the name is not a token (RFC 9110 §9.1)")
    }

    @Test("every character of a token is allowed")
    func tokenCharacters() async throws {
        let name = "!#$%&'*+-.^_`|~09azAZ"
        #expect(try await silentClient().host("https://h").method(HTTPMethod(name)).preview().method.name == name)
    }

    @Test(
        "a verb sets method and path",
        arguments: [
            RequestRow("get", "GET https://h/a") { $0.get("/a") }, RequestRow("post", "POST https://h/a") { $0.post("/a") },
            RequestRow("put", "PUT https://h/a") { $0.put("/a") }, RequestRow("patch", "PATCH https://h/a") { $0.patch("/a") },
            RequestRow("delete", "DELETE https://h/a") { $0.delete("/a") }, RequestRow("head", "HEAD https://h/a") { $0.head("/a") },
            RequestRow("options", "OPTIONS https://h/a") { $0.options("/a") },
            RequestRow("the later verb wins", "PUT https://h/b") { $0.post("/a").put("/b") },
            RequestRow("method beats an earlier verb", "PATCH https://h/a") { $0.post("/a").method(.patch) },
        ])
    func verbs(row: RequestRow) async throws { try await row.checkLine(silentClient { $0.defaultHost = "https://h" }) }

    @Test(
        "a request without a method is a POST with a body and a GET without one",
        arguments: [
            RequestRow("nothing", "GET https://h/a") { $0.path("/a") },
            RequestRow("params are no body", "GET https://h/a?x=1") { $0.path("/a").params(["x": 1]) },
            RequestRow("json", "POST https://h/a") { $0.path("/a").json(["x": 1]) },
            RequestRow("form", "POST https://h/a") { $0.path("/a").form(["x": 1]) },
            RequestRow("bytes", "POST https://h/a") { $0.path("/a").body(Data(), contentType: "text/plain") },
        ])
    func withoutDefault(row: RequestRow) async throws { try await row.checkLine(silentClient { $0.defaultHost = "https://h" }) }

    @Test(
        "defaultMethod applies only without a verb and without a body",
        arguments: [
            RequestRow("nothing", "OPTIONS https://h/a") { $0.path("/a") },
            RequestRow("params", "OPTIONS https://h/a") { $0.path("/a").params(["x": 1]) },
            RequestRow("a verb", "GET https://h/a") { $0.get("/a") },
            RequestRow("a method", "DELETE https://h/a") { $0.path("/a").method(.delete) },
            RequestRow("a body", "POST https://h/a") { $0.path("/a").json(["x": 1]) },
            RequestRow("the tag's own", "PUT https://h/a") { $0.tag("forum").path("/a") },
        ])
    func withDefault(row: RequestRow) async throws {
        try await row.checkLine(
            silentClient {
                $0.defaultHost = "https://h"
                $0.defaultMethod = .options
                $0.configure("forum") { $0.defaultMethod = .put }
            })
    }

    @Test(
        "only the methods of RFC 9110 §9.2.2 and RFC 10008 are idempotent",
        arguments: [
            (HTTPMethod.get, true), (.head, true), (.put, true), (.delete, true), (.options, true), (.trace, true), (.query, true),
            (.post, false), (.patch, false), (.connect, false), ("PURGE", false),
        ])
    func idempotence(method: HTTPMethod, expected: Bool) {
        #expect(method.isIdempotent == expected)
    }
}
