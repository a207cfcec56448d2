import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite("Stubs and the local server: one request, one reply", .limitedParallelism)
struct StubAndServerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reply: StubReply
        let outcome: String

        init(_ name: String, _ reply: StubReply, _ outcome: String) {
            (testDescription, self.reply, self.outcome) = (name, reply, outcome)
        }
    }

    private static let ten = StubReply.text("0123456789")
    private static let name = "Ann"
    private static let gate: LoopbackGate = {
        let gate = LoopbackGate()
        gate.open()
        return gate
    }()

    @Test(
        "a call ends alike with a reply of a stub and of a server",
        arguments: [
            Row("text", ten, "0123456789"), Row("bytes", .body(Data("ab".utf8)), "ab"), Row("no content", .status(204), ""),
            Row("JSON", .json(["b": 1, "a": [nil]]), #"{"b":1,"a":[null]}"#), Row("JSON text", .json(text: "[7]"), "[7]"),
            Row("JSON of a value", .json(["a": 1] as [String: Int]), #"{"a":1}"#), Row("JSON bytes", .json(Data("[]".utf8)), "[]"),
            Row("JSON of a variable", .json(["name": name]), #"{"name":"Ann"}"#),
            Row("part of other bytes", .body(Data("xx0123".utf8).dropFirst(2)).dripping(3), "0123"),
            Row("payload", .reply(data: ["a": 1]), #"{"errcode":0,"data":{"a":1}}"#),
            Row("code", .reply(code: 7, message: "no"), "business 7"), Row("status", .status(503), "status 503"),
            Row("pieces", .chunked(["01", "", "23"]), "0123"), Row("repetition", .repeated(Data("ab".utf8), count: 3), "ababab"),
            Row("dripping", ten.dripping(3), "0123456789"), Row("held", ten.held(by: gate), "0123456789"),
            Row("stalled", ten.stalled(after: 4, by: gate).stalled(after: 2, by: gate), "0123456789"),
            Row("stalled pieces", .chunked(["01", "23"]).stalled(after: 1, by: gate), "0123"),
            Row("lost in the body", ten.connectionLost(after: 4), "connectionLost"),
            Row("lost after the body", ten.connectionLost(after: 10), "0123456789"), Row("lost", .connectionLost, "connectionLost"),
            Row("body too short", ten.withContentLength(11).closingConnection(), "connectionLost"),
            Row("body too long", ten.withContentLength(5).closingConnection(), "01234"),
        ])
    func outcome(row: Row) async throws {
        let stubs = Stubs()
        stubs.get("/a").reply(row.reply)
        let server = try LoopbackServer()
        server.get("/a") { _ in row.reply }
        #expect(await Self.outcome(Client(testing: stubs)) == row.outcome)
        #expect(await Self.outcome(Client(), at: server.url) == row.outcome)
    }

    private static func outcome(_ client: Client, at host: String? = nil) async -> String {
        let request = client.get("/a").retry(.never)
        do {
            return try await (host.map { request.host($0) } ?? request).string()
        } catch {
            guard let error = error as? APIError else { return "\(error)" }
            return error.kind == .status || error.kind == .business ? "\(error.kind.name) \(error.code)" : error.kind.name
        }
    }

    @Test("a request has the same members in a stub and in a server")
    func members() async throws {
        let stubs = Stubs()
        let server = try LoopbackServer()
        let members: @Sendable (StubRequest) -> StubReply = { request in
            .json([
                "method": JSON(stringLiteral: request.method.name), "target": JSON(stringLiteral: request.target),
                "path": JSON(stringLiteral: request.path), "query": JSON(stringLiteral: request.query("q") ?? "absent"),
                "none": JSON(stringLiteral: request.query("none") ?? "absent"),
                "header": JSON(stringLiteral: request.headers["X-One"] ?? ""),
                "text": JSON(stringLiteral: request.text), "json": request.json,
                "form": JSON(stringLiteral: request.form("a b") ?? "absent"),
                "length": JSON(integerLiteral: request.bodyLength), "bytes": JSON(integerLiteral: request.body.count),
                "room": JSON(stringLiteral: request.parameters["room"] ?? ""), "visit": JSON(integerLiteral: request.visit),
                "parts": JSON(integerLiteral: request.parts.count),
            ])
        }
        stubs.post("/rooms/{room}").reply { members($0) }
        server.post("/rooms/{room}") { members($0) }
        let room = "red one"
        for (client, host) in [(Client(testing: stubs), "https://stubs.test"), (Client(), server.url)] {
            let request = client.host(host).envelope(.raw).post("/rooms/\(room)").query(["q": "a+b c"]).header("X-One", "1")
            let form = try await request.form(["a b": "c&d"]).response(as: JSON.self).payload
            let expected: JSON = [
                "method": "POST", "target": "/rooms/red%20one?q=a%2Bb%20c", "path": "/rooms/red%20one", "query": "a+b c", "none": "absent",
                "header": "1", "text": "a%20b=c%26d", "json": nil, "form": "c&d", "length": 11, "bytes": 11, "room": "red one", "visit": 1,
                "parts": 0,
            ]
            #expect(form == expected)
            let json = try await request.json(["n": 7]).response(as: JSON.self).payload
            #expect(json.json == ["n": 7] && json.form == "absent" && json.visit == 2)
            let multipart = try await request.multipart { $0.field("a", "b") }.response(as: JSON.self).payload
            #expect(multipart.parts == 1)
        }
        #expect(server.requests.map(\.url).allSatisfy { $0.hasPrefix(server.url + "/rooms/") })
        #expect(stubs.requests.map(\.target) == server.requests.map(\.target))
    }

    @Test("a server keeps the delay and the gate of a failure that it does not have")
    func failureOfServer() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/a") { _ in .offline.held(by: gate) }
        let call = Client().get("/a").host(server.url).retry(.never).execute(.string)
        await gate.entered(1)
        gate.open()
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.status == 500)
    }

    @Test("a stub holds its reply at a gate")
    func held() async throws {
        let stubs = Stubs()
        let gate = LoopbackGate()
        stubs.get("/a").reply(.reply(data: 1).held(by: gate))
        let call = Client(testing: stubs).get("/a").execute(as: Int.self)
        await gate.entered(1)
        #expect(call.isPending)
        gate.open()
        #expect(try await call.value == 1)
    }

    @Test("a call that is cancelled at a gate or in a stalled body ends", arguments: [true, false])
    func cancelled(isStalled: Bool) async throws {
        let stubs = Stubs()
        let gate = LoopbackGate()
        let reply = StubReply.text("0123456789")
        stubs.get("/a").reply(isStalled ? reply.stalled(after: 4, by: gate) : reply.held(by: gate))
        let call = Client(testing: stubs).get("/a").execute(.string)
        await gate.entered(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test("a stub refuses bytes that need a connection, and a server a failure that it does not have")
    func impossible() async throws {
        let stubs = Stubs()
        stubs.get("/a").reply(.raw("HTTP/1.1 200 OK\r\n\r\n"))
        let server = try LoopbackServer()
        server.get("/a") { _ in .offline }
        let refusal = await #expect(throws: APIError.self) { try await Client(testing: stubs).get("/a").string() }
        #expect(refusal?.kind == .unstubbed)
        let error = await #expect(throws: APIError.self) { try await Client().host(server.url).get("/a").string() }
        #expect(error?.status == 500)
    }
}
