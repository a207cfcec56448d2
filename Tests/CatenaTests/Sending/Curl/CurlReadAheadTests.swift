#if os(Linux)
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Bodies over TLS, of which several records are read at once.
@Suite("Reading ahead over TLS", .limitedParallelism, .needsEngine, .enabled(if: Engine.offersTLS, "there is no server over TLS"))
struct CurlReadAheadTests {
    private static func client(_ server: LoopbackServer, _ change: (inout CurlConfiguration) -> Void = { _ in }) throws -> Client {
        var configuration = CurlConfiguration()
        configuration.certificateAuthorityFile = server.certificateAuthorityFile
        change(&configuration)
        let client = Client(transport: try CurlTransport(configuration))
        client.defaultHost = server.url
        return client
    }

    private static func body(_ length: Int) -> Data { Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }) }

    @Test(
        "a body arrives whole and its connection serves again, however the server cuts it into records",
        arguments: [1, 100, 1000, 4096, 16_383, 16_384, 40_000, 1 << 20], [HTTPVersion.automatic, .http1])
    func records(length: Int, version: HTTPVersion) async throws {
        let server = try LoopbackServer(security: .tls)
        let body = Self.body(length == 1 ? 60_000 : 700_001)
        server.get("/a") { _ in .body(body).dripping(length) }
        let client = try Self.client(server)
        client.configureDefaults { $0.httpVersion = version }
        for _ in 0..<3 { #expect(try await client.get("/a").data() == body) }
        if Engine.keepsConnections { #expect(server.connectionCount == 1) }
    }

    @Test("a body that stalls within a record continues when the server does", arguments: [0, 1, 48 << 10, 99_999])
    func stalls(position: Int) async throws {
        let server = try LoopbackServer(security: .tls)
        let (gate, body) = (LoopbackGate(), Self.body(100_000))
        server.get("/a") { _ in .body(body).dripping(700).stalled(after: position, by: gate) }
        let client = try Self.client(server)
        let call = client.get("/a").execute(.data)
        await gate.entered(1)
        gate.open()
        #expect(try await call.value == body)
    }

    @Test("bytes in the record in which a response ends are never the head of the next response", arguments: Ending.allCases)
    func strayInRecord(ending: Ending) async throws {
        // An OpenSSL within libcurl cannot be asked for what it holds beyond libcurl's own buffer.
        if !CurlLibrary.checksNames, ending == .medium || ending == .long { return }
        let server = try LoopbackServer(security: .tls)
        let wrong = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
        server.get("/a") { _ in .raw(ending.response + Data(wrong.utf8), closing: false) }
        server.get("/b") { _ in .text("right") }
        let client = try Self.client(server)
        for _ in 0..<3 {
            #expect(try await client.get("/a").data().count == ending.length)
            #expect(try await client.get("/b").string() == "right")
        }
    }

    enum Ending: CaseIterable, Sendable {
        case none, empty, short, medium, long, chunked

        var length: Int {
            switch self {
            case .none, .empty: 0
            case .short, .chunked: 5
            case .medium: 20_000
            case .long: 100_000
            }
        }

        var response: Data {
            let body = String(repeating: "a", count: length)
            return switch self {
            case .none: Data("HTTP/1.1 204 No Content\r\n\r\n".utf8)
            case .chunked: Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n\(body)\r\n0\r\n\r\n".utf8)
            default: Data("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n\(body)".utf8)
            }
        }
    }

    @Test("a body that ends early is an error, and a cancelled call ends", arguments: [0, 30_000, 99_999])
    func cut(position: Int) async throws {
        let server = try LoopbackServer(security: .tls)
        let gate = LoopbackGate()
        server.get("/cut") { _ in .body(Self.body(100_000)).dripping(900).connectionLost(after: position) }
        server.get("/held") { _ in .body(Self.body(100_000)).dripping(900).stalled(after: position, by: gate) }
        let client = try Self.client(server)
        #expect(await client.get("/cut").execute(.data).result.apiError?.kind == .connectionLost)
        let call = client.get("/held").execute(.data)
        await gate.entered(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        gate.open()
    }
}
#endif
