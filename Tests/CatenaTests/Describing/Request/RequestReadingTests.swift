import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The properties of a request", .limitedParallelism)
struct RequestReadingTests {
    private let stubs = Stubs()

    private func client() -> Client {
        let client = Client(testing: stubs)
        client.defaultHost = "https://example.com"
        client.configure("forum") { forum in
            forum.host = "https://forum.test/api"
            forum.headers = ["X-App": "forum"]
            forum.params = ["app": "ios"]
            forum.secrets = Secrets(headers: "X-Member", params: "member")
        }
        return client
    }

    /// A request, with its expected method, address and headers.
    struct Row: Sendable, CustomTestStringConvertible {
        let expected: String
        var headers: [String: String] = [:]
        let request: @Sendable (Client) -> Request

        init(_ expected: String, _ headers: [String: String] = [:], _ request: @escaping @Sendable (Client) -> Request) {
            self.expected = expected
            self.headers = headers
            self.request = request
        }

        var testDescription: String { expected }
    }

    static let rows = [
        Row("GET https://example.com/") { $0.request },
        Row("GET https://example.com/a") { $0.get("/a") },
        Row("GET https://example.com/a") { $0.get("a").params(["q": 1]) },
        Row("POST https://example.com/a") { $0.path("/a").json(["q": 1]) },
        Row("PUT https://forum.test/api/a", ["X-A": "1"]) { $0.tag("forum").path("/a").method(.put).header("X-A", "1") },
        Row("DELETE https://forum.test/api/rooms/{room}") { $0.tag("forum").delete("/rooms/{room}").params(["room": 7]) },
        Row("GET https://forum.test/api/rooms/a%2Fb") { $0.tag("forum").get("/rooms/\("a/b")") },
        Row("GET https://other.test/a?x=1") { $0.tag("forum").host("https://other.test/").get("/a?x=1") },
        Row("GET https://other.test/a") { $0.absoluteURL("https://other.test/a") },
        Row("GET https://forum.test/api/a", ["X-A": "1, 2", "X-Token": "***", "x-member": "***"]) {
            $0.tag("forum").get("/a").headers(["X-A": "1", "X-Token": "s3cret", "x-member": "s3cret", "X-Gone": "1"]).header(
                "X-A", adding: "2"
            )
            .header("X-Gone", nil)
        },
        Row("GET https://forum.test/api/a?token=***&member=***&q=1") { $0.tag("forum").get("/a?token=s3cret&member=s3cret&q=1") },
    ]

    @Test("an unsent request shows the values of its steps without their secrets", arguments: rows)
    func unsent(row: Row) {
        let request = row.request(client())
        #expect("\(request.method) \(request.absoluteURL)" == row.expected)
        #expect(Dictionary(request.headers.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" } == row.headers)
        #expect(stubs.requests.isEmpty)
    }

    @Test("an invalid address is shown as it was set, without its secrets")
    func noAddress() {
        for text in ["https://user:s3cret@example.com/a b", "no address?token=s3cret", "https://user:s3cret@example.com/a"] {
            let request = client().absoluteURL(text)
            #expect(!request.absoluteURL.contains("s3cret"), "\(request.absoluteURL)")
        }
        for host in ["admin:s3cret@example.com", "s3cret@example.com", "a@b:s3cret@example.com"] {
            let request = client().host(host).get("/a")
            #expect(!request.absoluteURL.contains("s3cret") && !"\(request)".contains("s3cret"), "\(request.absoluteURL)")
        }
        #expect(client().get("/a b").absoluteURL == "https://example.com/a%20b")
    }

    @Test("a path without a host is shown as a path, on one line")
    func paths() {
        let client = Client(transport: ClosureTransport { _ in .text("") })
        #expect(client.get("v1/users").absoluteURL == "v1/users")
        #expect(!client.get("/rooms\r\nX: y").absoluteURL.contains("\n"))
        #expect(client.host("https://h.test/").get("/rooms?sort=name").absoluteURL == "https://h.test/rooms?sort=name")
        #expect(client.host("https://h.test").get("rooms#x").absoluteURL == "https://h.test/rooms")
        #expect(client.host("https://h.test/").absoluteURL == "https://h.test/")
    }

    @Test("a request has the tag of its last tag step")
    func tag() {
        #expect(client().get("/a").tag == nil)
        #expect(client().tag("forum").get("/a").tag == "forum")
        #expect(client().tag("forum").get("/a").tag(nil).tag == nil)
    }

