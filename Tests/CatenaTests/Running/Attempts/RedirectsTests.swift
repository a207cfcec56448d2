import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Following redirects", .limitedParallelism)
struct RedirectsTests {
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
        client.defaultHost = "https://h"
        client.commonHeaders { _ in ["Authorization": "Bearer t"] }
        client.commonParams { _ in ["app": "ios"] }
    }

    private func redirect(_ address: String, _ status: Int = 302, to location: String, body: String = "") {
        stubs.on(nil, address).reply(.body(Data(body.utf8), status: status, contentType: "application/json").header("Location", location))
    }

    @Test("a call ends at the target of the last redirect, and its response has that URL")
    func chain() async throws {
        redirect("https://h/a?app=ios", to: "/b/c?x=1")
        redirect("https://h/b/c?x=1", 307, to: "d")
        stubs.get("https://h/b/d?y").reply(json: [:])
        redirect("https://h/b/d", 308, to: "?y")
        let response = try await client.get("/a").execute(.response(as: JSON.self)).value
        #expect(response.url.absoluteString == "https://h/b/d?y")
        #expect(response.attempts == 1)
        #expect(
            stubs.requests.compactMap(\.sent?.sentLine) == [
                "GET https://h/a?app=ios", "GET https://h/b/c?x=1", "GET https://h/b/d", "GET https://h/b/d?y",
            ])
        #expect(stubs.requests.allSatisfy { $0.headers["Authorization"] == "Bearer t" })
    }

    @Test("credentials that a redirect to another origin has removed do not return at the first origin")
    func thereAndBack() async throws {
        redirect("https://h/a?app=ios", to: "https://g/b")
        redirect("https://g/b", to: "https://h/c")
        stubs.get("https://h/c").reply(json: [:])
        _ = try await client.get("/a").header("X-Secret", "s").value()
        #expect(stubs.requests.map(\.url) == ["https://h/a?app=ios", "https://g/b", "https://h/c"])
        #expect(stubs.requests.map { $0.headers.contains("Authorization") } == [true, false, false])
        #expect(stubs.requests.map { $0.headers.contains("X-Secret") } == [true, false, false])
    }

    @Test("a body is sent again in the same origin, and dropped when the method becomes GET")
    func bodies() async throws {
        redirect("https://h/a?app=ios", 307, to: "/b")
        redirect("https://h/b", 303, to: "/c")
        stubs.get("https://h/c").reply(json: [:])
        _ = try await client.post("/a").json(["x": 1]).value()
        #expect(stubs.requests.map(\.method) == [.post, .post, .get])
        #expect(stubs.requests.map(\.sent?.sentBody) == [#"{"x":1}"#, #"{"x":1}"#, nil])
        #expect(stubs.requests.map { $0.headers["Content-Type"] } == ["application/json", "application/json", nil])
    }

    @Test("more redirects than allowed end the call", arguments: [(nil, 21), (3, 4), (1, 2), (0, 1), (-1, 1)] as [(Int?, Int)])
    func limit(limit: Int?, sent: Int) async throws {
        // A loop, and a chain that never ends.
        for location in ["/a?app=ios", "x/a"] {
            let stubs = Stubs()
            stubs.get("/**").reply(.status(302).header("Location", location))
            let client = Client(testing: stubs)
            client.configureDefaults { $0.redirectLimit = limit }
            let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
            #expect(error?.kind == .tooManyRedirects)
            #expect(error?.message == "There were more than \(max(limit ?? 20, 0)) redirects.")
            #expect(error?.attempts == 1)
            #expect(stubs.requests.count == sent)
        }
    }

    @Test("as many redirects as allowed are followed")
    func withinLimit() async throws {
        client.configureDefaults { $0.redirectLimit = 2 }
        redirect("https://h/a?app=ios", to: "/b")
        redirect("https://h/b", to: "/c")
        stubs.get("https://h/c").reply(json: [:])
        _ = try await client.get("/a").value()
        #expect(stubs.requests.count == 3)
    }

    @Test(
        "a redirect that is refused rejects the call and sends nothing further",
        arguments: [
            (302, "http://h/b"), (302, "file:///etc/passwd"), (302, ""), (307, "https://g/b"),
        ])
    func refused(status: Int, location: String) async throws {
        redirect("https://h/a?app=ios", status, to: location)
        let error = await #expect(throws: APIError.self) { try await client.put("/a").json([1]).retry(.exponential(limit: 2)).value() }
        #expect(error?.kind == .redirect)
        #expect(error?.request?.url == "https://h/a?app=ios")
        #expect(stubs.requests.count == 1)
    }

    @Test("the body of a redirect is ignored", arguments: ["", "moved", #"{"code":7,"msg":"moved"}"#])
    func redirectBodies(text: String) async throws {
        redirect("https://h/a?app=ios", to: "/b", body: text)
        stubs.get("https://h/b").reply(json: [:])
        #expect(try await client.get("/a").execute(.data).value == Data("{}".utf8))
        #expect(stubs.requests.count == 2)
    }

    @Test("the body limit applies to the response itself, and the body of a 304 is read")
    func answerBodies() async throws {
        stubs.get("/long").reply(text: String(repeating: "a", count: 11))
        stubs.get("/").reply(text: "0123456789", status: 304)
        client.configureDefaults { $0.bodyLimit = 10 }
        let long = await #expect(throws: APIError.self) { try await client.get("/long").execute(.data).value }
        #expect(long?.kind == .bodyTooLarge)
        let unchanged = await #expect(throws: APIError.self) { try await client.get("/").execute(.data).value }
        #expect(unchanged?.status == 304)
        #expect(unchanged?.body == Data("0123456789".utf8))
    }
}
