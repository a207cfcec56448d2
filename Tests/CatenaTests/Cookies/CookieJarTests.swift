import Catena
import CatenaTesting
import Foundation
import Testing

@Suite(.limitedParallelism) struct CookieJarTests {
    /// Sets a cookie on `/in`, leads elsewhere from `/away` and `/on`, and tells which cookies it got.
    let stub = StubTransport { request in
        switch request.address.path {
        case "/in": .json("1", headers: ["Set-Cookie": "session=made-up; Path=/"])
        case "/on": .status(302, headers: ["Location": "/next", "Set-Cookie": "hop=1; Path=/"])
        case "/away": .status(302, headers: ["Location": "https://other.example/next"])
        default: .json(#"{"data": "\#(request.headers["Cookie"] ?? "none")", "code": 0}"#)
        }
    }

    func client() -> Client {
        let client = Client(transport: stub)
        client.configure("forum") {
            $0.host = "https://forum.example.com"
            $0.cookieJar = CookieJar()
        }
        client.configure("wallet") { $0.host = "https://forum.example.com" }
        return client
    }

    @Test("a cookie is sent back by the tag that has a jar, and by no other") func isBoundToItsTag() async throws {
        let client = client()
        try await client.tag("forum").get("/in").void().value
        #expect(try await client.tag("forum").get("/me").value(as: String.self) == "session=made-up")
        #expect(try await client.tag("wallet").get("/me").value(as: String.self) == "none")
    }

    @Test("a cookie that a redirect sets goes along with the next request") func redirectSets() async throws {
        #expect(try await client().tag("forum").get("/on").value(as: String.self) == "hop=1")
    }

    @Test("a cookie does not cross an origin") func staysAtHome() async throws {
        let client = client()
        try await client.tag("forum").get("/in").void().value
        #expect(try await client.tag("forum").get("/away").value(as: String.self) == "none")
        #expect(stub.requests.map { $0.headers["Cookie"] } == [nil, "session=made-up", nil])
    }

    @Test("a header of the call's own is sent instead of the jar's") func ownHeaderWins() async throws {
        let client = client()
        try await client.tag("forum").get("/in").void().value
        #expect(try await client.tag("forum").get("/me").header("Cookie", "mine=1").value(as: String.self) == "mine=1")
    }

    @Test("a preview shows the cookies") func preview() async throws {
        let client = client()
        try await client.tag("forum").get("/in").void().value
        #expect(try await client.tag("forum").get("/me").preview().headers["Cookie"] == "session=made-up")
    }

    @Test("without a jar nothing is kept") func offByDefault() async throws {
        let client = Client(transport: stub)
        client.defaultHost = "https://forum.example.com"
        try await client.get("/in").void().value
        #expect(try await client.get("/me").value(as: String.self) == "none")
    }
}
