import AsyncHTTPClient
import Catena
import CatenaAsyncHTTPClient
import CatenaTesting
import Foundation
import TestSupport
import Testing

/// Tests what is particular to async-http-client. TransportTests covers the requirements of all transports.
@Suite("async-http-client", .limitedParallelism) struct AsyncHTTPClientTests {
    private func client(_ server: LoopbackServer, _ transport: AsyncHTTPClientTransport = AsyncHTTPClientTransport()) -> Client {
        let client = Client(transport: transport)
        client.defaultHost = server.url
        return client
    }

    @Test("a call over a transport that has been shut down fails without a retry, and its error says so")
    func shutDown() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1") }
        let transport = AsyncHTTPClientTransport()
        let client = client(server, transport)
        #expect(try await client.get("/a").value(as: Int.self) == 1)
        try await transport.shutdown()
        let error = await #expect(throws: APIError.self) { try await client.get("/a").retry(.exponential(limit: 3)).value() }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message == "The HTTPClient of the transport has been shut down.")
        #expect(error?.attempts == 1)
        await #expect(throws: HTTPClientError.alreadyShutdown) { try await transport.shutdown() }
    }

    @Test("shutting down the transport ends active calls")
    func shutDownUnderWay() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .unanswered }
        let transport = AsyncHTTPClientTransport()
        let call = client(server, transport).get("/a").execute(as: Int.self)
        await server.requestsReceived(1)
        try await transport.shutdown()
        guard case .failure(let error as APIError) = await call.result else { return #expect(Bool(false), "the call did not fail") }
        #expect(error.kind == .connectionLost)
    }

    @Test("a dropped transport finishes its calls and then closes its connections")
    func dropped() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .chunked(["1", "2"]) }
        var body: String?
        do {
            let client = client(server)
            body = try await client.get("/a").string()
        }
        #expect(body == "12")
        await server.connectionsClosed(1)
    }

    @Test("the redirect settings of the HTTPClient are ignored, because Catena follows redirects itself")
    func ownSettings() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .redirect(to: "/b") }
        server.get("/b") { _ in .text("b") }
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .follow(max: 5, allowCycles: true)
        let client = client(server, AsyncHTTPClientTransport(configuration))
        client.configureDefaults { $0.redirectLimit = 0 }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").string() }
        #expect(error?.kind == .tooManyRedirects)
        #expect(server.requestCount == 1)
    }

    @Test("a stream is sent piece by piece, with its length or in chunks", arguments: [Int64(6), nil])
    func upload(length: Int64?) async throws {
        let server = try LoopbackServer()
        server.put("/a") { .text($0.text) }
        let pieces = { @Sendable in
            AsyncStream<Data> { continuation in
                for piece in ["ab", "cd", "ef"] { continuation.yield(Data(piece.utf8)) }
                continuation.finish()
            }
        }
        let source = BodySource(stream: pieces, length: length)
        let echo = try await client(server).put("/a").body(source, contentType: "text/plain").string()
        #expect(echo == "abcdef")
        let request = try #require(server.requests.first)
        #expect(request.headers["Content-Length"] == length.map(String.init))
        #expect(request.headers["Transfer-Encoding"] == (length == nil ? "chunked" : nil))
    }

    @Test("a body that fails while it is sent fails the call with its own error")
    func brokenUpload() async throws {
        struct Broken: Error {}
        let server = try LoopbackServer()
        server.put("/a") { _ in .status(200) }
        let pieces = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("ab".utf8))
            continuation.finish(throwing: Broken())
        }
        let error = await #expect(throws: APIError.self) {
            try await client(server).put("/a").body(stream: pieces, length: 6, contentType: "text/plain").void()
        }
        #expect(error?.kind == .requestBody)
        #expect(error?.underlying is Broken)
    }

    @Test("lines arrive while the response is still being sent")
    func streaming() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .text("one\ntwo\nthree").stalled(after: 8) }
        var lines: [String] = []
        for try await line in client(server).get("/a").lines() {
            lines.append(line)
            if lines.count == 2 { break }
        }
        #expect(lines == ["one", "two"])
        await server.connectionsClosed(1)
    }

    @Test("a response is decompressed, and fails the call if it unpacks to more than bodyLimit")
    func decompression() async throws {
        let server = try LoopbackServer()
        // 1,000 letters "a", and 100,000 zero bytes.
        let (text, zeros) = (try #require(Data(base64Encoded: Compressed.text)), try #require(Data(base64Encoded: Compressed.zeros)))
        server.get("/text") { _ in .body(text).header("Content-Encoding", "gzip") }
        server.get("/zeros") { _ in .body(zeros).header("Content-Encoding", "gzip") }
        let client = client(server)
        client.configureDefaults { $0.bodyLimit = 50_000 }
        #expect(try await client.get("/text").string() == String(repeating: "a", count: 1000))
        #expect(server.requests.first?.headers["Accept-Encoding"] == "gzip, deflate")
        let error = await #expect(throws: APIError.self) { try await client.get("/zeros").data() }
        #expect(error?.kind == .bodyTooLarge)
    }

    @Test("an untrusted certificate is a TLS failure, and an unknown name is a DNS failure")
    func connecting() async throws {
        let transport = AsyncHTTPClientTransport()
        if LoopbackServer.offersTLS {
            let server = try LoopbackServer(security: .tls)
            let error = await #expect(throws: APIError.self) { try await client(server, transport).get("/a").value() }
            #expect(error?.kind == .tls)
        }
        let error = await #expect(throws: APIError.self) {
            try await Client(transport: transport).host("http://nobody.invalid").get("/a").value()
        }
        #expect(error?.kind == .dns)
    }
}

/// Compressed bodies (gzip) in base64.
private enum Compressed {
    static let text = "H4sIAAAAAAACA0tMHAWjYBQMdwAAA9o4mugDAAA="
    static let zeros =
        "H4sIAAAAAAACA+3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBXA32VEdSghgEA"
}
