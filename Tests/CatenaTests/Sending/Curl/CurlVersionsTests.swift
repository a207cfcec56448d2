#if os(Linux) && canImport(Glibc)
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Versions of HTTP that a tag sets and libcurl or the server does not speak.
@Suite(.limitedParallelism, .needsEngine)
struct CurlVersionsTests {
    private static func client(_ server: LoopbackServer, speaking version: HTTPVersion) throws -> Client {
        let client = Client(transport: try CurlTransport())
        client.configure("forum") { forum in
            forum.host = server.url
            forum.httpVersion = version
            forum.retry = .exponential(limit: 3)
        }
        return client
    }

    private static let missing = (Engine.speaksHTTP2 ? [] : [HTTPVersion.http2]) + (Engine.speaksHTTP3 ? [] : [.http3])

    @Test("a version that libcurl does not speak fails the call, names the setting and sends nothing", arguments: missing)
    func notSpoken(version: HTTPVersion) async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1") }
        let client = try Self.client(server, speaking: version)
        for host in [server.url, "https://forum.example"] {
            client.configure("forum") { $0.host = host }
            let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").execute(.void).value }
            #expect(error?.kind == .invalidRequest)
            let words = error?.message ?? ""
            #expect(words.contains("httpVersion") && words.contains(CurlLibrary.versionText) && words.contains("\(version)"), "\(words)")
        }
        #expect(server.requestCount == 0)
    }

    @Test(
        "HTTP/2 without TLS, from a server that speaks HTTP/1.1 alone, fails the call and says so", .needsHTTP2,
        arguments: [HTTPMethod.get, .post])
    func unknownToServer(method: HTTPMethod) async throws {
        let server = try LoopbackServer()
        server.on(nil, "/*") { _ in .json(text: "1") }
        let client = try Self.client(server, speaking: .http2)
        client.configure("forum") { $0.retry = .never }
        let error = await #expect(throws: APIError.self) {
            try await client.tag("forum").path("/a").method(method).timeout(.seconds(20)).execute(.void).value
        }
        #expect(error?.kind == .connectionLost, "\(String(describing: error))")
        #expect(error?.message.contains("HTTP/2 without TLS") == true, "\(String(describing: error))")
        #expect(error?.message.contains("httpVersion") == true)
        // Other tags of the same host speak HTTP/1.1.
        #expect(try await client.host(server.url).get("/a").value(as: Int.self) == 1)
    }

    @Test("a stream without TLS uses HTTP/1.1, whatever the setting", .needsHTTP2)
    func stream() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .text("12345") }
        var count = 0
        for try await piece in try Self.client(server, speaking: .http2).tag("forum").get("/a").stream() { count += piece.count }
        #expect(count == 5)
    }
}
#endif
