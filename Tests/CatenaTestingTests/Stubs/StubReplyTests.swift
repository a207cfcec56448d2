import Catena
import CatenaTesting
import Foundation
import Testing

@Suite(.limitedParallelism) struct StubReplyTests {
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
    }

    @Test(
        "a fault of a stub fails the call as a fault of the network would",
        arguments: [
            (StubReply.timeout, APIError.Kind.timeout), (.offline, .offline), (.connectionLost, .connectionLost), (.tlsFailure, .tls),
            (.failure(.dns), .dns), (.unanswered, .timeout), (.malformedJSON, .decoding),
            (.text("0123456789").connectionLost(after: 4), .connectionLost),
            (.text("0123456789").withContentLength(11), .connectionLost),
            (.reply(data: [1, 2, 3]).connectionLost(after: 10), .connectionLost),
            (.file(URL(filePath: "/no/such/file.json")), .other),
        ])
    func faults(reply: StubReply, kind: APIError.Kind) async {
        stubs.get("/a").reply(reply)
        let error = await #expect(throws: APIError.self) { try await client.get("/a").value(as: [Int].self) }
        #expect(error?.kind == kind)
    }

    @Test(
        "a call receives the body of the reply",
        arguments: [
            (StubReply.text("0123456789"), "0123456789"), (.body(Data("ab".utf8)), "ab"),
            (.json(["b": 1, "a": [nil]]), #"{"b":1,"a":[null]}"#),
            (.status(204), ""), (.text("0123456789").dripping(3), "0123456789"),
            (.text("0123456789").dripping(3, every: .seconds(1)), "0123456789"),
            (.text("0123456789").withContentLength(5), "01234"), (.text("0123").connectionLost(after: 9), "0123"),
            (.chunked(["01", "", "23"]), "0123"), (.repeated(Data("ab".utf8), count: 2), "abab"), (.json(Data("[]".utf8)), "[]"),
            (.text("0123").connectionLost(after: 4), "0123"), (.reply(data: 1), #"{"errcode":0,"data":1}"#),
            (.reply(code: 200, data: "é", message: "fine"), #"{"errcode":200,"errmsg":"fine","data":"é"}"#),
            (.reply(data: ["a": 1, "b": "x"]), #"{"errcode":0,"data":{"a":1,"b":"x"}}"#),
            (.reply(data: ["a": 1]), #"{"errcode":0,"data":{"a":1}}"#), (.reply(data: []), #"{"errcode":0,"data":[]}"#),
            (.reply(data: ["a": Optional<String>.none]), #"{"errcode":0,"data":{"a":null}}"#),
        ])
    func bodies(reply: StubReply, text: String) async throws {
        stubs.get("/a").reply(reply)
        #expect(try await client.get("/a").execute(.string).value == text)
    }

    @Test("a stub replies with the bytes of a file and the media type of its name")
    func file() async throws {
        let file = URL.temporaryDirectory.appending(path: "\(UUID()).json")
        try Data(#"{"code": 0, "data": [1]}"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        stubs.get("/a").reply(file: file)
        let response = try await client.get("/a").execute(.response(as: [Int].self)).value
        #expect(response.payload == [1])
        #expect(response.headers["Content-Type"] == "application/json")
    }

    @Test("pieces arrive at their times, and a timeout can expire between them")
    func pieces() async throws {
        stubs.get("/a").reply(StubReply.text("0123456789").dripping(4, every: .seconds(2)))
        #expect(try await client.get("/a").timeout(.seconds(7)).execute(.string).value == "0123456789")
        #expect(stubs.clock.now == .seconds(4))
        let error = await #expect(throws: APIError.self) { try await client.get("/a").timeout(.seconds(3)).execute(.string).value }
        #expect(error?.kind == .timeout)
        #expect(stubs.clock.now == .seconds(7))
    }

    @Test("a stream receives the pieces of a reply, also of a call's own stub")
    func streamed() async throws {
        stubs.get("/a").reply(StubReply.text("one\ntwo\nthree").dripping(4, every: .seconds(1)))
        var lines: [String] = []
        for try await line in client.get("/a").lines() { lines.append(line) }
        for try await line in client.get("/b").stub(.text("four")).lines() { lines.append(line) }
        #expect(lines == ["one", "two", "three", "four"])
        #expect(stubs.clock.now == .seconds(3))
        #expect(stubs.requests.count == 1)
    }

    @Test("a header replaces one of the same name, and a reply may be delayed")
    func steps() async throws {
        stubs.get("/a").delay(.seconds(1)).reply(
            StubReply.text("1").header("content-type", "a/b").header("X-A", "1").delayed(by: .seconds(2)))
        let response = try await client.get("/a").execute(.response(as: Int.self)).value
        #expect(response.headers["Content-Type"] == "a/b")
        #expect(response.headers["X-A"] == "1")
        #expect(stubs.clock.now == .seconds(3))
    }

    @Test("random faults are equal in every run with one seed, and have about the given rate")
    func randomFaults() async throws {
        func run(seed: UInt64) async -> [Bool] {
            let stubs = Stubs()
            let client = Client(testing: stubs)
            stubs.get("/a").faults(.connectionLost, .status(503), rate: 0.3, seed: seed).reply(data: 1)
            var failed: [Bool] = []
            for _ in 0..<200 { failed.append((try? await client.get("/a").value()) == nil) }
            return failed
        }
        let first = await run(seed: 7)
        #expect(await run(seed: 7) == first)
        #expect(await run(seed: 8) != first)
        #expect((40...80).contains(first.count { $0 }))
    }

    @Test("a client has the same random delays in every run with the same seed")
    func seededClient() async throws {
        func time(seed: UInt64) async -> Duration {
            let stubs = Stubs()
            let client = Client(testing: stubs, seed: seed)
            stubs.get("/a").reply(status: 503)
            _ = try? await client.get("/a").retry(.exponential(limit: 3)).value()
            return stubs.clock.now
        }
        let first = await time(seed: 1)
        #expect(await time(seed: 1) == first)
        #expect(await time(seed: 2) != first)
        #expect(first > .zero && first < .seconds(3.5))
    }

    // MARK: One call

    @Test("a call can have a stub of its own, wrapped and delayed like any other")
    func perCall() async throws {
        let request = client.get("/a").stub(.reply(data: 7).delayed(by: .seconds(3)))
        for _ in 0..<2 { #expect(try await request.value(as: Int.self) == 7) }
        #expect(stubs.clock.now == .seconds(6))
        #expect(stubs.requests.isEmpty)
        #expect(try await client.get("/a").stub(data: "x").value(as: String.self) == "x")
        let error = await #expect(throws: APIError.self) { try await client.get("/a").stub(.status(404)).value() }
        #expect(error?.status == 404)
    }

    @Test("the replies of a call's own stub go to its attempts, and one more attempt fails")
    func perCallSequence() async throws {
        let request = client.get("/a").stub(.status(503), .reply(data: 7)).retry(.exponential(limit: 1))
        #expect(try await request.value(as: Int.self) == 7)
        let error = await #expect(throws: APIError.self) { try await request.value() }
        #expect(error?.message == "stub: all of the 2 replies have been given, and GET https://stubs.test/a is one more.")
    }

    // MARK: Demonstrations

    @Test("a client for demonstrations responds with files", arguments: [true, false])
    func demo(delayed: Bool) async throws {
        let folder = URL.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, text) in [
            "forum/v1/users.json": #"{"code": 0, "data": 1}"#, "forum/v1/users.post.json": "2", "forum/v1/rooms/_.json": "3",
            "forum/v1/rooms/7.get.json": "4", "free.json": "5", "forum/v1/_/users.json": "6", "secret.json": "7",
        ] {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let client = Client(demo: folder, delay: delayed ? .milliseconds(1) : .zero)
        client.defaultHost = "https://demo.test"
        client.configure("forum") { $0.host = "https://forum.example.com/api" }
        let forum = client.tag("forum")
        #expect(try await forum.get("/v1/users").value(as: Int.self) == 1)
        #expect(try await forum.post("/v1/users").value(as: Int.self) == 2)
        #expect(try await forum.get("/v1/rooms/8").value(as: Int.self) == 3)
        #expect(try await forum.get("/v1/rooms/7").value(as: Int.self) == 4)
        #expect(try await forum.get("/v1/9/users").value(as: Int.self) == 6)
        #expect(try await client.get("/free").value(as: Int.self) == 5)
        let error = await #expect(throws: APIError.self) { try await forum.put("/v2/users").value() }
        #expect(error?.kind == .unstubbed)
        #expect(
            error?.message == "There is no fixture for PUT https://forum.example.com/api/v2/users (tag forum): "
                + "v2/users.put.json or v2/users.json in forum.")
        let outside = await #expect(throws: APIError.self) { try await forum.get("/%2E%2E%2Fsecret").value() }
        #expect(outside?.kind == .unstubbed)
    }
}
