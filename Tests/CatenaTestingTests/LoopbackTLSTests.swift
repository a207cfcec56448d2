#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaLoopback
@testable import CatenaTesting

/// Whether libcurl's engine is available, which can trust a server's authority.
private var hasEngine: Bool { (try? CurlTransport()) != nil }

@Suite("Loopback server: TLS", .limitedParallelism, .enabled(if: LoopbackServer.offersTLS && hasEngine))
struct LoopbackTLSTests {
    /// Returns a client that trusts the server's authority and has the server's host.
    private static func client(
        of server: LoopbackServer, trusting authority: String?, pins: [String] = []
    ) throws -> Client {
        var configuration = CurlConfiguration()
        configuration.certificateAuthorityFile = authority
        configuration.pinnedPublicKeys = pins
        let client = Client(transport: try CurlTransport(configuration))
        client.configureDefaults { defaults in
            defaults.host = server.url
            defaults.envelope = .raw
        }
        return client
    }

    private static func client(of server: LoopbackServer, pins: [String] = []) throws -> Client {
        try client(of: server, trusting: server.certificateAuthorityFile, pins: pins)
    }

    // MARK: Trust

    @Test("a client with the server's authority trusts the server", arguments: ["127.0.0.1", "localhost"])
    func trusted(host: String) async throws {
        let server = try LoopbackServer(security: .tls)
        server.get("/users/{id}") { .json(["id": $0.parameters["id"]]) }
        #expect(server.url == "https://127.0.0.1:\(server.port)")
        let user = try await Self.client(of: server).host("https://\(host):\(server.port)").get("/users/7").value()
        #expect(user.id.string == "7")
        #expect(server.requests.map(\.target) == ["/users/7"])
    }

    @Test(
        "a server with a fault or without a trusted authority is refused with the reason",
        arguments: [
            (LoopbackServer.Security.tls, false, "no trusted authority signed it"), (.tls(.expired), true, "it has expired"),
            (.tls(.wrongHost), true, "it is for another host"),
        ])
    func refused(security: LoopbackServer.Security, hasAuthority: Bool, reason: String) async throws {
        let server = try LoopbackServer(security: security)
        server.get("/") { _ in .text("never") }
        let client = try Self.client(of: server, trusting: hasAuthority ? server.certificateAuthorityFile : nil)
        let error = try #require(await #expect(throws: APIError.self) { try await client.get("/").execute(.void).value })
        #expect(error.kind == .tls)
        #expect(error.message.contains(reason), "\(error)")
        #expect(server.requests.isEmpty)
    }

    @Test("a connection that the server ends during the handshake could not be made")
    func cutHandshake() async throws {
        let server = try LoopbackServer(security: .tls(.cutHandshake))
        server.get("/") { _ in .text("never") }
        let client = try Self.client(of: server)
        let error = try #require(await #expect(throws: APIError.self) { try await client.get("/").void() })
        #expect(error.kind == .connect && error.message.contains("ended during the TLS handshake"), "\(error)")
        #expect(server.requests.isEmpty)
    }

