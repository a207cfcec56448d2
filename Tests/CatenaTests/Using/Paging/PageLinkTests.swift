import CatenaTesting
import Testing

@testable import Catena

@Suite("Links from page to page", .limitedParallelism)
struct PageLinkTests {
    @Test(
        "links are followed through an interceptor that rewrites the host, and carry what the first request carried",
        arguments: [
            "?page=2", "/forum/users?page=2", "https://forum.example.com/users?page=2", "https://gateway.example.com/forum/users?page=2",
        ])
    func rewrittenLinks(link: String) async throws {
        let stub = ClosureTransport { request in
            .json(request.address.query == nil ? #"{"items":[1],"next":"\#(link)"}"# : #"{"items":[2]}"#)
        }
        let client = Client(transport: stub)
        client.defaultHost = "https://forum.example.com"
        client.commonHeaders { _ in ["X-Common": "1"] }
        client.intercept("gateway", with: HostRewrite(["forum.example.com": "https://gateway.example.com/forum"]).intercept)
        var items: [Int] = []
        for try await item in client.get("/users").commonHeaders(.merged).items(of: Int.self, by: .links) { items.append(item) }
        #expect(items == [1, 2])
        #expect(stub.requests.last?.address.text == "https://gateway.example.com/forum/users?page=2")
        #expect(stub.requests.map { $0.headers["X-Common"] } == ["1", "1"])
    }
}
