import Catena
import CatenaTesting
import Foundation
import Testing

@Suite(.limitedParallelism) struct RecordingTests {
    let folder = RecordingFolder()

    /// Records the calls that `calls` makes.
    func record(
        over transport: any Transport = echo(), mode: Recording.Mode = .record, _ configure: (inout RecordingRules) -> Void = { _ in },
        _ calls: (Request) async throws -> Void
    ) async throws {
        let recording = try Recording(folder.file, mode: mode, over: transport, configure)
        try await calls(Client(testing: recording).host("https://forum.test").envelope(.raw))
        try recording.save()
    }

    func replay(_ configure: (inout RecordingRules) -> Void = { _ in }) throws -> (Recording, Request) {
        let network = ClosureTransport { _ in throw APIError(.offline, message: "There is no network in replay.") }
        let recording = try Recording(folder.file, mode: .replay, over: network, configure)
        return (recording, Client(testing: recording).host("https://forum.test").envelope(.raw))
    }

    @Test("recorded calls are replayed from the file, each response once and in order")
    func replays() async throws {
        try await record { request in
            for _ in 0..<2 { _ = try await request.get("/users").query(["page": 1]).value() }
            _ = try await request.get("/users").query(["page": 2]).value()
        }
        let (recording, request) = try replay()
        #expect(try await request.get("/users").query(["page": 2]).value().number.int == 3)
        #expect(try await request.get("/users").query(["page": 1]).value().number.int == 1)
        #expect(throws: RecordingError.self) { try recording.verify() }
        #expect(try await request.get("/users").query(["page": 1]).value().number.int == 2)
        try recording.verify()
        let error = await #expect(throws: APIError.self) { try await request.get("/users").query(["page": 1]).value() }
        #expect(error?.kind == .unrecorded)
        #expect(error?.message == "calls.har has given all of its 2 answers to GET https://forum.test/users?page=1.")
        #expect(throws: RecordingError.self) { try recording.verify() }
    }

    @Test("the file is an HTTP archive for other tools")
    func archive() async throws {
        try await record { _ = try await $0.post("/a").query(["q": "a b"]).json(["n": 1]).value() }
        let log = try JSON(parsing: Data(folder.text.utf8)).log
        #expect(log.version.string == "1.2")
        let entry = log.entries[0]
        #expect(entry.request.method.string == "POST")
        #expect(entry.request.url.string == "https://forum.test/a?q=a%20b")
        #expect(entry.request.queryString == [["name": "q", "value": "a b"]])
        #expect(entry.request.postData["text"].string == #"{"n":1}"#)
        #expect(entry.response.status.int == 200)
        #expect(entry.response.content.mimeType.string == "application/json")
        #expect(entry.startedDateTime.string?.hasSuffix("Z") == true)
        #expect(entry.timings.wait.double.map { $0 >= 0 } == true)
    }

