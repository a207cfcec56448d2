import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("One request, several runs", .limitedParallelism)
struct RequestRunTests {
    /// Returns a client whose common values are the number of their closure's runs, and the stub that records its requests.
    private static func numbered() -> (client: Client, stub: ClosureTransport) {
        let stub = ClosureTransport { _ in .json("{}") }
        let client = Client(transport: stub)
        let (params, headers) = (Numbers(), Numbers())
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com/api"
            forum.params = ["v": "3"]
        }
        client.commonParams { _ in ["nonce": params.next()] }
        client.commonHeaders { _ in ["X-Nonce": "\(headers.next())"] }
        return (client, stub)
    }

    private final class Numbers: Sendable {
        private let count = AtomicCounter()

        func next() -> Int { count.add(1) }
    }

    // The second run must not treat the common values of the first run as values of the call.
    @Test("each run of a request runs the common closures anew and starts from an unchanged request")
    func twice() async throws {
        let (client, stub) = Self.numbered()
        let request = client.tag("forum").get("/rooms/{room}?x=1").params(["room": 7, "page": 1]).header("X-Call", adding: "a")
        for _ in 1...3 { _ = try await request.value() }
        #expect(
            stub.requests.map(\.sentLine)
                == (1...3).map { "GET https://forum.example.com/api/rooms/7?x=1&v=3&nonce=\($0)&page=1" })
        #expect(stub.requests.map { $0.headers.values(for: "X-Nonce") } == [["1"], ["2"], ["3"]])
        #expect(stub.requests.map { $0.headers.values(for: "X-Call") } == [["a"], ["a"], ["a"]])
    }

    @Test("a preview runs the common closures, but sends nothing and does not change the request")
    func preview() async throws {
        let (client, stub) = Self.numbered()
        let request = client.tag("forum").post("/a").params(["b": 1])
        let lines = try await [request.preview(), request.preview()].map(\.sentLine)
        #expect(lines == ["POST https://forum.example.com/api/a?v=3&nonce=1", "POST https://forum.example.com/api/a?v=3&nonce=2"])
        #expect(stub.requests.isEmpty)
        _ = try await request.value()
        #expect(stub.requests.map(\.sentLine) == ["POST https://forum.example.com/api/a?v=3&nonce=3"])
        #expect(stub.requests.map(\.sentBody) == [#"{"b":1}"#])
    }

    @Test("a thousand simultaneous runs of one request each have their own common values")
    func concurrently() async throws {
        let (client, stub) = Self.numbered()
        let request = client.tag("forum").post("/rooms/{room}").params(["room": 7, "page": 1])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 { group.addTask { _ = try await request.value() } }
            try await group.waitForAll()
        }
        let sent = stub.requests
        #expect(sent.count == 1000)
        #expect(Set(sent.map(\.sentLine)) == Set((1...1000).map { "POST https://forum.example.com/api/rooms/7?v=3&nonce=\($0)" }))
        #expect(Set(sent.map { $0.headers["X-Nonce"] }) == Set((1...1000).map { "\($0)" }))
        #expect(Set(sent.map(\.sentBody)) == [#"{"page":1}"#])
    }

    @Test("every step returns a copy and leaves the original request unchanged")
    func copies() async throws {
        let client = silentClient { $0.defaultHost = "https://h" }
        let base = client.get("/a").params(["x": 1]).header("X", "1").commonParams(.none)
        let former = try await base.preview()
        let changed = [
            base.host("https://g"), base.path("/b"), base.tag("t"), base.absoluteURL("https://g"), base.method(.put),
            base.post("/b"), base.params(["x": 2]), base.param("y", 1), base.param("x", nil), base.query(["z": 1]), base.encoding(.form),
            base.header("X", "2"), base.headers(["Y": "1"]), base.header("X", adding: "2"), base.header("X", nil), base.json([1]),
            base.form(["a": 1]), base.body(Data(), contentType: "a/b"), base.commonParams(.merged), base.commonHeaders(.none),
        ]
        #expect(changed.count == 20)
        #expect(try await base.preview() == former)
    }

    @Test(
        "the common closures receive the tag of the call, or nil", arguments: [nil, "forum", "never configured"] as [Catena.Tag?])
    func tags(tag: Catena.Tag?) async throws {
        let client = silentClient {
            $0.defaultHost = "https://h"
            $0.configure("forum") { _ in }
            $0.commonParams { tag in ["tag": tag?.name ?? "none"] }
            $0.commonHeaders { tag in ["X-Tag": tag?.name ?? "none"] }
        }
        let sent = try await client.tag(tag).get("/").preview()
        #expect(sent.address.query == "tag=" + (tag?.name ?? "none").replacing(" ", with: "%20"))
        #expect(sent.headers["X-Tag"] == tag?.name ?? "none")
    }

    @Test("common closures that return nothing leave the values of the call unchanged")
    func emptyClosures() async throws {
        let client = silentClient {
            $0.defaultHost = "https://h"
            $0.commonParams { _ in [:] }
            $0.commonHeaders { _ in ["X": nil] }
        }
        for placement in [CommonParams.query, .merged, .none] {
            let sent = try await client.post("/").params(["a": 1]).header("X", "1").commonParams(placement).preview()
            #expect(sent.sentLine == "POST https://h/")
            #expect(sent.sentBody == #"{"a":1}"#)
            #expect(sent.headers["X"] == "1")
        }
    }

    @Test("common closures do not run for values that the call leaves out")
    func unasked() async throws {
        let client = silentClient {
            $0.defaultHost = "https://h"
            $0.commonParams { _ in
                Issue.record("the closure for common params ran")
                return [:]
            }
            $0.commonHeaders { _ in
                Issue.record("the closure for common headers ran")
                return [:]
            }
        }
        #expect(try await client.get("/").commonParams(.none).commonHeaders(.none).preview().sentLine == "GET https://h/")
    }
}
