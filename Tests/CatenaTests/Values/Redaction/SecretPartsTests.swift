import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Secret params that fill a path", .limitedParallelism)
struct SecretPartsTests {
    /// Changes that interceptors make to a request.
    static let changes: [(name: String, change: @Sendable (inout HTTPRequest) throws -> Void)] = [
        ("none", { _ in }),
        ("another host", { $0 = try HostRewrite(["stubs.test": "https://mirror.test/forum"]).rewriting($0) }),
        ("another address", { $0.address = try SecretPartsTests.mirrored($0.address) }),
        (
            "other headers and another address",
            {
                $0.headers = ["X-Open": "open-1"]
                $0.address = try SecretPartsTests.mirrored($0.address)
            }
        ),
        (
            "a new request to another address",
            {
                $0 = HTTPRequest(method: $0.method, address: $0.address)
                $0.address = try SecretPartsTests.mirrored($0.address)
            }
        ),
    ]

    private static func mirrored(_ address: HTTPAddress) throws -> HTTPAddress {
        try HTTPAddress(parsing: "https://mirror.test\(address.target)")
    }

    @Test(
        "a secret param that fills a path stays hidden, also behind the question mark and after interceptors",
        arguments: ["/reset/{token}/x", "/verify?code={token}", "/a-{token}?id=1&code=b{token}"], changes.indices)
    func changed(path: String, row: Int) async throws {
        let stubs = Stubs()
        stubs.on(nil, "/**").reply(status: 500)
        let client = Client(testing: stubs)
        let lines = Recorder<String>()
        client.log(.verbose, to: LogSink { lines.note($0) })
        client.intercept("change") { call, next in
            var call = call
            try Self.changes[row].change(&call.request)
            return try await next(call)
        }
        let request = client.get(path).params(["token": "made-up 1/2"])
        let error = await #expect(throws: APIError.self) { try await request.execute(.void).value }
        await lines.reached(1)
        let sent = try #require(stubs.requests.last)
        for text in [lines.events.joined(), error.map { "\($0)" } ?? "", error?.request?.url ?? "", "\(sent)"] {
            #expect(!text.contains("made-up") && text.contains("***"), "\(text)")
        }
        #expect(sent.url.contains("made-up%201%2F2"))
    }

    @Test(
        "a secret param that fills a path stays hidden after a redirect, however the server encodes it",
        arguments: [
            "/reset/made-up%201%2F2/", "/reset/made-up%201%2f2/", "/login?next=/reset/made-up+1/2", "/login?next=made-up%201/2#a",
            "https://mirror.test/b?code=m%61de-up%201%2F2",
        ])
    func redirected(location: String) async throws {
        let stub = ClosureTransport { request in
            if request.address.path.hasPrefix("/start") { return .status(302, headers: ["Location": location]) }
            return .json(#"{"id":1}"#)
        }
        let request = Client(transport: stub).host("https://forum.test").get("/start/{token}").params(["token": "made-up 1/2"])
        let response = try await request.execute(.response(as: JSON.self)).value
        #expect("\(response)".contains("***"))
        #expect(!"\(response)".contains("de-up"), "\(response)")
        #expect(response.url.absoluteString.contains("de-up"))
    }

    @Test(
        "a secret param that fills a path stays hidden in a header that repeats it",
        arguments: ["Location", "Content-Location", "Link", "X-Next"],
        ["/reset/made-up%201%2F2", "https://forum.test/b?next=/reset/made-up+1%2f2#a", "<made-up 1/2>; rel=next"])
    func repeated(field: String, value: String) async throws {
        let stubs = Stubs()
        stubs.on(nil, "/**").reply(.status(500).header(field, value))
        let client = Client(testing: stubs)
        let lines = Recorder<String>()
        client.log(.verbose, to: LogSink { lines.note($0) })
        let request = client.get("/reset/{token}").header("Referer", "/reset/made-up 1/2").params(["token": "made-up 1/2"])
        let error = await #expect(throws: APIError.self) { try await request.execute(.void).value }
        await lines.reached(1)
        let shown = [
            lines.events.joined(), "\(error?.response?.headers ?? [:])", "\(error?.request?.headers ?? [:])",
        ]
        for text in shown { #expect(!text.contains("made-up") && text.contains("***"), "\(text)") }
    }
}
