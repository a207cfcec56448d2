import Catena
import CatenaTesting
import Foundation
import Testing

@Suite(.limitedParallelism) struct StubMatchingTests {
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
        client.onDiagnostic { _ in }
    }

    @Test(
        "a path pattern matches its paths only",
        arguments: [
            ("/users", "/users", true),
            ("users", "/users", true),
            ("/users", "/users/", true),
            ("/users", "/user", false),
            ("/users", "/users/7", false),
            ("/users/*", "/users/7", true),
            ("/users/*", "/users", false),
            ("/users/*", "/users/7/rooms", false),
            ("/*/rooms", "/7/rooms", true),
            ("/{id}/rooms", "/7/rooms", true),
            ("/**", "/", true),
            ("/**", "/a/b/c", true),
            ("/a/**", "/a", true),
            ("/a/**/z", "/a/z", true),
            ("/a/**/z", "/a/b/c/z", true),
            ("/a/**/z", "/a/b/c", false),
            ("/a/**/m/**/z", "/a/b/m/m/c/z", true),
            ("/a/**/m/**/z", "/a/b/c/z", false),
            ("/a b/é", "/a%20b/%C3%A9", true),
            ("/a%20b", "/a%20b", true),
            ("/a/b", "/a%2Fb", false),
            ("/users?page=2", "/users?page=2&size=3", true),
            ("/users?page=2", "/users?page=1", false),
            ("https://stubs.test/users", "/users", true),
            ("https://other.test/users", "/users", false),
        ])
    func paths(pattern: String, path: String, matches: Bool) async throws {
        stubs.get(pattern).reply(data: 1)
        _ = try? await client.get(path).value()
        #expect(stubs.requests.count == 1)
        #expect(stubs.requests(to: pattern).count == (matches ? 1 : 0))
        if matches { try stubs.verify() } else { #expect(throws: StubFailure.self) { try stubs.verify() } }
    }

    @Test("an interpolated value is one segment of a pattern, and an interpolated address is an error")
    func interpolatedPaths() async throws {
        let (name, address) = ("a/*", "https://stubs.test")
        stubs.get("/users/\(name)").reply(data: 1)
        stubs.get("\(address)/rooms").reply(data: 2)
        #expect(try await client.get("/users/\(name)").value(as: Int.self) == 1)
        try stubs.expect(.get, "/users/\(name)").times(1)
        let error = await #expect(throws: APIError.self) { try await client.get("/rooms").value() }
        #expect(error?.message.contains("write \\(raw: text)") == true, "\(error?.message ?? "")")
        #expect(throws: StubFailure.self) { try stubs.expectNone(.get, "\(address)/rooms") }
        #expect(throws: StubFailure.self) { try stubs.expect(.get, "\(address)/rooms") }
        stubs.get("\(raw: address)/rooms").reply(data: 3)
        #expect(try await client.get("/rooms").value(as: Int.self) == 3)
    }

    @Test("a query of nil matches only calls without the item, in both forms and in expectations")
    func absentItem() async throws {
        stubs.get("/a").query(["page": nil, "size": 2]).reply(data: "dictionary")
        stubs.get("/a").query("page", nil).reply(data: "name")
        #expect(try await client.get("/a?size=2").value(as: String.self) == "dictionary")
        #expect(try await client.get("/a").value(as: String.self) == "name")
        try stubs.expect(.get, "/a").query(["page": nil]).times(2)
        for path in ["/a?page=1&size=2", "/a?page[]=1"] {
            let error = await #expect(throws: APIError.self) { try await client.get("\(raw: path)").value() }
            #expect(error?.kind == .unstubbed)
        }
    }

    @Test("a pattern may include or omit the path of the tag's host")
    func hostPath() async throws {
        client.configure("forum") { $0.host = "https://forum.example.com/api/" }
        stubs.get("/v1/users").times(1).reply(data: 1)
        stubs.get("/api/v1/users").times(2).reply(data: 2)
        let request = client.tag("forum").get("/v1/users")
        #expect(try await request.value(as: Int.self) == 1)
        #expect(try await request.value(as: Int.self) == 2)
        #expect(try await client.host("https://other.example.com/api").get("/v1/users").value(as: Int.self) == 2)
    }

    @Test("a pattern with many wildcards is matched in bounded time")
    func deepPattern() async throws {
        stubs.get(String(repeating: "/**/a", count: 30) + "/z").reply(data: 1)
        await #expect(throws: APIError.self) { try await client.get(String(repeating: "/a", count: 2000)).value() }
    }

    struct Condition: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let narrow: @Sendable (Stub) -> Stub
        let request: @Sendable (Request) -> Request
        /// The difference, or `nil` if the request matches.
        let difference: String?
    }

    static let conditions: [Condition] = [
        Condition(testDescription: "tag", narrow: { $0.tag("forum") }, request: { $0.tag("forum") }, difference: nil),
        Condition(
            testDescription: "other tag", narrow: { $0.tag("forum") }, request: { $0.tag("shop") }, difference: "the tag is shop, not forum"
        ),
        Condition(
            testDescription: "no tag", narrow: { $0.tag(nil) }, request: { $0.tag("shop") }, difference: "the tag is shop, not absent"),
        Condition(
            testDescription: "query", narrow: { $0.query(["page": 2]) }, request: { $0.query(["page": 2, "x": 1]) }, difference: nil),
        Condition(
            testDescription: "query array", narrow: { $0.query(["ids": [1, 2]]) }, request: { $0.query(["ids": [1, 2]]) }, difference: nil),
        Condition(
            testDescription: "query in the call's style", narrow: { $0.query(["ids": [1, 2]]) },
            request: { request in
                var style = ParameterStyle()
                style.arrays = .repeat
                return request.query(["ids": [1, 2]]).encoding(style: style)
            }, difference: nil),
        Condition(
            testDescription: "query of another order", narrow: { $0.query(["ids": [1, 2]]) }, request: { $0.query(["ids": [2, 1]]) },
            difference: "the query item ids[] is 2, 1, not 1, 2"),
        Condition(testDescription: "header", narrow: { $0.header("X-A", "1") }, request: { $0.header("x-a", "1") }, difference: nil),
        Condition(
            testDescription: "other header", narrow: { $0.header("X-A", "1") }, request: { $0.header("X-A", "2") },
            difference: "the header X-A is 2, not 1"),
        Condition(
            testDescription: "no header", narrow: { $0.header("X-A", "1") }, request: { $0 }, difference: "the header X-A is missing"),
        Condition(
            testDescription: "header too many", narrow: { $0.header("X-A", nil) }, request: { $0.header("X-A", "1") },
            difference: "the header X-A is there"),
        Condition(
            testDescription: "json", narrow: { $0.json(["a": 1, "b": [1, 2]]) }, request: { $0.json(["b": [1, 2], "a": 1]) },
            difference: nil),
        Condition(
            testDescription: "json with more", narrow: { $0.json(["a": 1]) }, request: { $0.json(["a": 1, "b": 2]) },
            difference: "the body has b too"),
        Condition(
            testDescription: "part of json", narrow: { $0.json(containing: ["u": ["a": 1]]) },
            request: { $0.json(["u": ["a": 1, "b": 2] as Params]) }, difference: nil),
        Condition(
            testDescription: "json inside", narrow: { $0.json(["u": [1, ["a": 1]]]) },
            request: { $0.json(["u": JSON(array: [1, ["a": 2]])]) },
            difference: "the body's u[1].a is 2, not 1"),
        Condition(
            testDescription: "json of another type", narrow: { $0.json(["a": 1]) }, request: { $0.json(["a": "1"]) },
            difference: #"the body's a is "1", not 1"#),
        Condition(
            testDescription: "shorter array", narrow: { $0.json([1, 2]) }, request: { $0.json([1]) },
            difference: "the body has 1 elements, not 2"),
        Condition(testDescription: "no body", narrow: { $0.json(["a": 1]) }, request: { $0 }, difference: "there is no body"),
        Condition(
            testDescription: "no json", narrow: { $0.json(["a": 1]) }, request: { $0.form(["a": 1]) }, difference: "the body is no JSON"),
        Condition(testDescription: "form", narrow: { $0.form(["a": "b c"]) }, request: { $0.form(["a": "b c"]) }, difference: nil),
        Condition(
            testDescription: "no form", narrow: { $0.form(["a": 1]) }, request: { $0.json(["a": 1]) },
            difference: "the form field a is missing"),
        Condition(
            testDescription: "bytes", narrow: { $0.body(Data("x".utf8)) }, request: { $0.body(Data("x".utf8), contentType: "text/plain") },
            difference: nil),
        Condition(
            testDescription: "other bytes", narrow: { $0.body(Data("x".utf8)) },
            request: { $0.body(Data("y".utf8), contentType: "text/plain") }, difference: #"the body is "y", not "x""#),
        Condition(
            testDescription: "binary", narrow: { $0.body(Data([0xFF])) }, request: { $0.body(Data([0xFE, 0xFF]), contentType: "a/b") },
            difference: "the body's 2 bytes are not the expected 1"),
        Condition(
            testDescription: "secret", narrow: { $0.json(["password": "made-up"]) }, request: { $0.json(["password": "made-up-too"]) },
            difference: "the body's password is not the expected one (it is not shown, since it looks like a secret)"),
        Condition(
            testDescription: "inside a secret", narrow: { $0.json(["token": ["a": "made-up"]]) },
            request: { $0.json(["token": ["a": "made-up-too"] as Params]) },
            difference: "the body's token.a is not the expected one (it is not shown, since it looks like a secret)"),
        Condition(
            testDescription: "secret query", narrow: { $0.query(["token": "made-up"]) }, request: { $0.query(["token": "made-up-too"]) },
            difference: "the query item token is not the expected one (it is not shown, since it looks like a secret)"),
    ]

    @Test("a stub matches the calls that meet its conditions, and the error of others names the difference", arguments: conditions)
    func condition(_ condition: Condition) async throws {
        condition.narrow(stubs.on(.post, "/a")).reply(data: 1)
        do {
            _ = try await condition.request(client.post("/a")).value()
            #expect(condition.difference == nil)
        } catch let error as APIError {
            #expect(error.kind == .unstubbed)
            #expect(error.message.hasSuffix("but \(condition.difference ?? "nothing")."), "\(error.message)")
            #expect(!"\(error)".contains("made-up"))
        }
    }

    @Test("every verb has its stub", arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "REPORT"])
    func verbs(name: String) async throws {
        let begin: [String: @Sendable (String) -> Stub] = [
            "GET": { stubs.get($0) }, "POST": { stubs.post($0) }, "PUT": { stubs.put($0) }, "PATCH": { stubs.patch($0) },
            "DELETE": { stubs.delete($0) }, "HEAD": { stubs.head($0) }, "OPTIONS": { stubs.options($0) },
            "REPORT": { stubs.on("REPORT", $0) },
        ]
        for (method, begin) in begin { begin("/a").reply(status: method == name ? 204 : 500) }
        try await client.path("/a").method(HTTPMethod(name)).execute(.void).value
    }

    private static let items: [(query: Params, name: String)] = [
        (["q": "tea"], "tea"), (["q": 2], "two"), (["q": [1, 2]], "list"), (["q": "other"], "rest"), ([:], "none"), (["r": "tea"], "none"),
        (["q": ["a": 1]], "rest"),
    ]

    @Test("a stub matches one query item, or its absence", arguments: items)
    func oneItem(query: Params, name: String) async throws {
        stubs.get("/a").query("q", "tea").reply(data: "tea")
        stubs.get("/a").query("q", 2).reply(data: "two")
        stubs.get("/a").query("q", [1, 2]).reply(data: "list")
        stubs.get("/a").query("q", nil).reply(data: "none")
        stubs.get("/a").reply(data: "rest")
        #expect(try await client.get("/a").query(query).value(as: String.self) == name)
    }
}
