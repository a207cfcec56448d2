import Catena
import Foundation
import Testing

extension InteropTests {
    /// Calls to the paths that `.ci/nginx.conf` defines.
    @Suite("nginx", .enabled(if: InteropTests.nginx != nil)) struct Nginx {
        let request: Request

        init() throws {
            request = try InteropTests.request(to: InteropTests.nginx)
        }

        @Test("connections are used again", .needsKeptConnections)
        func keepAlive() async throws {
            var most = 0
            for _ in 1...8 {
                let answer = try await request.get("/connection").value()
                most = max(most, try #require(answer.requests.int))
            }
            #expect(most > 1)
        }

        @Test("simultaneous calls get their own responses")
        func concurrency() async throws {
            let answers = try await Promise.all((0..<100).map { request.get("/echo").query(["n": $0]).execute() }).value
            #expect(answers.map(\.n.string) == (0..<100).map { String($0) })
        }

        @Test("a target is sent as it was previewed")
        func target() async throws {
            let call = request.get("/target/{room}/ünique").params(["room": "a/b c?%", "q": "1+1&é=👋🏽", "ids": [1, 2]])
            let address = try await call.preview().address
            #expect(address.path == "/target/a%2Fb%20c%3F%25/%C3%BCnique")
            #expect(try await call.value().target.string == address.path + "?" + (try #require(address.query)))
        }

        @Test("a file that the server stores compressed is decompressed")
        func gzipStatic() async throws {
            let response = try await request.get("/rooms.json").execute(.response(as: JSON.self)).value
            #expect(response.payload.from.string == "compressed file")
        }

        @Test("a request that accepts no compression receives the plain file")
        func plain() async throws {
            let answer = try await request.get("/rooms.json").header("Accept-Encoding", "identity").value()
            #expect(answer.from.string == "plain file")
        }

        @Test("a missing page is a 404 without a message")
        func missing() async throws {
            let error = try await InteropTests.failure(of: request.get("/missing").execute(.void))
            #expect(error.code == 404)
            #expect(error.message == "")
            #expect(error.body.map { String(decoding: $0, as: UTF8.self) }?.contains("nginx") == true)
        }

        @Test("redirects are followed", arguments: ["/moved", "/moved-absolute", "/folder"])
        func redirects(path: String) async throws {
            let response = try await request.get(path).execute(.response(as: JSON.self)).value
            #expect(response.status == 200)
            #expect(response.url.path() != path)
        }

        @Test("a body that the server finds too long is a 413, and one that fits is accepted", arguments: [1_000, 100_000, 4_000_000])
        func tooLong(size: Int) async throws {
            let call = request.post("/upload").body(Data(count: size), contentType: "application/octet-stream")
            guard size > 16_384 else { return try await call.execute(.void).value }
            #expect(try await InteropTests.failure(of: call.execute(.void)).code == 413)
        }

        @Test(
            "a response over bodyLimit fails the call, even if it is shorter before decompression", arguments: ["/large.bin", "/bomb.json"])
        func limit(path: String) async throws {
            let request = try InteropTests.request(to: InteropTests.nginx, bodyLimit: 100_000)
            #expect(try await InteropTests.failure(of: request.get(path).execute(.void)).kind == .bodyTooLarge)
        }

        @Test("a response of exactly bodyLimit is received")
        func withinLimit() async throws {
            let request = try InteropTests.request(to: InteropTests.nginx, bodyLimit: 1_048_576)
            #expect(try await request.get("/large.bin").execute(.data).value.count == 1_048_576)
        }
    }
}
