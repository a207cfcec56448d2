import Catena
import CatenaTesting
import Foundation
import Testing

@Suite struct SmokeTests {
    @Test func stub() async throws {
        let stub = StubTransport { request in .json(#"{"code":0,"data":[1,2],"msg":"ok"}"#) }
        let client = Client(transport: stub)
        client.configure("forum") { $0.host = "https://forum.example.com/api" }
        client.commonParams { _ in ["app": "ios"] }
        client.commonHeaders { _ in ["X-A": "b"] }
        let v = try await client.tag("forum").path("/v1/rooms/{id}/users").params(["id": "a/b", "page": 1, "q": nil, "ids": [1, 2]]).value(as: [Int].self)
        #expect(v == [1, 2])
        print(stub.requests[0].address.text, stub.requests[0].headers)
        let p = try await client.tag("forum").post("/x").params(["a": 1]).preview()
        print(p.address.text, String(decoding: p.body!, as: UTF8.self), p.headers)
    }
    @Test func network() async throws {
        let j = try await Client().get("/x").host("http://127.0.0.1:9").value()
        print(j)
    }
}
