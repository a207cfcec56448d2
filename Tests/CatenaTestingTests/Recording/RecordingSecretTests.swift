import Catena
import CatenaTesting
import Foundation
import Testing

/// All secrets here are made up.
@Suite(.limitedParallelism) struct RecordingSecretTests {
    let folder = RecordingFolder()

    /// Records one call with this response.
    func record(
        _ answer: TransportResponse = .json("{}"), _ rules: (inout RecordingRules) -> Void = { _ in }, _ call: (Request) -> Request
    ) async throws {
        let recording = try Recording(folder.file, mode: .record, over: ClosureTransport { _ in answer }, rules)
        _ = try await call(Client(testing: recording).host("https://forum.test")).execute(.string).value
        try recording.save()
    }

    func replay(_ rules: (inout RecordingRules) -> Void = { _ in }, _ call: (Request) -> Request) async throws -> HTTPResponse {
        let recording = try Recording(folder.file, mode: .replay, rules)
        return try await recording.send(try await call(Client(testing: recording).host("https://forum.test")).preview()).whole
    }

    @Test(
        "a secret with a known name is not written to the file, and a call with another secret is replayed",
        arguments: [
            { $0.get("/a").header("Authorization", "Bearer \($1)") },
            { $0.get("/a").header("X-Api-Key", $1) },
            { $0.get("/a").query(["user": ["token": $1] as Params, "page": 1]) },
            { $0.get("/a").query(["next": "https://forum.test/b?token=\($1)"]) },
            { $0.post("/a").json(["user": ["password": $1, "name": "Ann"] as Params]) },
            { $0.post("/a").form(["password": $1, "name": "Ann"]) },
            { request, secret in
                request.post("/a").multipart { form in
                    form.field("password", secret)
                    form.field("name", "Ann")
                }
            },
            { $0.post("/a").body(Data("password=\($1)".utf8), contentType: "text/plain") },
        ] as [@Sendable (Request, String) -> Request])
    func named(_ call: @Sendable (Request, String) -> Request) async throws {
        try await record { call($0, "made-up-one") }
        #expect(!folder.text.isEmpty)
        #expect(!folder.text.contains("made-up-one"))
        #expect(try await replay { call($0, "made-up-two") }.status == 200)
    }

