#if os(Linux)
import CatenaTesting
import CatenaURLSession
import Foundation
import TestSupport
import Testing

@testable import Catena

/// The choice of a connection for each request, over every version of libcurl.
@Suite(.limitedParallelism, .needsEngine)
struct ConnectionUseTests {
    private static func engine(_ server: LoopbackServer, _ change: (inout CurlConfiguration) -> Void = { _ in }) throws -> Client {
        var configuration = CurlConfiguration()
        configuration.certificateAuthorityFile = server.certificateAuthorityFile
        change(&configuration)
        let client = Client(transport: try CurlTransport(configuration))
        client.defaultHost = server.url
        return client
    }

    @Test("a quick call does not wait for a slow one that began before it, over a server that speaks HTTP/1.1", arguments: [1, 2, 10])
    func besideSlow(count: Int) async throws {
        let server = try LoopbackServer(security: Engine.offersTLS ? .tls : .plain)
        let gate = LoopbackGate()
        server.get("/poll") { _ in .json(text: "1").held(by: gate) }
        server.get("/fine") { _ in .json(text: "2") }
        let client = try Self.engine(server)
        let polls = (0..<count).map { _ in client.get("/poll").execute(as: Int.self) }
        let quick = (0..<count).map { _ in client.get("/fine").timeout(.seconds(20)).execute(as: Int.self) }
        for call in quick { #expect(try await call.value == 2) }
        await gate.entered(count)
        gate.open()
        for call in polls { #expect(try await call.value == 1) }
    }

    @Test("calls to a server that closes each connection do not wait for each other")
    func closing() async throws {
        let server = try LoopbackServer(security: Engine.offersTLS ? .tls : .plain)
        let gate = LoopbackGate()
        server.get("/a") { _ in .json(text: "1").held(by: gate).closingConnection() }
        let client = try Self.engine(server)
        let calls = (0..<10).map { _ in client.get("/a").execute(as: Int.self) }
        // All of them are at the server at the same time.
        await gate.entered(10)
        gate.open()
        for call in calls { #expect(try await call.value == 1) }
    }

    @Test("if the first call to an origin fails, those that wait for its connection start at once", .needsTLS)
    func firstFails() async throws {
        let silent = try #require(UnservedPort(.silent))
        let client = Client(transport: try CurlTransport())
        client.defaultHost = "https://127.0.0.1:\(silent.port)"
        let first: Promise<Void> = client.get("/a").execute(.void)
        let others = (0..<5).map { _ in client.get("/a").timeout(.milliseconds(100)).execute(.void) }
        for call in others { #expect((await call.failure as? APIError)?.kind == .timeout) }
        first.cancel()
        #expect(await first.failure is CancellationError)
    }

    @Test(
        "a connection carries as many requests as requestsPerConnection allows",
        .enabled(if: CurlLibrary.asksBeforeRequests, "older versions keep no connection"),
        arguments: [1, 3])
    func requests(most: Int) async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1") }
        let client = try Self.engine(server) { $0.requestsPerConnection = most }
        for _ in 0..<6 { _ = try await client.get("/a").value(as: Int.self) }
        #expect(server.connectionCount == 6 / most)
    }

    @Test("a connection older than connectionAge is not used again")
    func age() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1") }
        let client = try Self.engine(server) { $0.connectionAge = .zero }
        for _ in 0..<3 { _ = try await client.get("/a").value(as: Int.self) }
        #expect(server.connectionCount == 3)
    }

    @Test("a connection is not used again after the time in the server's Keep-Alive header")
    func keepAlive() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1").header("Keep-Alive", "timeout=0, max=100") }
        let client = try Self.engine(server)
        for _ in 0..<3 { _ = try await client.get("/a").value(as: Int.self) }
        #expect(server.connectionCount == 3)
    }

    @Test("the lowest version of TLS is 1.2 unless the configuration says otherwise")
    func versions() throws {
        #expect(CurlConfiguration().minimumTLSVersion == .v1_2)
    }

    // MARK: Addresses of a host

    @Test("a tag's host is reached at the addresses set by resolve, with its own name in Host and TLS", arguments: [true, false])
    func resolved(isSecure: Bool) async throws {
        let server = try LoopbackServer(security: isSecure && Engine.offersTLS ? .tls : .plain)
        server.get("/a") { .text($0.headers["Host"] ?? "") }
        let client = try Self.engine(server)
        client.configure("blue") { blue in
            blue.host = server.url.replacing("127.0.0.1", with: "localhost")
            blue.resolve("localhost", to: ["127.0.0.1"])
        }
        #expect(try await client.tag("blue").get("/a").execute(.string).value == "localhost:\(server.port)")
    }

    @Test("two tags can reach one name at different addresses, and do not share connections")
    func blueAndGreen() async throws {
        let (one, two) = (try LoopbackServer(), UnservedPort(.closed))
        one.get("/a") { _ in .text("blue") }
        _ = two
        let client = try Self.engine(one)
        for (tag, address) in [("blue", "127.0.0.1"), ("green", "127.0.0.2")] as [(Catena.Tag, String)] {
            client.configure(tag) { profile in
                profile.host = "http://service.invalid:\(one.port)"
                profile.resolve("service.invalid", to: [address])
            }
        }
        for _ in 0..<3 {
            #expect(try await client.tag("blue").get("/a").execute(.string).value == "blue")
            let error = await #expect(throws: APIError.self) { try await client.tag("green").get("/a").execute(.string).value }
            #expect(error?.kind == .connect)
        }
    }

    @Test("text that is no address fails the call, and the error names resolve", arguments: ["localhost", "", "127.0.0.1:80"])
    func oddAddress(address: String) async throws {
        let client = Client(transport: try CurlTransport())
        client.configure("blue") { blue in
            blue.host = "http://service.invalid"
            blue.resolve("service.invalid", to: [address])
        }
        let error = await #expect(throws: APIError.self) { try await client.tag("blue").get("/a").execute(.void).value }
        #expect(error?.kind == .invalidRequest && error?.message.contains("resolve") == true)
    }

    @Test("URLSession, which looks up names itself, refuses a call to a host with addresses set by resolve")
    func overURLSession() async throws {
        let client = Client(transport: URLSessionTransport())
        client.configure("blue") { blue in
            blue.host = "http://service.invalid"
            blue.resolve("service.invalid", to: ["127.0.0.1"])
            blue.httpVersion = .http2
        }
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        for _ in 0..<2 {
            let error = await #expect(throws: APIError.self) { try await client.tag("blue").get("/a").execute(.void).value }
            #expect(error?.kind == .invalidRequest && error?.message.contains("resolve") == true)
        }
        #expect(events.events.map(\.kind) == [.transportFallback])
    }
}

extension Promise {
    fileprivate var failure: (any Error)? {
        get async {
            if case .failure(let error) = await result { error } else { nil }
        }
    }
}
#endif
