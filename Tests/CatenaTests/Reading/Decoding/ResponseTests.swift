import Catena
import CatenaTesting
import Foundation
import Testing

@Suite("A value with its response", .limitedParallelism)
struct ResponseTests {
    private func response<Value: Decodable & Sendable>(_ body: String, as type: Value.Type) async throws -> Response<Value> {
        let stub = ClosureTransport { _ in .json(body, status: 201, headers: ["X-Trace": "t1", "Set-Cookie": "sid=made-up"]) }
        return try await Client(transport: stub).host("https://forum.example.com").get("/users").query(["access_token": "made-up"])
            .execute(.response(as: type)).value
    }

    @Test("a response has its payload, status, headers, code, message, body, address and attempts")
    func everything() async throws {
        let body = #"{"code":"200","msg":"done","data":[1]}"#
        let response = try await response(body, as: [Int].self)
        #expect(response.payload == [1])
        #expect(response.status == 201)
        #expect(response.headers["x-trace"] == "t1")
        #expect(response.code == "200")
        #expect(response.message == "done")
        #expect(response.body == Data(body.utf8))
        #expect(response.url.absoluteString == "https://forum.example.com/users?access_token=made-up")
        #expect(response.attempts == 1)
        #expect(response.source == .stub)
        #expect(response.timings == nil)
        #expect(response.traceID == nil)
        #expect(response.extras.isEmpty)
    }

    @Test("trace id and extras come from the envelope")
    func companions() async throws {
        let stub = ClosureTransport { _ in .json(#"{"code":0,"data":1,"trace":"t1","meta":{"time":7}}"#) }
        let response = try await Client(transport: stub).absoluteURL("https://forum.example.com/x")
            .envelope(.standard.traceID("trace").extras("meta.time")).execute(.response(as: Int.self)).value
        #expect(response.traceID == "t1")
        #expect(response.extras == ["meta.time": 7])
    }

    private struct Canned: Transport {
        func send(_ request: HTTPRequest) async throws -> TransportResponse {
            TransportResponse(status: 200, body: TransportBody(Data("1".utf8)))
        }
    }

    @Test("a response comes from the network unless its transport says otherwise")
    func source() async throws {
        let response = try await Client(transport: Canned()).absoluteURL("https://forum.example.com/x").execute(.response(as: Int.self))
            .value
        #expect(response.source == .network)
    }

    @Test("a response without an envelope has neither code nor message")
    func plain() async throws {
        let response = try await response(#"{"message":"of the day"}"#, as: JSON.self)
        #expect(response.code == nil)
        #expect(response.message == "")
    }

    @Test("the description of a response is one line without secrets")
    func description() async throws {
        let response = try await response("{\"code\":0,\"msg\":\"a\\nb\",\"data\":\"made-up\"}", as: String.self)
        #expect("\(response)" == "status 201 · code 0 · a b · https://forum.example.com/users?access_token=***")
        #expect(!String(reflecting: response).contains("made-up"))
    }
}
