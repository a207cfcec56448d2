#if os(Linux) && canImport(Glibc)
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A libcurl that was built without TLS: `.ci/libcurls 7.88.1/plain` has one.
@Suite("A libcurl without TLS", .limitedParallelism, .needsEngine, .enabled(if: Engine.isThere && !Engine.speaksTLS, "libcurl has TLS"))
struct CurlWithoutTLSTests {
    private static let words = "The libcurl of this system was built without TLS."

    private static func engine() throws -> Client {
        let client = Client(transport: try CurlTransport())
        client.configureDefaults { $0.retry = .exponential(limit: 3) }
        return client
    }

    /// The ways in which a call can reach for the network.
    enum Call: CaseIterable, Sendable {
        case get, post, upload, data, download, stream

        func fail(over client: Client, to host: String) async -> APIError? {
            let request = client.host(host).get("/a")
            return await #expect(throws: APIError.self) {
                switch self {
                case .get: try await request.execute(.void).value
                case .post: try await request.method(.post).json(["n": 1]).execute(.void).value
                case .upload:
                    try await request.method(.put).body(Data(count: 200_000), contentType: "application/octet-stream").execute(.void).value
                case .data: _ = try await request.execute(.data).value
                case .download: _ = try await request.execute(.download(to: ScratchFolder().file("a"))).value
                case .stream: for try await _ in request.stream() {}
                }
            }
        }
    }

    @Test("fails each kind of https call once, and the error names the missing TLS", arguments: Call.allCases)
    func secure(call: Call) async throws {
        let closed = try #require(UnservedPort(.closed))
        let error = await call.fail(over: try Self.engine(), to: "https://127.0.0.1:\(closed.port)")
        #expect(error?.kind == .tls)
        #expect(error?.message == Self.words)
        #expect(error?.attempts == 1)
    }

    @Test("serves http beside many https calls at once")
    func besidePlain() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1") }
        let client = try Self.engine()
        let secure = (0..<50).map { client.host("https://forum.example").get("/\($0)").execute(.void) }
        for _ in 0..<50 { #expect(try await client.host(server.url).get("/a").value(as: Int.self) == 1) }
        for call in secure { #expect((await call.result.error as? APIError)?.message == Self.words) }
    }

    @Test("fails at a redirect that leads to https")
    func redirect() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in StubReply.status(302).header("Location", "https://forum.example/b") }
        let client = try Self.engine()
        let error = await #expect(throws: APIError.self) { try await client.host(server.url).get("/a").execute(.void).value }
        #expect(error?.kind == .tls && error?.message == Self.words)
    }

    @Test("fails a call through a proxy over TLS, and the error names the missing support")
    func proxy() async throws {
        let closed = try #require(UnservedPort(.closed))
        var configuration = CurlConfiguration()
        configuration.proxy = "https://127.0.0.1:\(closed.port)"
        let client = Client(transport: try CurlTransport(configuration))
        let error = await #expect(throws: APIError.self) { try await client.host("http://forum.example").get("/a").execute(.void).value }
        #expect(error?.kind == .connect, "\(String(describing: error))")
        #expect(error?.message.contains("HTTPS-proxy") == true, "\(String(describing: error))")
    }
}
#endif
