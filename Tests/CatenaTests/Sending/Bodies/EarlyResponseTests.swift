#if os(Linux)
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Responses that are complete while the request is still being sent.
@Suite(.limitedParallelism, .needsEngine)
struct EarlyResponseTests {
    static let responses = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine", "fine"), ("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", ""),
        ("HTTP/1.1 204 No Content\r\n\r\n", ""), ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n", "fine"),
        ("HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nfine", "fine"),
    ]

    private static func client(of server: EarlyServer) throws -> Client {
        let client = Client(transport: try CurlTransport())
        client.defaultHost = "http://127.0.0.1:\(server.port)"
        client.configureDefaults { $0.envelope = .raw }
        return client
    }

    /// A call whose body has 100,000 bytes, then those that `feed` adds, and no end.
    private static func endlessUpload(_ client: Client) -> (call: Request, feed: AsyncStream<Data>.Continuation) {
        let (stream, feed) = AsyncStream.makeStream(of: Data.self)
        feed.yield(Data(count: 100_000))
        return (client.post("/a").body(stream: { withExtendedLifetime(feed) { stream } }).timeout(.seconds(10)), feed)
    }

    @Test(
        "a complete response is delivered, whatever happens to the upload", arguments: responses, EarlyServer.Ending.allCases)
    func complete(response: (text: String, body: String), ending: EarlyServer.Ending) async throws {
        let server = try #require(EarlyServer(response.text, ending))
        defer { server.stop() }
        let client = try Self.client(of: server)
        let (endless, _) = Self.endlessUpload(client)
        let long = client.post("/a").body(Data(count: 20_000_000), contentType: "application/octet-stream").timeout(.seconds(10))
        for call in [long, endless] {
            switch await call.execute(.data).result {
            case .success(let body): #expect(String(decoding: body, as: UTF8.self) == response.body)
            case .failure(let error):
                let error = error as? APIError
                #expect(error?.status == 413 && response.text.contains("413"), "\(String(describing: error))")
                #expect(error?.body.map { String(decoding: $0, as: UTF8.self) } == response.body)
            }
        }
    }

    /// Responses whose last piece exceeds a turn of the engine. Their reader has to receive the last byte, too.
    static let longResponses = [
        "HTTP/1.1 200 OK\r\nContent-Length: 270001\r\n\r\n\(longBody)",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n41eb1\r\n\(longBody)\r\n0\r\n\r\n",
    ]
    private static let longBody = String(repeating: "a", count: 270_000) + "b"

    @Test(
        "a long response that is complete before the upload arrives to its last byte, whole and in pieces",
        arguments: longResponses.indices,
        EarlyServer.Ending.allCases)
    func long(row: Int, ending: EarlyServer.Ending) async throws {
        let server = try #require(EarlyServer(Self.longResponses[row], ending))
        defer { server.stop() }
        let client = try Self.client(of: server)
        #expect(try await Self.endlessUpload(client).call.data() == Data(Self.longBody.utf8))
        let (call, feed) = Self.endlessUpload(client)
        var received = Data()
        for try await piece in call.stream() {
            received += piece
            // The pump of the upload commands the loop while the response arrives.
            feed.yield(Data(count: 1000))
        }
        #expect(received == Data(Self.longBody.utf8))
    }

    @Test("a chunked body is complete with its last chunk, and not before", arguments: [true, false])
    func lastChunk(isThere: Bool) async throws {
        let server = try LoopbackServer()
        let body = "4\r\nfine\r\n" + (isThere ? "0\r\n" : "")
        server.get("/a") { _ in .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)") }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        if isThere {
            #expect(try await client.get("/a").execute(.string).value == "fine")
        } else {
            let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.string).value }
            #expect(error?.kind == .connectionLost)
        }
    }

    @Test("a chunked body that is cut is no complete one, although a length beside the chunks has been reached", arguments: [4, 9])
    func cutChunks(length: Int) async throws {
        let server = try LoopbackServer()
        let framing = "Content-Length: \(length)\r\nTransfer-Encoding: chunked"
        server.post("/a") { _ in .raw("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n4\r\nfine\r\n") }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        let error = await #expect(throws: APIError.self) { try await client.post("/a").json([1]).execute(.string).value }
        #expect(error?.kind == .connectionLost)
    }

    @Test(
        "the server's end of the connection ends a call whose stream is idle",
        arguments: [
            ("HTTP/1.1 200 OK\r\n\r\nfine", "fine"), ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfine", nil),
            ("HTTP/1.1 200 OK\r\nX-A: 1", nil), ("", nil),
        ] as [(String, String?)])
    func ended(response: String, body: String?) async throws {
        let server = try #require(EarlyServer(response, .closing))
        defer { server.stop() }
        let (call, feed) = Self.endlessUpload(try Self.client(of: server))
        switch await call.execute(.data).result {
        case .success(let received): #expect(String(decoding: received, as: UTF8.self) == body)
        case .failure(let error): #expect(body == nil && (error as? APIError)?.kind == .connectionLost, "\(error)")
        }
        withExtendedLifetime(feed) {}
    }

    @Test("a reader that does not read bounds the bytes that the engine takes, also while the request is being sent")
    func unread() async throws {
        let server = try #require(EarlyServer("HTTP/1.1 200 OK\r\nContent-Length: \(EarlyServer.floodLength)\r\n\r\n", .flooding))
        defer { server.stop() }
        let asked = Counter()
        let call = try Self.client(of: server).post("/a").body(stream: {
            AsyncStream<Data> {
                asked.increment()
                return asked.count <= 64 ? Data(count: 1 << 20) : nil
            }
        })
        var pieces = call.stream().makeAsyncIterator()
        var received = try await pieces.next()?.count ?? 0
        #expect(try await server.quiet.promise.value < EarlyServer.floodLength / 2)
        while let piece = try await pieces.next() { received += piece.count }
        #expect(received == EarlyServer.floodLength)
    }

    @Test("a stream with an announced length of 0 is an empty body, and fails its call if it has bytes", arguments: [true, false])
    func emptyStream(isEmpty: Bool) async throws {
        let server = try LoopbackServer()
        server.post("/a") { .text("\($0.headers["Content-Length"] ?? "none") \($0.headers["Transfer-Encoding"] ?? "none")") }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        let stream = AsyncStream<Data> { continuation in
            if !isEmpty { continuation.yield(Data("x".utf8)) }
            continuation.finish()
        }
        let call: Promise<String> = client.post("/a").body(stream: { stream }, length: 0).execute(.string)
        if isEmpty {
            #expect(try await call.value == "0 none")
        } else {
            let error = await #expect(throws: APIError.self) { try await call.value }
            #expect(error?.kind == .requestBody)
            #expect(server.requestCount == 0)
        }
    }
}
#endif
