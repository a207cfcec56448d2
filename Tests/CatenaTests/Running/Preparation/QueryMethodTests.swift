import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Calls with the method QUERY", .limitedParallelism)
struct QueryMethodTests {
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
        client.configureDefaults { $0.cache = .memory(limit: 100_000) }
    }

    private func search(_ text: String = "red", path: Path = "/search") -> Request {
        client.method(.query).path(path).json(["term": text, "limit": 5])
    }

    /// Responds with the number of responses so far.
    private func answer(_ path: Path = "/search", _ change: @escaping @Sendable (StubReply) -> StubReply = { $0 }) {
        let count = Counter()
        stubs.on(.query, path).reply { _ in
            count.increment()
            return change(.reply(data: count.count))
        }
    }

    @Test("the params of a QUERY are its body, unless it has another one")
    func params() async throws {
        answer()
        _ = try await client.method(.query).path("/search").params(["term": "red"]).value(as: Int.self)
        _ = try await search().params(["page": 2]).value(as: Int.self)
        #expect(stubs.requests.map { $0.json.term.string } == ["red", "red"])
        #expect(stubs.requests.map { $0.query("page") } == [nil, "2"])
        #expect(stubs.requests.map { $0.headers["Content-Type"] } == ["application/json", "application/json"])
    }

    @Test("a QUERY is retried, and sent once more after a dead connection, like a GET")
    func retried() async throws {
        stubs.on(.query, "/search").sequence(.status(503), .failure(.connectionLost), .reply(data: 7))
        #expect(try await search().retry(.exponential(limit: 2)).value(as: Int.self) == 7)
        #expect(stubs.requests.map { $0.json.term.string } == ["red", "red", "red"])
    }

    @Test("the tag's hedge applies to a QUERY")
    func hedged() async throws {
        client.configureDefaults { $0.hedgeDelay = .seconds(1) }
        stubs.on(.query, "/search").sequence(.reply(data: 1).delayed(by: .seconds(60)), .reply(data: 2))
        #expect(try await search().value(as: Int.self) == 2)
        #expect(stubs.requests.count == 2)
    }

    @Test("identical QUERYs in progress share a response, and others do not")
    func shared() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.on(.query, "/search").reply { call in
            try await gate.value
            return .reply(data: call.json.term.string ?? "")
        }
        let red = search().set(\.dedupe, true)
        let calls = [red, red, search("blue").set(\.dedupe, true)].map { $0.execute(as: String.self) }
        try await joined(2, red, isOnce: false)
        await stubs.requestsReceived(2)
        resolver.fulfill(())
        var values: [String] = []
        for call in calls { values.append(try await call.value) }
        #expect(values == ["red", "red", "blue"])
        #expect(stubs.requests.count == 2)
    }

    @Test("a response is kept under the bytes of its content, and revalidated")
    func cached() async throws {
        stubs.on(.query, "/search").header("If-None-Match", "\"1\"").reply(.status(304).header("Cache-Control", "max-age=60"))
        answer { $0.header("ETag", "\"1\"").header("Cache-Control", "max-age=60") }
        #expect(try await search().value(as: Int.self) == 1)
        #expect(try await search().value(as: Int.self) == 1)
        #expect(try await search("blue").value(as: Int.self) == 2)
        let confirmed = try await search().header("Cache-Control", "no-cache").response(as: Int.self)
        #expect(confirmed.payload == 1)
        #expect(confirmed.freshness == .revalidated)
        #expect(stubs.requests.count == 3)
        #expect(stubs.requests.last?.json.term.string == "red")
        // A server may sort by the first member, or read the last one of two.
        let other = client.method(.query).path("/search").json(["limit": 5, "term": "red"])
        #expect(try await other.value(as: Int.self) == 3)
    }

    @Test("a change of the address makes the responses of all its QUERYs stale, and a QUERY none")
    func changed() async throws {
        answer { $0.header("Cache-Control", "max-age=60") }
        stubs.post("/search").reply(data: true)
        for text in ["red", "blue", "red"] { _ = try await search(text).value(as: Int.self) }
        #expect(stubs.requests.count == 2)
        try await client.post("/search").void()
        #expect(try await search().value(as: Int.self) == 3)
        #expect(try await search("blue").value(as: Int.self) == 4)
    }

    @Test("a lifetime that the server does not state is not estimated for a QUERY")
    func estimated() async throws {
        answer { $0.header("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT") }
        for number in 1...2 { #expect(try await search().value(as: Int.self) == number) }
    }

    @Test("values(of:) gives the kept value of a QUERY first")
    func values() async throws {
        answer { $0.header("Cache-Control", "max-age=60") }
        _ = try await search().value(as: Int.self)
        #expect(try await search().values(of: Int.self).collected() == [1, 2])
    }

    @Test("a redirect keeps method and body in the same origin, and 303 asks for the result by GET", arguments: [301, 302, 303, 307, 308])
    func redirected(status: Int) async throws {
        stubs.on(.query, "/search").reply(.status(status).header("Location", "/results/7"))
        stubs.on(nil, "/results/7").reply(data: 7)
        #expect(try await search().value(as: Int.self) == 7)
        #expect(stubs.requests.last?.method == (status == 303 ? .get : .query))
        #expect(stubs.requests.last?.text == (status == 303 ? "" : stubs.requests[0].text))
    }

    @Test("no redirect takes the body of a QUERY to another origin", arguments: [301, 302, 307, 308])
    func redirectedElsewhere(status: Int) async throws {
        stubs.on(.query, "/search").reply(.status(status).header("Location", "https://other.example.com/search"))
        let error = await #expect(throws: APIError.self) { try await search().value(as: Int.self) }
        #expect(error?.kind == .redirect)
        #expect(stubs.requests.count == 1)
    }

    @Test("a signature covers the body of a QUERY like that of a POST")
    func signed() async throws {
        client.configureDefaults { $0.signer = ParameterSigner(.md5, secret: .suffix("made-up")) }
        for method in [HTTPMethod.query, .post] {
            stubs.on(method, "/signed").reply(data: 1)
            _ = try await client.method(method).path("/signed").params(["term": "red"]).value(as: Int.self)
        }
        #expect(stubs.requests[0].json == stubs.requests[1].json)
        #expect(stubs.requests[0].text.contains("sign") || stubs.requests[0].query("sign") != nil)
        #expect(stubs.requests[0].url == stubs.requests[1].url)
    }
}
