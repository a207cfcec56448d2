#if os(Linux)
import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// Responses that the caller does not read to their end, and values that are made to do harm.
@Suite(.limitedParallelism) struct AbandonedBodyTests {
    @Test("a response that its caller drops unread frees its place for the next transfer", .needsEngine)
    func dropped() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.get("/large") { _ in .repeated(Data(count: 1_000_000), count: 100) }
        server.get("/ok") { _ in .json(text: "1") }
        var configuration = CurlConfiguration()
        configuration.transfersPerOrigin = 1
        let transport = try CurlTransport(configuration)
        let client = Client(transport: transport)
        client.defaultHost = server.url
        for _ in 0..<3 { _ = try await transport.send(try await client.get("/large").preview()) }
        #expect(try await client.get("/ok").value(as: Int.self) == 1)
    }

    @Test("a second reader of one body fails, and the first one continues")
    func secondReader() async throws {
        let pipe = BodyPipe(stop: {})
        try await withThrowingTaskGroup(of: Result<Data?, any Error>.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do { return .success(try await pipe.next()) } catch { return .failure(error) }
                }
            }
            // The second reader fails at once, and the first one waits.
            let second = try await group.next()
            #expect(throws: APIError.self) { try second?.get() }
            pipe.receive(Data("a".utf8))
            let first = try await group.next()
            #expect(try first?.get() == Data("a".utf8))
        }
    }

    @Test("an invalid cookie is not stored, and an invalid idempotency key fails the call")
    func injection() async throws {
        let client = Client(transport: ClosureTransport { _ in .json("1") })
        let jar = CookieJar()
        jar.set(Cookie(name: "a", value: "b\r\nX-Evil: 1", host: "example.com"))
        jar.set(Cookie(name: "a;b", value: "c", host: "example.com"))
        #expect(jar.cookies.isEmpty)
        client.defaultHost = "https://example.com"
        let error = await #expect(throws: APIError.self) {
            try await client.post("/a").set(\.idempotencyKey, "k\r\nX-Evil: 2").value()
        }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.hasPrefix("idempotencyKey") == true)
    }

    @Test("a cookie that only https may set is not replaced over http")
    func secureCookie() throws {
        let jar = CookieJar()
        jar.store(["Set-Cookie": "sid=good; Secure; Path=/"], from: try HTTPAddress(parsing: "https://example.com/"))
        jar.store(["Set-Cookie": "sid=evil; Path=/"], from: try HTTPAddress(parsing: "http://example.com/"))
        #expect(jar.header(for: try HTTPAddress(parsing: "https://example.com/")) == "sid=good")
    }

    @Test("a partial response whose total length is unknown does not continue a download")
    func unknownTotal() throws {
        let record = PartialRecord(
            of: HTTPResponse(status: 200, headers: ["ETag": "\"a\""], address: try HTTPAddress(parsing: "https://h/")), identity: "i")
        let response = HTTPResponse(
            status: 206, headers: ["ETag": "\"a\"", "Content-Range": "bytes 5-9/*"], address: try HTTPAddress(parsing: "https://h/"))
        #expect(RangeVerdict(response, offset: 5, record: try #require(record)) == .mismatch)
    }
}
#endif
