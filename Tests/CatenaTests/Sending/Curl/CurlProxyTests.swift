#if os(Linux)
import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// Requests to a proxy, and the errors for its refusals. `.ci/interop` tests proxies of the environment and whole tunnels.
@Suite(.needsEngine, .limitedParallelism) struct CurlProxyTests {
    private func client(through proxy: String) throws -> Client {
        var configuration = CurlConfiguration()
        configuration.proxy = proxy
        return Client(transport: try CurlTransport(configuration))
    }

    @Test("a request over http goes to the proxy with its whole address", arguments: ["forum.example", "127.0.0.1:1"])
    func absoluteForm(host: String) async throws {
        let proxy = try LoopbackServer()
        proxy.on(nil, "/*") { .body($0.body) }
        let call = try client(through: proxy.url).host("http://\(host)").post("/a/b").query(["c": "d"])
            .header("Authorization", "Bearer made-up").body(Data("hello".utf8), contentType: "text/plain")
        #expect(try await call.execute(.string).value == "hello")
        let request = try #require(proxy.requests.first)
        #expect(request.target == "http://\(host)/a/b?c=d")
        #expect(request.headers["Host"] == host)
        #expect(request.headers["Authorization"] == "Bearer made-up")
        #expect(request.headers["Proxy-Authorization"] == nil)
    }

    @Test("an empty proxy setting means that calls use no proxy")
    func none() async throws {
        let server = try LoopbackServer()
        server.get("/a") { .text($0.target) }
        #expect(try await client(through: "").host(server.url).get("/a").execute(.string).value == "/a")
    }

    @Test(
        "a proxy's refusal to connect is an error with its status, and the proxy sees nothing of the request",
        arguments: [302, 400, 403, 407, 502])
    func refused(status: Int) async throws {
        let proxy = try LoopbackServer()
        proxy.on("CONNECT", "*") { _ in .text("proxy says made-up", status: status).header("Proxy-Authenticate", "Basic realm=\"x\"") }
        let call = try client(through: proxy.url).host("https://forum.example").get("/a").header("Authorization", "Bearer made-up")
        let error = await #expect(throws: APIError.self) { try await call.value() }
        #expect(error?.kind == .connect)
        #expect(error?.message == "The proxy refused to connect to the server: it answered \(status).")
        #expect(error?.status == nil)
        let request = try #require(proxy.requests.first)
        #expect(request.method == "CONNECT")
        #expect(request.target == "forum.example:443")
        #expect(request.headers["Authorization"] == nil)
        #expect(!request.headers.description.contains("made-up"))
    }

    @Test(
        "a proxy that violates HTTP or TLS fails its call and no other",
        arguments: [
            ("", 0, APIError.Kind.connectionLost), ("HTTP/1.1 200 Connected\r\n\r\nnot TLS at all", 0, .tls),
            ("garbage\r\n\r\n", 0, .connectionLost), ("HTTP/1.1 200 Connected\r\nX: ", 400_000, .connectionLost),
        ])
    func broken(start: String, letters: Int, kind: APIError.Kind) async throws {
        let proxy = try LoopbackServer()
        let answer = letters == 0 ? start : start + String(repeating: "a", count: letters) + "\r\n\r\n"
        proxy.on("CONNECT", "*") { _ in .raw(answer) }
        proxy.get("/*") { _ in .text("fine") }
        let client = try client(through: proxy.url)
        let error = await #expect(throws: APIError.self) { try await client.host("https://forum.example").get("/a").value() }
        #expect(error?.kind == kind, "\(String(describing: error))")
        #expect(try await client.host("http://forum.example").get("/a").execute(.string).value == "fine")
    }

    @Test("credentials in the address of a proxy go to the proxy, and are not shown")
    func credentials() async throws {
        let proxy = try LoopbackServer()
        proxy.on("CONNECT", "*") { _ in .status(407) }
        proxy.get("/*") { _ in .status(407) }
        let address = "http://ann:made-up@127.0.0.1:\(proxy.port)"
        let client = try client(through: address)
        var errors: [APIError] = []
        for scheme in ["http", "https"] {
            let call = client.host("\(scheme)://forum.example").get("/a")
            errors.append(try #require(await #expect(throws: APIError.self) { try await call.value() }))
        }
        #expect(errors.map(\.kind) == [.status, .connect])
        let expected = "Basic " + Data("ann:made-up".utf8).base64EncodedString()
        #expect(proxy.requests.map { $0.headers["Proxy-Authorization"] } == [expected, expected])
        let unserved = try #require(UnservedPort(.closed))
        for broken in [
            "http://ann:made-up@127.0.0.1:\(unserved.port)", "http://ann:made-up@proxy.invalid:1", "http://ann:made-up@:x",
            "odd://ann:made-up@127.0.0.1",
        ] {
            let call = try self.client(through: broken).host("http://forum.example").get("/a")
            let error = try #require(await #expect(throws: APIError.self) { try await call.value() })
            #expect([.connect, .dns, .invalidRequest].contains(error.kind), "\(error)")
            errors.append(error)
        }
        for error in errors {
            #expect(!"\(error) \(String(reflecting: error)) \(String(describing: error.underlying))".contains("made-up"))
        }
    }

    @Test(
        "an error shows a proxy without control characters and in bounded length",
        arguments: [("\u{1B}[31mhttp://x", 1), ("http://127.0.0.1:1\r\nX-Evil: 1", 1), ("http://a\u{202E}b", 1), ("x", 100_000)])
    func hostile(piece: String, times: Int) async throws {
        let proxy = String(repeating: piece, count: times)
        let call = try client(through: proxy).host("http://forum.example").get("/a")
        let error = try #require(await #expect(throws: APIError.self) { try await call.value() })
        let text = "\(error.message) \(String(describing: error.underlying))"
        #expect(!text.unicodeScalars.contains { $0.isControl })
        #expect(text.count < 1000)
    }

    @Test("a configuration shows no secrets")
    func description() {
        var configuration = CurlConfiguration()
        configuration.proxy = "http://ann:made-up@proxy.example.com:3128"
        configuration.clientKeyPassword = "made-up"
        configuration.clientKeyFile = "/etc/app/client.key"
        for text in ["\(configuration)", String(reflecting: configuration), "\([configuration])"] {
            #expect(text.contains("proxy ***@proxy.example.com:3128, key /etc/app/client.key"))
            #expect(!text.contains("made-up"))
        }
    }
}
#endif
