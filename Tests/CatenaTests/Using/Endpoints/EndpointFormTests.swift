import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

private struct Filter: Encodable, Sendable { var room = 7 }

private struct Dictionaries: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
    var method: String { "put" }
    var tag: String { "forum" }
    var params: [String: Any] { ["b": 2, "a": [1, "x"]] }
    var query: [String: String]? { ["q": "1"] }
    var headers: [String: String]? { ["X-A": "1"] }
}

private struct Values: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
    var method: HTTPMethod? { nil }
    var params: Filter { Filter() }
    var query: Params? { nil }
    var headers: [String: String?] { ["X-A": nil, "X-B": "2"] }
}

private struct Throwing: Endpoint {
    struct Reason: Error {}
    typealias Response = JSON
    var path: Path { "/a" }
    var headers: [String: String] { get throws { throw Reason() } }
}

private struct NoHeaders: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
    var headers: Int { 7 }
}

private struct NoParams: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
    var params: [Int] { [1] }
}

private struct NoQuery: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
    var query: [String: Any] { ["a": Thread.current] }
}

private struct NoMethod: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
    var method: Int { 1 }
}

private struct NoTag: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
    var tag: Int { 1 }
}

private struct NoBody: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
    var body: Data { Data() }
}

private struct NoTimeout: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
    var timeout: Double { 30 }
}

private struct Members: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path { "/a" }
    let query: String
    let params: [String: Int]
    let body: Int
    let cache: Bool
    let retry: Int
}

/// Encodes its member `text` under the name `headers`.
private struct Both: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path { "/a" }
    var headers: [String: String] { ["X-A": "1"] }
    let text: String

    private enum CodingKeys: String, CodingKey { case text = "headers" }
}

private struct Settings: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path { "/a" }
    var timeout: Duration = .seconds(3)
    var retry: RetryPolicy = .exponential(limit: 4)
    var cache: CachePolicy? = .never
    var page = 1
}

private struct ComputedTimeout: Endpoint {
    typealias Response = JSON
    var path: Path { "/a" }
    var timeout: Duration { .seconds(3) }
}

private struct Seconds: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path { "/a" }
    let timeout = 30.0
}

private struct StoredRetry: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path { "/a" }
    var retry = 3
}

private struct StoredHeaders: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path { "/a" }
    let headers: [String: String]? = ["X-A": "1"]
}

private struct StoredMethod: Endpoint, Encodable {
    typealias Response = JSON
    var path: Path { "/a" }
    let method: String
}

@Suite("Properties of an endpoint with the protocol's names", .limitedParallelism)
struct EndpointFormTests {
    private let client = Client(testing: Stubs())

    private func preview(_ endpoint: some Endpoint) async throws -> HTTPRequest { try await client.request(for: endpoint).preview() }

    @Test("params, query and headers may be dictionaries, method and tag text")
    func dictionaries() async throws {
        client.configure("forum") { $0.host = "https://forum.test" }
        let sent = try await preview(Dictionaries())
        #expect(sent.sentLine == "PUT https://forum.test/a?q=1")
        #expect(sent.sentBody == #"{"a":[1,"x"],"b":2}"#)
        #expect(sent.headers["X-A"] == "1")
    }

    @Test("params may be any Encodable object, and nil members are left out")
    func values() async throws {
        let sent = try await preview(Values())
        #expect(sent.sentLine == "GET https://stubs.test/a?room=7")
        #expect(sent.headers["X-A"] == nil && sent.headers["X-B"] == "2")
    }

    @Test("an error that an endpoint's property throws fails the call")
    func throwing() async throws {
        let error = await #expect(throws: APIError.self) { try await preview(Throwing()) }
        #expect(error?.underlying is Throwing.Reason)
    }

    static let misfits: [(endpoint: any Endpoint, property: String)] = [
        (NoHeaders(), "NoHeaders.headers"), (NoParams(), "NoParams.params"), (NoQuery(), "NoQuery.query"), (NoMethod(), "NoMethod.method"),
        (NoTag(), "NoTag.tag"), (NoBody(), "NoBody.body"), (NoTimeout(), "NoTimeout.timeout"),
    ]

    @Test("a property of an unsuitable type fails the call with its name", arguments: misfits.indices)
    func unfit(index: Int) async throws {
        let (endpoint, property) = Self.misfits[index]
        let error = await #expect(throws: APIError.self) { try await preview(endpoint) }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.contains(property) == true, "\(error?.message ?? "")")
    }

    @Test("an encoded member of an endpoint is a param, whatever its name")
    func members() async throws {
        let members = Members(query: "x", params: ["n": 1], body: 2, cache: true, retry: 3)
        #expect(try await preview(members).sentLine == "GET https://stubs.test/a?query=x&params%5Bn%5D=1&body=2&cache=true&retry=3")
        let both = try await preview(Both(text: "y"))
        #expect(both.sentLine == "GET https://stubs.test/a?headers=y" && both.headers["X-A"] == "1")
    }

    @Test("a timeout, a retry policy and a cache policy are settings of the call, not params")
    func settings() async throws {
        let request = client.request(for: Settings()).request
        #expect(try await request.preview().sentLine == "GET https://stubs.test/a?page=1")
        #expect(request.options[\.timeout] == .seconds(3))
        #expect(request.options[\.retry] == .exponential(limit: 4))
        #expect(request.options[\.cachePolicy] == .never)
        #expect(client.request(for: ComputedTimeout()).request.options[\.timeout] == .seconds(3))
    }

    static let misleading: [(endpoint: any Endpoint, line: String, told: String?)] = [
        (Seconds(), "GET https://stubs.test/a?timeout=30", "Seconds.timeout"),
        (StoredRetry(), "GET https://stubs.test/a?retry=3", "StoredRetry.retry"),
        (StoredHeaders(), "GET https://stubs.test/a?headers%5BX-A%5D=1", "StoredHeaders.headers"),
        (StoredMethod(method: "put"), "GET https://stubs.test/a?method=put", "StoredMethod.method"),
        (StoredMethod(method: "card"), "GET https://stubs.test/a?method=card", nil),
    ]

    @Test("a stored member that looks like a setting of the call is a param, and is reported once", arguments: misleading.indices)
    func misleadingMember(index: Int) async throws {
        let (endpoint, line, told) = Self.misleading[index]
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        for _ in 0..<2 { #expect(try await preview(endpoint).sentLine == line) }
        #expect(events.events.map(\.kind.name) == (told == nil ? [] : ["endpointMember"]))
        if let told { #expect(events.events.first?.message.hasPrefix(told) == true, "\(events.events)") }
    }
}