    @Test("the request of an error handler shows what was sent, including common values, without secrets", arguments: [true, false])
    func handled(isOfTag: Bool) async throws {
        stubs.get("https://forum.test/api/rooms/7").reply(status: 500)
        let client = client()
        client.configure("forum") { $0.authentication = .bearer("s3cret") }
        client.commonParams { _ in ["v": 2, "token": "s3cret"] }
        client.commonHeaders { _ in ["X-Common": "1", "X-Member": "s3cret"] }
        let seen = Recorder<(error: APIError, request: Request)>()
        let handler: ErrorHandler = { error, request in
            seen.note((error, request))
            return .proceed
        }
        if isOfTag { client.configure("forum") { $0.onError = handler } } else { client.onError(handler) }
        let request = client.tag("forum").get("/rooms/{room}").params(["room": 7, "q": "1"]).header("X-Own", "2")
        await #expect(throws: APIError.self) { try await request.execute(.void).value }
        let (error, read) = try #require(seen.events.first)
        #expect(read.method == .get && read.tag == "forum")
        #expect(read.absoluteURL == "https://forum.test/api/rooms/7?app=ios&v=2&token=***&q=1")
        let headers = ["X-Common": "1", "X-Own": "2", "X-App": "forum", "X-Member": "***", "Authorization": "***"]
        for (name, value) in headers { #expect(read.headers[name] == value, "\(name)") }
        #expect(error.request?.url == read.absoluteURL && error.request?.headers == read.headers)
        // The original request is unchanged.
        #expect(request.absoluteURL == "https://forum.test/api/rooms/{room}")
    }

    @Test("a step on the request of an error handler makes an unsent request that can be executed")
    func changed() async throws {
        stubs.get("https://example.com/a").reply(status: 500)
        stubs.get("https://example.com/b").reply(data: 1)
        let client = client()
        client.commonParams { _ in ["v": 2] }
        let read = Recorder<String>()
        client.onError { _, request in
            let steps: [Request] = [
                request, request.path("/b"), request.method(.put), request.params(["q": 1]), request.query("q", 1),
                request.tag("forum"), request.header("X-A", "1"), request.param("v", nil), request.json(["q": 1]),
                request.timeout(.seconds(1)),
            ]
            for step in steps { read.note("\(step.method) \(step.absoluteURL) \(step.headers["User-Agent"] ?? "none")") }
            if (try? await request.path("/b").execute(.void).value) != nil { read.note("executed") }
            return .proceed
        }
        await #expect(throws: APIError.self) { try await client.get("/a").execute(.void).value }
        #expect(
            read.events == [
                "GET https://example.com/a?v=2 Catena", "GET https://example.com/b none", "PUT https://example.com/a none",
                "GET https://example.com/a none", "GET https://example.com/a none", "GET https://forum.test/api/a none",
                "GET https://example.com/a none", "GET https://example.com/a none", "GET https://example.com/a none",
                "GET https://example.com/a?v=2 Catena", "executed",
            ])
    }

    /// Invalid calls, each with the expected request of its error.
    static let invalid = [
        Row("GET https://example.com/a") { $0.get("/a").json(["q": 1]) },
        Row("GET /a") {
            $0.defaultHost = nil
            return $0.get("/a")
        },
        Row("GET no host/a") { $0.host("no host").get("/a") },
        Row("GET https://example.com/rooms/{room}") { $0.get("/rooms/{room}") },
        Row("GET https://forum.test/api/a", ["X-A": "a\nb", "X-Member": "***"]) {
            $0.tag("forum").get("/a").headers(["X-A": "a\nb", "X-Member": "s3cret"])
        },
        Row("TRACE https://example.com/a") { $0.path("/a").method("TRACE") },
        Row("GET https://example.com/a?token=***") { $0.get("/a?token=s3cret").header("a b", "c") },
        Row("GET https://example.com/a") {
            $0.commonParams { _ in throw APIError(.invalidRequest, message: "none") }
            return $0.get("/a")
        },
        Row("GET https://example.com/a") {
            $0.shutdown()
            return $0.get("/a")
        },
    ]

    @Test("the error of an invalid call has a request, and the error handler receives an equal one", arguments: invalid)
    func described(row: Row) async throws {
        let client = client()
        let seen = Recorder<Request>()
        client.onError { _, request in
            seen.note(request)
            return .proceed
        }
        let error = await #expect(throws: APIError.self) { try await row.request(client).execute(.void).value }
        #expect(error?.kind == .invalidRequest)
        let request = try #require(error?.request)
        #expect(request.description == row.expected)
        for (name, value) in row.headers { #expect(request.headers[name] == value) }
        #expect(seen.events.map { "\($0.method) \($0.absoluteURL)" } == [row.expected])
        #expect(error?.attempts == 0 && stubs.requests.isEmpty)
        if let error { #expect(!"\(error) \(String(reflecting: error))".contains("s3cret")) }
    }

    @Test("the error of a call that times out before its request is made also has a request")
    func before() async throws {
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        client.defaultHost = "https://example.com"
        let request = client.get("/a").deadline(.seconds(1)).before { await untilCancelled() }
        let call: Promise<Void> = request.execute(.void)
        await clock.scheduled(.seconds(1))
        clock.advance(by: .seconds(1))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout && error?.request?.url == "https://example.com/a")
    }

    @Test("the request of an error has the host of a host provider")
    func provided() async throws {
        let client = Client(testing: stubs)
        client.configure("forum") { $0.hostProvider = FixedHost() }
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").json(["q": 1]).execute(.void).value }
        #expect(error?.request?.url == "https://provided.test/a")
    }

    private struct FixedHost: HostProvider {
        func host(for key: HostKey) async throws -> String { "https://provided.test" }
    }
}