    @Test("bodies with any bytes are recorded unchanged")
    func bytes() async throws {
        let bodies = [
            Data((0...255).map { UInt8($0) }), Data(), Data("\u{FEFF}line\r\n\t\u{1F603}".utf8), Data(#"{ "n": 1.50e3 }"#.utf8),
            Data([0xC3]),
        ]
        let mirror = ClosureTransport { request in
            TransportResponse(status: 200, headers: ["Content-Type": "application/x-made-up"], body: TransportBody(request.body ?? Data()))
        }
        try await record(over: mirror) { request in
            for body in bodies {
                _ = try await request.post("/mirror").body(body, contentType: "application/x-made-up").execute(.data).value
            }
        }
        let (recording, request) = try replay()
        for body in bodies.reversed() {
            #expect(try await request.post("/mirror").body(body, contentType: "application/x-made-up").execute(.data).value == body)
        }
        try recording.verify()
    }

    @Test("a JSON part of a form matches with its members in any order")
    func jsonPart() async throws {
        func upload(_ request: Request, _ json: String) async throws {
            try await request.post("/upload").multipart { form in
                form.data(Data(json.utf8), name: "caption", contentType: "application/json")
            }.execute(.void).value
        }
        try await record { try await upload($0, #"{"a":1,"b":[1,2]}"#) }
        try await upload(try replay().1, #"{"b":[1,2],"a":1}"#)
        await #expect(throws: APIError.self) { try await upload(try replay().1, #"{"b":[2,1],"a":1}"#) }
    }

    @Test("a form with files matches with any boundary, but not with other fields")
    func multipart() async throws {
        func upload(_ request: Request, _ name: String) async throws -> JSON {
            try await request.post("/upload").multipart { form in
                form.field("name", name)
                form.data(Data([0, 1, 0xFF]), name: "file", filename: "a.bin")
            }.value()
        }
        try await record { _ = try await upload($0, "Ann") }
        let (recording, request) = try replay()
        let error = await #expect(throws: APIError.self) { try await upload(request, "Bob") }
        #expect(error?.message.hasSuffix("but the part name is another one.") == true)
        #expect(try await upload(request, "Ann").number.int == 1)
        #expect(throws: RecordingError.self) { try recording.verify() }
    }

    @Test("a streamed body is recorded and reaches the server")
    func source() async throws {
        let body = BodySource(joining: [BodySource(Data("one ".utf8)), BodySource(Data("two".utf8))])
        try await record { request in
            let size = try await request.put("/log").body(body, contentType: "text/plain").value().size
            #expect(size.int == 7)
        }
        let (_, request) = try replay()
        #expect(try await request.put("/log").body(body, contentType: "text/plain").value().size.int == 7)
    }

    @Test("volatile params in a query, in JSON or in either kind of form do not prevent a match")
    func volatile() async throws {
        func calls(_ request: Request, _ nonce: Int) async throws -> [Int?] {
            [
                try await request.get("/a").query(["b": 1, "nonce": nonce, "x": 2, "ts": nonce]).value().number.int,
                try await request.post("/a").json(["nonce": nonce, "n": 1]).value().number.int,
                try await request.post("/a").form(["ts": nonce, "n": 1]).value().number.int,
                try await request.post("/a").multipart { form in
                    form.field("nonce", nonce)
                    form.field("n", 1)
                }.value().number.int,
            ]
        }
        let rules: (inout RecordingRules) -> Void = { $0.volatileParams.insert("ts") }
        try await record(rules) { _ = try await calls($0, 1) }
        let (recording, request) = try replay(rules)
        #expect(try await calls(request, 2) == [1, 2, 3, 4])
        try recording.verify()
    }

    @Test("a schedule of retries is replayed without waiting")
    func retries() async throws {
        let flaky = Stubs()
        flaky.get("/flaky").sequence(.status(503), .status(503), .json(["done": true]))
        try await record(over: flaky) { request in
            for _ in 0..<3 { _ = try? await request.get("/flaky").value() }
        }
        let (recording, request) = try replay()
        let call = request.get("/flaky").timeout(.seconds(100_000)).retry(.exponential(limit: 2, baseDelay: .seconds(10_000)))
        #expect(try await call.value().done.bool == true)
        try recording.verify()
    }

    @Test("the mode update sends only missing calls to the server and adds their responses")
    func update() async throws {
        try await record { _ = try await $0.get("/a").value() }
        let before = folder.text
        let server = echo()
        try await record(over: server, mode: .update) { _ = try await $0.get("/a").value() }
        #expect(server.requests.isEmpty)
        #expect(folder.text == before)
        try await record(over: server, mode: .update) { request in
            for path in ["/a", "/b", "/b"] { _ = try await request.get(path).value() }
        }
        #expect(server.requests.map(\.address.path) == ["/b", "/b"])
        let (recording, request) = try replay()
        for (path, number) in [("/a", 1), ("/b", 1), ("/b", 2)] { #expect(try await request.get(path).value().number.int == number) }
        try recording.verify()
    }

    @Test("a call without a response is not recorded")
    func failures() async throws {
        let lost = ClosureTransport { _ in throw APIError(.connectionLost, message: "lost") }
        try await record(over: lost) { request in
            let error = await #expect(throws: APIError.self) { try await request.get("/a").value() }
            #expect(error?.kind == .connectionLost)
        }
        let (_, request) = try replay()
        let error = await #expect(throws: APIError.self) { try await request.get("/a").value() }
        #expect(error?.message == "calls.har has no response to GET https://forum.test/a: it is empty.")
    }

    @Test(
        "the error of an unrecorded call names the nearest entry and the differences",
        arguments: [
            ("GET", "/users", ["page": 3], "entry 2, GET https://forum.test/users?page=2, but the query item page is 3, not 2."),
            ("GET", "/users", [:], "entry 2, GET https://forum.test/users?page=2, but the query item page is missing."),
            (
                "GET", "/users", ["page": 2, "all": 1],
                "entry 2, GET https://forum.test/users?page=2, but the query item all is there."
            ),
            ("GET", "/user", [:], "entry 2, GET https://forum.test/users?page=2, but the path is /user."),
            ("DELETE", "/rooms", [:], "entry 1, POST https://forum.test/rooms, but the method is DELETE, not POST."),
        ] as [(String, String, [String: Int], String)])
    func strays(_ method: String, _ path: String, _ query: [String: Int], _ nearest: String) async throws {
        try await record { request in
            _ = try await request.post("/rooms").json(["name": "red"]).value()
            _ = try await request.get("/users").query(["page": 2]).value()
        }
        let (_, request) = try replay()
        var params = Params()
        for (name, value) in query { params[name] = value }
        let call = request.path(path).method(HTTPMethod(method)).query(params)
        let message = await #expect(throws: APIError.self) { try await call.value() }?.message
        #expect(message?.hasSuffix(" The nearest is \(nearest)") == true, "\(message ?? "")")
    }

    @Test("the error of an unrecorded body names the first different member")
    func strayBody() async throws {
        try await record { _ = try await $0.post("/rooms").json(["room": ["name": "red"] as Params]).value() }
        let (_, request) = try replay()
        let error = await #expect(throws: APIError.self) {
            try await request.post("/rooms").json(["room": ["name": "blue"] as Params]).value()
        }
        #expect(error?.message.hasSuffix(#"but the body's room.name is "blue", not "red"."#) == true)
    }

    @Test("calls through API are replayed inside activate")
    func scope() async throws {
        try await record { _ = try await $0.get("/users").value() }
        let (recording, _) = try replay()
        let path = try await recording.activate {
            try await API.host("https://forum.test").get("/users").envelope(.raw).execute().map { $0.path.string }.value
        }
        #expect(path == "/users")
        try recording.verify()
    }

    @Test("an archive from a browser is replayed")
    func browser() async throws {
        try folder.write(
            #"""
            {"log": {"entries": [
              {"request": {"method": "GET", "url": "https://forum.test/users#top", "headers": [{"name": ":authority", "value": "forum.test"}]},
               "response": {"status": 0, "_error": "net::ERR_FAILED"}},
              {"request": {"method": "GET", "url": "https://forum.test/users", "headers": []},
               "response": {"status": 200, "headers": [{"name": "content-type", "value": "application/json"}],
                            "content": {"text": "WzFd", "encoding": "base64"}}}]}}
            """#)
        let (_, request) = try replay { $0.comparedHeaders = [] }
        #expect(try await request.get("/users").value(as: [Int].self) == [1])
    }

    @Test(
        "the error of a file that cannot be replayed gives the reason",
        arguments: [
            ("{", "calls.har cannot be read: "), ("{}", "calls.har is no HTTP archive: log.entries is missing."),
            (#"{"log": {"entries": [{}]}}"#, "calls.har is no HTTP archive: log.entries[0].request.method is no text."),
            (
                #"{"log": {"entries": [{"request": {"method": "GET", "url": "ftp://a"}}]}}"#,
                "calls.har is no HTTP archive: log.entries[0].request.url is no address."
            ),
            (
                #"{"log": {"entries": [{"request": {"method": "GET", "url": "https://a"}, "response": {"status": 200, "content": {"text": "*", "encoding": "base64"}}}]}}"#,
                "calls.har is no HTTP archive: log.entries[0].response.content.text is no base64."
            ),
        ])
    func unreadable(_ text: String, _ message: String) throws {
        try folder.write(text)
        let error = #expect(throws: RecordingError.self) { try replay() }
        #expect(error?.description.hasPrefix(message) == true)
        #expect(error?.localizedDescription == error?.description)
    }

    @Test("replaying without a file is an error")
    func missing() {
        let error = #expect(throws: RecordingError.self) { try replay() }
        #expect(error?.description == "There is no recording \(folder.file.path): make it with the mode record.")
    }
}