    @Test("a secret that the tag knows by its value is not written under any name, and its call is replayed with the next secret")
    func known() async throws {
        func client(_ transport: Recording, _ secret: String) -> Client {
            let client = Client(testing: transport)
            client.configure("forum") { $0.secrets.add(values: secret) }
            return client
        }
        let body: @Sendable (String) -> Params = { ["note": "say \($0)"] }
        let recording = try Recording(folder.file, mode: .record, over: ClosureTransport { _ in .json(#"{"x":"made-up-one"}"#) })
        let recorded = client(recording, "made-up-one").tag("forum").host("https://forum.test").post("/a").json(body("made-up-one"))
        _ = try await recorded.execute(.string).value
        try recording.save()
        #expect(!folder.text.isEmpty && !folder.text.contains("made-up-one"))
        let replaying = try Recording(folder.file, mode: .replay)
        let request = client(replaying, "made-up-two").tag("forum").host("https://forum.test").post("/a")
        #expect(try await request.json(body("made-up-two")).execute(.string).value.contains("***"))
        let other = await #expect(throws: APIError.self) {
            try await request.json(["note": "made-up-two and more"] as Params).execute(.string).value
        }
        let message = other?.message ?? ""
        #expect(message.contains("***") && !message.contains("made-up-two"), "\(message)")
        #expect(!(try await request.json(body("made-up-two")).text()).contains("made-up-two"))
    }

    @Test(
        "a cookie's value is hidden, its name is not",
        arguments: [
            "JSESSIONID", "PHPSESSID", "connect.sid", "csrftoken", "XSRF-TOKEN", "ASP.NET_SessionId", "laravel_session", "sessionid",
            "_rails_session", "AUTH_TOKEN", "remember_me", "sid",
        ])
    func cookieNames(name: String) async throws {
        let answer = TransportResponse(
            status: 200, headers: ["Set-Cookie": "\(name)=made-up-value; Path=/", "Content-Type": "application/json"],
            body: TransportBody(Data(#"{"code":0,"data":{"name":"\#(name)"}}"#.utf8)))
        let recording = try Recording(folder.file, mode: .record, over: ClosureTransport { _ in answer })
        let client = Client(testing: recording)
        client.configureDefaults { $0.cookieJar = CookieJar() }
        for _ in 0..<2 { _ = try await client.host("https://forum.test").get("/login").value() }
        try recording.save()
        #expect(folder.text.contains(name) && !folder.text.contains("made-up-value"))
    }

    @Test("a secret in a path is not written to the file, and a call with another secret is replayed")
    func path() async throws {
        let call: @Sendable (Request, String) -> Request = { $0.get("/reset/{token}/open-1").params(["token": $1]) }
        try await record { call($0, "made-up one") }
        #expect(!folder.text.contains("made-up") && folder.text.contains("/reset/***/open-1"))
        #expect(try await replay { call($0, "made-up two") }.status == 200)
    }

    static let forms: [(type: String, body: String, shown: String)] = [
        (
            "application/x-plist",
            "<plist><dict><key>token</key><string>made-up</string><key>pin</key><integer>77</integer></dict></plist>",
            "<plist><dict><key>token</key><string>***</string><key>pin</key><integer>0</integer></dict></plist>"
        ),
        ("application/xml", "<a><q>open</q><password b='c'>made-up</password></a>", "<a><q>open</q><password b='c'>***</password></a>"),
        (
            "application/x-ndjson", "{\"token\" : \"made-up\"}\n{\"q\":1, \"pin\":[77,\"made-up\"]}\n",
            "{\"token\" : \"***\"}\n{\"q\":1, \"pin\":[0,\"***\"]}\n"
        ),
        ("text/event-stream", "data: {\"\\u0074oken\" : \"made-up\"}\n\n", "data: {\"\\u0074oken\" : \"***\"}\n\n"),
        ("application/json", #"{"a":"{\"token\" : \"made-up\"}"}"#, #"{"a":"{\"token\" : \"***\"}"}"#),
        ("text/plain", "sent Digest username=\"ann\", response=\"made-up\"", "sent Digest ***"),
        ("text/plain", "sent Basic bWFkZTp1cA==", "sent Basic ***"),
        ("text/plain", "see https://ann:made-up@forum.test/", "see https://***@forum.test/"),
    ]

    @Test("a response in another form than JSON keeps its form without its secrets", arguments: forms.indices)
    func otherForms(row: Int) async throws {
        let form = Self.forms[row]
        try await record(TransportResponse(status: 200, headers: ["Content-Type": form.type], body: TransportBody(Data(form.body.utf8)))) {
            $0.get("/a")
        }
        let response = try await replay { $0.get("/a") }
        #expect(String(decoding: response.body, as: UTF8.self) == form.shown)
        #expect(!folder.text.contains("made-up"))
    }

    @Test("a recorded binary property list is still valid, without its secrets")
    func binaryPropertyList() async throws {
        let list: [String: Any] = ["q": "open-1", "token": "made-up-one", "credentials": ["a": ["made-up-one", 77] as [Any]]]
        let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        try await record(TransportResponse(status: 200, headers: ["Content-Type": "application/x-plist"], body: TransportBody(bytes))) {
            $0.get("/a")
        }
        let response = try await replay { $0.get("/a") }
        let shown = try #require(try PropertyListSerialization.propertyList(from: response.body, format: nil) as? [String: Any])
        #expect(shown["q"] as? String == "open-1")
        #expect((shown["token"] as? String)?.contains("made-up") == false)
        #expect(!"\(shown)".contains("made-up") && !"\(shown)".contains("77"))
    }

    @Test(
        "a secret in a request body of another form is not written to the file",
        arguments: [
            { $0.post("/a").body(propertyList: ["token": $1, "q": 1]) },
            { $0.post("/a").body(Data("<a><password>\($1)</password></a>".utf8), contentType: "text/xml") },
            { $0.post("/a").body(Data("{\"\\u0074oken\" : \"\($1)\"}\n{}\n".utf8), contentType: "application/x-ndjson") },
            { $0.post("/a").body(Data("\"token (new)\": \"\($1)\"".utf8), contentType: "text/plain") },
            {
                $0.post("/a").body(
                    Data("x\n--b\nContent-Disposition: form-data; name=\"pin\"\n\n\($1)\n--b--\n".utf8),
                    contentType: "multipart/form-data; boundary=b")
            },
        ] as [@Sendable (Request, String) -> Request])
    func otherBodies(_ call: @Sendable (Request, String) -> Request) async throws {
        try await record { call($0, "made-up-one") }
        #expect(!folder.text.isEmpty && !folder.text.contains("made-up-one"))
        #expect(try await replay { call($0, "made-up-two") }.status == 200)
    }

    @Test("a recorded response keeps types, order of members and names of cookies")
    func answer() async throws {
        let body = #"{"z": 1.50, "user": {"token": "made-up-one", "pin": 1234, "session": {"id": "made-up", "on": true}}, "a": null}"#
        var answer = TransportResponse.json(body, headers: ["Set-Cookie": "sid=made-up-one; Path=/; HttpOnly"])
        answer.headers["Content-Length"] = String(body.utf8.count)
        try await record(answer) { $0.get("/a") }
        let shown = #"{"z": 1.50, "user": {"token": "***", "pin": 0, "session": {"id": "***", "on": true}}, "a": null}"#
        let response = try await replay { $0.get("/a") }
        #expect(String(decoding: response.body, as: UTF8.self) == shown)
        #expect(response.headers["Set-Cookie"] == "sid=***; Path=/; HttpOnly")
        #expect(response.headers["Content-Length"] == String(shown.utf8.count))
    }

    @Test("names, paths and patterns that a test declares are hidden, too")
    func rules() async throws {
        let rules: (inout RecordingRules) -> Void = { rules in
            rules.hiddenNames = ["X-Device", "phone"]
            rules.hiddenPaths = ["users[*].email", "[0].name", "owner"]
            rules.hiddenPatterns = [#"room-\d+"#]
        }
        let body = #"{"users":[{"email":"a@b.c","name":"Ann","phone":"555-0100"}],"owner":{"name":"Bob"},"text":"in room-77"}"#
        let call: (Request) -> Request = { $0.get("/room-77/users").header("X-Device", "d-1").query(["room": "room-77", "page": 1]) }
        try await record(.json(body), rules, call)
        let response = try await replay(rules, call)
        let shown = #"{"users":[{"email":"***","name":"Ann","phone":"***"}],"owner":{"name":"***"},"text":"in ***"}"#
        #expect(String(decoding: response.body, as: UTF8.self) == shown)
        #expect(["room-77", "d-1", "a@b.c", "555-0100", "Bob"].allSatisfy { !folder.text.contains($0) })
    }

    @Test("a name that a test declares harmless is not hidden")
    func harmlessName() async throws {
        let rules: (inout RecordingRules) -> Void = { $0.harmlessNames = ["key"] }
        try await record(.json(#"{"key": "users", "token": "t"}"#), rules) { $0.get("/a").query(["key": "b"]) }
        let response = try await replay(rules) { $0.get("/a").query(["key": "b"]) }
        #expect(try JSON(parsing: response.body) == ["key": "users", "token": "***"])
        await #expect(throws: APIError.self) { try await replay(rules) { $0.get("/a").query(["key": "c"]) } }
    }

    static let webToken = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtYWRlLXVwIn0.made-up"

    @Test("a JSON Web Token is hidden under any name")
    func webTokens() async throws {
        try await record(.json(#"{"id": "\#(Self.webToken)"}"#)) { $0.get("/a") }
        #expect(!folder.text.contains(Self.webToken) && folder.text.contains("***"))
    }

    @Test(
        "a recording with a value that looks like a secret is not written, and the error does not show the value",
        arguments: [
            (.text("-----BEGIN PRIVATE KEY-----\nmade up"), "the body of the response has what looks like a private key."),
            (.status(200, headers: ["X-Id": "AKIAMADEUPMADEUPMADE"]), "the header X-Id of the response has what looks like an access key."),
            (.text("ghp_madeupmadeupmadeup0000"), "the body of the response has what looks like an access token."),
            // The accent and the last letter form one character.
            (.text("hello made-up-one\u{301}"), "the body of the response has what looks like a secret that is hidden elsewhere."),
            (.text("hello made-up-one"), "the body of the response has what looks like a secret that is hidden elsewhere."),
            (
                TransportResponse(status: 200, body: TransportBody(Data([0xFF, 0]) + Data("password=made-up".utf8))),
                "the body of the response has bytes with what looks like a secret."
            ),
        ] as [(TransportResponse, String)])
    func refused(_ answer: TransportResponse, _ problem: String) async throws {
        let error = await #expect(throws: RecordingError.self) {
            try await record(answer) { $0.get("/a").header("Authorization", "Bearer made-up-one") }
        }
        #expect(
            error?.description == "GET https://forum.test/a: \(problem)\ncalls.har was not written. "
                + "Hide it with hiddenNames, hiddenPaths or hiddenPatterns, or list it in harmlessValues.")
        #expect(folder.text.isEmpty)
    }

    @Test("a recording is not written if a secret of one call appears in the path of another")
    func elsewhere() async throws {
        let recording = try Recording(folder.file, mode: .record, over: ClosureTransport { _ in .json(#"{"token": "made-up-one"}"#) })
        let client = Client(testing: recording)
        _ = try await client.host("https://forum.test").get("/a").execute(.string).value
        try recording.save()
        _ = try await client.host("https://forum.test").get("/made-up-one").execute(.string).value
        let error = #expect(throws: RecordingError.self) { try recording.save() }
        #expect(error?.description.contains("the address has what looks like a secret that is hidden elsewhere") == true)
    }

    @Test("a value that a test declares harmless is written")
    func harmlessValue() async throws {
        let value = "ghp_madeupmadeupmadeup0000"
        try await record(.json(#"{"id": "\#(value)"}"#), { $0.harmlessValues = [value] }) { $0.get("/a") }
        #expect(folder.text.contains(value))
    }

    @Test(
        "an invalid rule is an error with the reason",
        arguments: [
            (["a..b"], [], #"hiddenPaths: "a..b" is not a path: a key is empty."#),
            ([], ["("], #"hiddenPatterns: "(" is not a regular expression: "#),
        ] as [([String], [String], String)])
    func badRules(_ paths: [String], _ patterns: [String], _ message: String) {
        let error = #expect(throws: RecordingError.self) {
            try Recording(folder.file, mode: .record) { rules in
                rules.hiddenPaths = paths
                rules.hiddenPatterns = patterns
            }
        }
        #expect(error?.description.hasPrefix(message) == true)
    }
}

extension TransportResponse {
    fileprivate var whole: HTTPResponse {
        get async throws {
            var response = HTTPResponse(
                status: status, headers: headers, address: try await Client().host("https://a.test").preview().address)
            response.body = try await body.collect(limit: 1 << 20)
            return response
        }
    }
}
