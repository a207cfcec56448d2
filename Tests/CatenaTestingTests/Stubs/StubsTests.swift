import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

struct User: Codable, Sendable, Equatable {
    let name: String
}

@Suite(.limitedParallelism) struct StubsTests {
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
        client.onDiagnostic { _ in }
    }

    @Test("a test uses the same chains as production code")
    func sentences() async throws {
        stubs.get("/v1/users").reply(code: 0, data: [User(name: "Ann")])
        stubs.post("/login").when { $0.json.email == "a@b.c" }.reply(status: 401)
        stubs.get("/v1/rooms/*").sequence(.status(503), .connectionLost, .reply(data: ["red", "blue"]))
        stubs.get("/slow").delay(.seconds(30)).reply(data: 1)

        #expect(try await client.get("/v1/users").value(as: [User].self) == [User(name: "Ann")])
        let error = await #expect(throws: APIError.self) { try await client.post("/login").params(["email": "a@b.c"]).value() }
        #expect(error?.status == 401)
        let rooms = try await client.get("/v1/rooms/7").retry(.exponential(limit: 2)).execute(.response(as: [String].self)).value
        #expect(rooms.payload == ["red", "blue"])
        #expect(rooms.attempts == 3)
        #expect(try await client.get("/slow").value(as: Int.self) == 1)
        #expect(stubs.clock.now == .seconds(31.5))
        try stubs.verify()
    }

    @Test("verifyWhenIdle waits for calls that the test does not await")
    func idle() async throws {
        stubs.get("/first").delay(.seconds(3)).reply(data: "second")
        stubs.get("/second").delay(.seconds(3)).reply(data: 1)
        client.get("/first").execute(as: String.self)
            .flatMap { [client] path in client.get("/" + path).execute(as: Int.self) }
            .catch { _ in }
        #expect(throws: StubFailure.self) { try stubs.verify() }
        try await stubs.verifyWhenIdle()
        client.get("/third").execute().catch { _ in }
        await #expect(throws: StubFailure.self) { try await stubs.verifyWhenIdle() }
    }

    @Test("a payload is wrapped in the tag's envelope")
    func ownEnvelope() async throws {
        client.configure("wallet") { wallet in
            wallet.host = "https://wallet.example.com/api"
            wallet.envelope = .standard.codes("result.code").message("result.text").data("payload").success("OK")
        }
        stubs.get("/balance").tag("wallet").times(1).reply(data: 7)
        stubs.get("/balance").tag("wallet").reply(code: "E9", message: "no money")
        stubs.get("/balance").reply(data: 8)
        let response = try await client.tag("wallet").get("/balance").execute(.response(as: Int.self)).value
        #expect(response.payload == 7)
        #expect(String(decoding: response.body, as: UTF8.self) == #"{"result":{"code":"OK"},"payload":7}"#)
        let error = await #expect(throws: APIError.self) { try await client.tag("wallet").get("/balance").value() }
        #expect(error?.code == "E9")
        #expect(error?.message == "no money")
        #expect(try await client.get("/balance").value(as: Int.self) == 8)
        let bare = try await client.get("/balance").envelope(.raw).execute(.response(as: Int.self)).value
        #expect(String(decoding: bare.body, as: UTF8.self) == "8")
    }

    @Test("a payload is encoded by the tag's encoder")
    func ownEncoder() async throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        client.configure("forum") { $0.encoder = encoder }
        stubs.get("/a").reply(data: ["userName": 1] as [String: Int])
        struct Named: Codable, Sendable { let userName: Int }
        stubs.get("/b").reply(data: Named(userName: 1))
        #expect(try await client.tag("forum").get("/b").value().user_name.int == 1)
    }

    @Test("a reply that the tag's envelope has no place for is an error")
    func noPlace() async {
        stubs.get("/a").reply(code: 7, message: "no")
        let error = await #expect(throws: APIError.self) { try await client.get("/a").envelope(.raw).value() }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message == "envelope: it has no place for a code")
    }

    @Test("the first matching stub that is not used up replies")
    func order() async throws {
        stubs.get("/a").times(2).reply(data: 1)
        stubs.get("/a").sequence(.reply(data: 2), .reply(data: 3))
        stubs.get("/**").reply(data: 4)
        var answers: [Int] = []
        for _ in 0..<6 { answers.append(try await client.get("/a").value(as: Int.self)) }
        #expect(answers == [1, 1, 2, 3, 4, 4])
    }

    @Test("a sequence can be repeated")
    func repeatedSequence() async throws {
        stubs.get("/a").times(2).sequence(.reply(data: 1), .reply(data: 2))
        var answers: [Int] = []
        for _ in 0..<4 { answers.append(try await client.get("/a").value(as: Int.self)) }
        #expect(answers == [1, 2, 1, 2])
        await #expect(throws: APIError.self) { try await client.get("/a").value() }
    }

    @Test("a reply closure receives the call, may await and may throw")
    func closures() async throws {
        stubs.post("/rooms/{room}/users").reply { call in
            .json(["room": JSON(stringLiteral: call.parameters["room"] ?? ""), "got": call.json.name])
        }
        stubs.get("/later").reply { call in
            await suspendOnce()
            return .text("page \(call.query("page") ?? "none")")
        }
        stubs.get("/never").reply { _ in throw CocoaError(.fileNoSuchFile) }
        let made = try await client.post("/rooms/a%20b/users").params(["name": "Ann"]).value()
        #expect(made == ["room": "a b", "got": "Ann"])
        #expect(try await client.get("/later").params(["page": 2]).execute(.string).value == "page 2")
        let error = await #expect(throws: APIError.self) { try await client.get("/never").value() }
        #expect(error?.underlying is CocoaError)
    }

    @Test("stubs record every attempt as it was sent")
    func calls() async throws {
        client.commonParams { _ in ["v": 3] }
        client.commonHeaders { _ in ["X-Common": "yes"] }
        stubs.get("/rooms/{id}").sequence(.status(503), .reply(data: 1))
        stubs.get("/other").reply(data: 1)
        _ = try await client.get("/rooms/7").params(["page": 2]).retry(.exponential(limit: 1)).value()
        _ = try await client.get("/other").value()
        let calls = stubs.requests(to: "/rooms/*")
        #expect(calls.map(\.attempt) == [1, 2])
        #expect(calls.map { $0.query("page") } == ["2", "2"])
        #expect(calls.map { $0.query("v") } == ["3", "3"])
        #expect(calls.map { $0.headers["x-common"] } == ["yes", "yes"])
        #expect(calls.map(\.parameters) == [["id": "7"], ["id": "7"]])
        #expect(stubs.requests(.post, to: "/rooms/*").isEmpty)
        #expect(stubs.requests.count == 3)
    }

    @Test("redirects are followed within the stubs")
    func redirects() async throws {
        stubs.get("/old").reply(StubReply.status(302).header("Location", "https://other.example.com/new"))
        stubs.get("https://other.example.com/new").reply(data: 1)
        #expect(try await client.get("/old").value(as: Int.self) == 1)
        try stubs.expect(.get, "/old").then(.get, "/new").times(1)
    }

    @Test("stubs keep the diagnostics of their clients, also inside a scope, beside a handler")
    func diagnostics() async throws {
        let stubs = Stubs()
        stubs.on(nil, "/a").reply(json: 1)
        let client = Client(testing: stubs)
        try await client.get("/a").void()
        #expect(stubs.diagnostics.isEmpty)
        client.onDiagnostic { _ in }
        try await client.get("/a").cache(.always).void()
        #expect(stubs.diagnostics.map(\.kind) == [.ineffectiveStep])
        // The line of the guide fails a test with a diagnostic.
        withKnownIssue { #expect(stubs.diagnostics.isEmpty) }
        try await stubs.activate {
            API.onDiagnostic { _ in }
            try await API.host("https://forum.example.com").get("/a").cache(.always).void()
        }
        #expect(stubs.diagnostics.map(\.kind) == [.ineffectiveStep, .ineffectiveStep])
    }
}