    @Test("a certificate that has its host only in the common name is refused")
    func commonName() async throws {
        let server = try LoopbackServer(security: .tls(.commonNameOnly))
        server.get("/") { _ in .text("never") }
        let call: Promise<Void> = try Self.client(of: server).host("https://localhost:\(server.port)").get("/").execute(.void)
        let error = try #require(await #expect(throws: APIError.self) { try await call.value })
        #expect(error.kind == .tls)
        #expect(error.message.contains("it names no host but in its common name"), "\(error)")
        // Before 7.80, and with an OpenSSL of its own, libcurl shows the certificate only when the request is sent.
        if CurlLibrary.checksNames || CurlLibrary.asksBeforeRequests { #expect(server.requests.isEmpty) }
    }

    @Test("a pinned key is accepted only if it is the server's own", arguments: [(true, false), (false, true), (true, true)])
    func pinned(hasRight: Bool, hasWrong: Bool) async throws {
        let server = try LoopbackServer(security: .tls)
        let other = try LoopbackServer(security: .tls)
        server.get("/") { _ in .text("ok") }
        let right = try #require(server.publicKeyPin)
        let wrong = try #require(other.publicKeyPin)
        let call: Promise<String> = try Self.client(of: server, pins: (hasWrong ? [wrong] : []) + (hasRight ? [right] : [])).get("/")
            .execute(.string)
        if hasRight {
            #expect(try await call.value == "ok")
        } else {
            #expect(await #expect(throws: APIError.self) { try await call.value }?.kind == .tls)
        }
    }

    @Test("all servers of the process have the same authority, as text and as a file")
    func authority() throws {
        let servers = try [LoopbackServer(security: .tls), LoopbackServer(security: .tls(.expired))]
        let text = try #require(servers[0].certificateAuthority)
        #expect(text.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(text.hasSuffix("-----END CERTIFICATE-----\n"))
        for server in servers {
            #expect(server.certificateAuthority == text)
            #expect(try String(contentsOfFile: #require(server.certificateAuthorityFile), encoding: .utf8) == text)
        }
        #expect(servers[0].publicKeyPin != servers[1].publicKeyPin)
    }

    @Test("a server without TLS has nothing to trust")
    func plain() throws {
        let server = try LoopbackServer()
        #expect(server.certificateAuthority == nil)
        #expect(server.certificateAuthorityFile == nil)
        #expect(server.publicKeyPin == nil)
    }

    // MARK: Bodies

    @Test(
        "a truncated body fails, with or without a length",
        arguments: [StubReply.text("0123456789"), .chunked(["0123456789"]), .body(Data(repeating: 7, count: 1_000_000))])
    func cut(answer: StubReply) async throws {
        let server = try LoopbackServer(security: .tls)
        server.get("/") { _ in answer.connectionLost(after: 4) }
        let error = await #expect(throws: APIError.self) { try await Self.client(of: server).get("/").execute(.string).value }
        #expect(error?.kind == .connectionLost)
        #expect(error?.message.contains("4 bytes of the body") == true, "\(String(describing: error))")
    }

    /// Checks the script instead of a client, because libcurl 7.88 accepts either end of such a body.
    @Test(
        "a closed connection ends TLS first, a cut connection does not",
        arguments: [
            (StubReply.raw("HTTP/1.1 200 OK\r\n\r\nab"), true), (.text("ab").closingConnection(), true),
            (.raw("HTTP/1.1 200 OK\r\n\r\nab").connectionLost(after: 99), false), (.text("ab").connectionLost(after: 1), false),
            (.connectionLost, false),
        ])
    func ending(answer: StubReply, endsTLS: Bool) {
        var script = ServerScript(answer, omitsBody: false, keepsAlive: true)
        var steps: [String] = []
        while let step = script.next() { steps.append("\(step)") }
        #expect(steps.last == "close")
        #expect(steps.contains("finishSession") == endsTLS)
    }

    @Test("a body that ends with the connection is received whole")
    func closeDelimited() async throws {
        let server = try LoopbackServer(security: .tls)
        server.get("/") { _ in .raw("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "0123456789", count: 100_000)) }
        #expect(try await Self.client(of: server).get("/").execute(.string).value.utf8.count == 1_000_000)
    }

    @Test("a large body is unchanged in both directions")
    func largeBody() async throws {
        let server = try LoopbackServer(security: .tls)
        server.post("/") { .body($0.body) }
        let content = Data((0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let call: Promise<Data> = try Self.client(of: server).post("/").body(content, contentType: "application/octet-stream").execute(
            .data)
        #expect(try await call.value == content)
    }

    @Test("a stalled body continues when its gate opens, and other requests are served before")
    func stalled() async throws {
        let server = try LoopbackServer(security: .tls)
        let gate = LoopbackGate()
        server.get("/stalled") { _ in .text("0123456789").stalled(after: 4, by: gate) }
        server.get("/") { _ in .text("ok") }
        let client = try Self.client(of: server)
        let stalled: Promise<String> = client.get("/stalled").execute(.string)
        await gate.entered(1)
        #expect(try await client.get("/").execute(.string).value == "ok")
        gate.open()
        #expect(try await stalled.value == "0123456789")
    }

    @Test("200 concurrent calls all receive their responses")
    func many() async throws {
        let server = try LoopbackServer(security: .tls)
        server.get("/{n}") { .text($0.parameters["n"] ?? "") }
        let client = try Self.client(of: server)
        let answers = try await Promise.all((0..<200).map { client.get("/\($0)").execute(.string) }).value
        #expect(answers == (0..<200).map(String.init))
        #expect(server.requestCount == 200)
    }

    @Test(
        "a connection without TLS is closed without a response", arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{4}xxxx"])
    func noTLS(bytes: String) async throws {
        let server = try LoopbackServer(security: .tls)
        server.get("/") { _ in .text("in the clear") }
        #expect(try await !exchange(bytes, with: server).text.contains("HTTP"))
        #expect(server.requestCount == 0)
        await server.connectionsClosed(1)
    }

    @Test("a server releases its OpenSSL objects, including those of its connections")
    func givesBack() async throws {
        var server: LoopbackServer? = try LoopbackServer(security: .tls)
        server?.get("/") { _ in .text("ok") }
        server?.get("/waits") { _ in .unanswered }
        let client = try Self.client(of: #require(server))
        #expect(try await client.get("/").execute(.string).value == "ok")
        let waiting: Promise<String> = client.get("/waits").execute(.string)
        await server?.requestsReceived(2)
        weak let identity = server?.core.identity
        #expect(identity != nil)
        let cage = Canary.Cage()
        server?.core.companion.withLock { $0 = cage.canary() }
        server = nil
        await cage.shrunk()
        #expect(identity == nil)
        await #expect(throws: APIError.self) { try await waiting.value }
    }
}

@Suite("Loopback server: errors of the start", .limitedParallelism) struct LoopbackStartErrorTests {
    @Test("an error of the start names the failed step and the reason")
    func words() {
        let error = LoopbackServer.StartError(security: "OpenSSL 3 (libssl.so.3) is not there")
        #expect("\(error)" == "the loopback server could not start: TLS: OpenSSL 3 (libssl.so.3) is not there")
    }
}
#endif
