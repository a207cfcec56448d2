#if os(Linux)
import Catena
import Foundation
import Testing

extension InteropTests {
    @Suite("nginx over HTTP/2", .needsHTTP2, .enabled(if: InteropTests.server("TLS") != nil)) struct HTTP2 {
        @Test("a call uses HTTP/2 if the server offers it", arguments: [("TLS", "HTTP/2.0"), ("TLS1", "HTTP/1.1")])
        func negotiated(server: String, version: String) async throws {
            #expect(try await InteropTests.request(toServer: server).get("/connection").value().protocol.string == version)
        }

        @Test("many simultaneous calls share connections and get their own responses, whatever the number of loops", arguments: [1, 3])
        func multiplexed(loops: Int) async throws {
            let request = try InteropTests.request(toServer: "TLS") { $0.loops = loops }
            let answers = try await Promise.all((0..<300).map { request.get("/echo").query(["n": $0]).execute() }).value
            #expect(answers.map(\.n.string) == (0..<300).map { String($0) })
            #expect(Set(answers.map(\.connection.int)).count <= 4)
        }

        @Test("responses that are not read yet delay no other call and lose no bytes")
        func unread() async throws {
            let transport = try InteropTests.engine()
            let request = try InteropTests.request(to: InteropTests.server("TLS"), over: transport)
            let shared = try await request.get("/echo").value().connection.int
            var unread: [TransportResponse] = []
            for _ in 0..<6 {
                unread.append(try await transport.send(try await request.get("/huge.bin").preview()))
                let bodies = try await Promise.all((0..<20).map { _ in request.get("/large.bin").execute(.data) }).value
                #expect(bodies.allSatisfy { $0.count == 1_048_576 })
            }
            // Each of them has its own connection, so that TCP holds back the unread bytes and they take no memory.
            #expect(Set(unread.map { $0.headers["X-Connection"] }).count == 6)
            #expect(try await request.get("/echo").value().connection.int == shared)
            var size = 0
            for try await piece in unread[0].body { size += piece.count }
            #expect(size == 96 * 1024 * 1024)
        }

        @Test("a call that fails because its response is too long leaves the connection open for the next")
        func givenUp() async throws {
            let request = try InteropTests.request(to: InteropTests.server("TLS"), over: try InteropTests.engine(), bodyLimit: 2_000_000)
            let first = try await request.get("/echo").value().connection.int
            let error = try await InteropTests.failure(of: request.get("/huge.bin").execute(.data).map { _ in })
            #expect(error.kind == .bodyTooLarge)
            #expect(try await request.get("/echo").value().connection.int == first)
        }

        @Test("a stream that is dropped before its end closes its own connection and no other", arguments: [true, false])
        func streamGivenUp(isReading: Bool) async throws {
            let transport = try InteropTests.engine()
            let request = try InteropTests.request(to: InteropTests.server("TLS"), over: transport)
            let first = try await request.get("/echo").value().connection.int
            do {
                let long = try await transport.send(try await request.get("/huge.bin").preview())
                if isReading { _ = try await long.body.first { _ in true } }
            }
            #expect(try await request.get("/echo").value().connection.int == first)
        }

        @Test("a request with headers that are too long for HTTP/2 succeeds beside calls that share a connection")
        func longHeaders() async throws {
            let request = try InteropTests.request(to: InteropTests.server("TLS"), over: try InteropTests.engine())
            let long = String(repeating: "a", count: 7_000)
            let fields = HTTPHeaders((0..<9).map { HTTPHeaders.Field(name: "X-Long-\($0)", value: long) })
            let calls = (0..<200).map {
                $0 % 10 == 0 ? request.get("/connection").headers(fields).execute() : request.get("/connection").execute()
            }
            let answers = try await Promise.all(calls).value
            #expect(answers.enumerated().allSatisfy { $1.protocol.string == ($0 % 10 == 0 ? "HTTP/1.1" : "HTTP/2.0") })
        }

        @Test("headers are found by their names in any case")
        func headerNames() async throws {
            let response = try await InteropTests.request(toServer: "TLS").get("/echo").execute(.response(as: JSON.self)).value
            #expect(response.headers["X-Lower-Case"] == "yes")
            #expect(response.headers["x-upper-case"] == "yes")
            #expect(response.headers["Content-Type"] == "application/json")
        }

        @Test("request bodies of any length arrive whole", arguments: [0, 1, 20_000, 3_000_000])
        func bodies(size: Int) async throws {
            let request = try InteropTests.request(toServer: "TLS")
            let body = Data((0..<size).map { UInt8(ascii: "a") + UInt8($0 % 26) })
            let echoes = try await Promise.all(
                (0..<3).map { _ in request.post("/httpbin/post").body(body, contentType: "text/plain").execute() }
            ).value
            for echo in echoes { #expect(echo.data.string.map { Data($0.utf8) } == body) }
        }

        @Test("streamed bodies with and without a length arrive whole beside one that stalls")
        func uploads() async throws {
            let request = try InteropTests.request(toServer: "TLS").post("/httpbin/post")
            let text = String(repeating: "0123456789abcdef", count: 200_000)
            let file = try ScratchFile(text)
            let (stalled, continuation) = AsyncStream.makeStream(of: Data.self)
            continuation.yield(Data("a".utf8))
            let slow = request.body(stream: stalled, contentType: "text/plain").execute()
            let sources = [
                try BodySource(file: file.url),
                BodySource(joining: [try BodySource(file: file.url), BodySource(stream: { AsyncStream<Data> { $0.finish() } })]),
            ]
            let echoes = try await Promise.all((sources + sources).map { request.body($0, contentType: "text/plain").execute() }).value
            for echo in echoes { #expect(echo.data.string == text) }
            continuation.yield(Data("b".utf8))
            continuation.finish()
            #expect(try await slow.value.data.string == "ab")
        }

        @Test("a response that arrives while a body is being sent ends the call")
        func earlyAnswer() async throws {
            let file = try ScratchFile(size: 100_000_000)
            let request = try InteropTests.request(toServer: "TLS").post("/httpbin/post")
            let error = try await InteropTests.failure(of: request.body(file: file.url).execute(.void))
            #expect(error.status == 413)
        }
    }
}
#endif
