import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Following redirects")
struct RedirectsTests {
    /// A client whose transport redirects as the table says, by address, and answers 200 with an empty object elsewhere.
    private static func client(
        _ table: [String: (status: Int, location: String)],
        limit: Int? = nil,
        body: @escaping @Sendable () -> TransportBody = { TransportBody(Data()) }
    ) -> (client: Client, stub: StubTransport) {
        let stub = StubTransport { request in
            guard let (status, location) = table[request.address.text] else { return .json("{}") }
            return TransportResponse(status: status, headers: ["Location": location], body: body())
        }
        let client = Client(transport: stub)
        client.configureDefaults { defaults in
            defaults.host = "https://h"
            defaults.redirectLimit = limit
        }
        client.commonHeaders { _ in ["Authorization": "Bearer t"] }
        client.commonParams { _ in ["app": "ios"] }
        return (client, stub)
    }

    @Test("a call ends where the last redirect leads, and says so")
    func chain() async throws {
        let (client, stub) = Self.client([
            "https://h/a?app=ios": (302, "/b/c?x=1"), "https://h/b/c?x=1": (307, "d"), "https://h/b/d": (308, "?y"),
        ])
        let response = try await client.get("/a").response(as: JSON.self).value
        #expect(response.url.absoluteString == "https://h/b/d?y")
        #expect(response.attempts == 1)
        #expect(
            stub.requests.map(\.sentLine) == [
                "GET https://h/a?app=ios", "GET https://h/b/c?x=1", "GET https://h/b/d", "GET https://h/b/d?y",
            ])
        #expect(stub.requests.allSatisfy { $0.headers["Authorization"] == "Bearer t" })
    }

    @Test("credentials that were taken off at another origin do not come back at the first one")
    func thereAndBack() async throws {
        let (client, stub) = Self.client(["https://h/a?app=ios": (302, "https://g/b"), "https://g/b": (302, "https://h/c")])
        _ = try await client.get("/a").header("X-Secret", "s").value()
        #expect(stub.requests.map(\.address.text) == ["https://h/a?app=ios", "https://g/b", "https://h/c"])
        #expect(stub.requests.map { $0.headers.contains("Authorization") } == [true, false, false])
        #expect(stub.requests.map { $0.headers.contains("X-Secret") } == [true, false, false])
    }

    @Test("a body is sent again in the same origin, and goes when the method becomes GET")
    func bodies() async throws {
        let (client, stub) = Self.client(["https://h/a?app=ios": (307, "/b"), "https://h/b": (303, "/c")])
        _ = try await client.post("/a").json(["x": 1]).value()
        #expect(stub.requests.map(\.method) == [.post, .post, .get])
        #expect(stub.requests.map(\.sentBody) == [#"{"x":1}"#, #"{"x":1}"#, nil])
        #expect(stub.requests.map { $0.headers["Content-Type"] } == ["application/json", "application/json", nil])
    }

    // Row 70.
    @Test("more redirects than allowed end the call", arguments: [(nil, 21), (3, 4), (1, 2), (0, 1), (-1, 1)] as [(Int?, Int)])
    func limit(limit: Int?, sent: Int) async throws {
        // A loop, and a chain that never ends.
        for location in ["/a?app=ios", "x/a"] {
            let stub = StubTransport { _ in .status(302, headers: ["Location": location]) }
            let client = Client(transport: stub)
            client.configureDefaults { defaults in
                defaults.host = "https://h"
                defaults.redirectLimit = limit
            }
            let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
            #expect(error?.kind == .tooManyRedirects)
            #expect(error?.message == "There were more than \(max(limit ?? 20, 0)) redirects.")
            #expect(error?.attempts == 1)
            #expect(stub.requests.count == sent)
        }
    }

    @Test("as many redirects as allowed do not")
    func withinLimit() async throws {
        let (client, stub) = Self.client(["https://h/a?app=ios": (302, "/b"), "https://h/b": (302, "/c")], limit: 2)
        _ = try await client.get("/a").value()
        #expect(stub.requests.count == 3)
    }

    @Test(
        "a redirect that is refused rejects the call and sends nothing further",
        arguments: [
            (302, "http://h/b"), (302, "file:///etc/passwd"), (302, ""), (307, "https://g/b"),
        ])
    func refused(status: Int, location: String) async throws {
        let (client, stub) = Self.client(["https://h/a?app=ios": (status, location)])
        let error = await #expect(throws: APIError.self) { try await client.put("/a").json([1]).retry(.exponential(limit: 2)).value() }
        #expect(error?.kind == .redirect)
        #expect(error?.request?.url == "https://h/a?app=ios")
        #expect(stub.requests.count == 1)
    }

    // Row 72.
    @Test("the body of a redirect is nobody's answer", arguments: ["", "moved", #"{"code":7,"msg":"moved"}"#])
    func redirectBodies(text: String) async throws {
        let (client, stub) = Self.client(["https://h/a?app=ios": (302, "/b")]) { TransportBody(Data(text.utf8)) }
        #expect(try await client.get("/a").data().value == Data("{}".utf8))
        #expect(stub.requests.count == 2)
    }

    @Test("the limit of bodies holds for the answer itself, and an answer that is no redirect is read")
    func answerBodies() async throws {
        let stub = StubTransport { request in
            request.address.path == "/long" ? .text(String(repeating: "a", count: 11)) : .text("0123456789", status: 304)
        }
        let client = Client(transport: stub)
        client.configureDefaults { defaults in
            defaults.host = "https://h"
            defaults.bodyLimit = 10
        }
        let long = await #expect(throws: APIError.self) { try await client.get("/long").data().value }
        #expect(long?.kind == .bodyTooLarge)
        let unchanged = await #expect(throws: APIError.self) { try await client.get("/").data().value }
        #expect(unchanged?.status == 304)
        #expect(unchanged?.body == Data("0123456789".utf8))
    }
}
