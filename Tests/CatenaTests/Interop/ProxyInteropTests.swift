#if os(Linux)
import Catena
import Foundation
import Testing

extension InteropTests {
    /// Calls with the proxy of the environment that `.ci/interop` sets, and with the hosts that it exempts.
    @Suite("proxies", .needsEngine, .enabled(if: InteropTests.tunnel != nil)) struct Proxies {
        static let environmentProxy = ProcessInfo.processInfo.environment["http_proxy"]
        static let needsProxy = ConditionTrait.enabled(if: environmentProxy != nil, "the environment names no proxy")

        @Test("the proxy of the environment receives the whole address and its own credentials", needsProxy)
        func environment() async throws {
            let answer = try await InteropTests.request(to: "http://forum.example").get("/a").query(["b": "c"]).value()
            #expect(answer.request.string == "GET http://forum.example/a?b=c HTTP/1.1")
            #expect(answer.host.string == "forum.example")
            #expect(answer.credentials.string == "Basic " + Data("ann:made-up".utf8).base64EncodedString())
        }

        @Test(
            "addresses of this machine and those in NO_PROXY are reached without the proxy", needsProxy,
            arguments: ["127.0.0.1", "localhost", "0.0.0.0"])
        func direct(host: String) async throws {
            let server = try #require(InteropTests.nginx).replacing("127.0.0.1", with: host)
            #expect(try await InteropTests.request(to: server).get("/target/a").value().request.string == "GET /target/a HTTP/1.1")
        }

        @Test("an empty proxy setting means that calls use no proxy")
        func none() async throws {
            let transport = try InteropTests.engine { $0.proxy = "" }
            let call: Promise<Void> = try InteropTests.request(to: "http://forum.invalid", over: transport).get("/").execute(.void)
            #expect(try await InteropTests.failure(of: call).kind == .dns)
        }

        @Test("a configured proxy is used whatever the environment says", needsProxy, arguments: ["127.0.0.1", "0.0.0.0"])
        func given(host: String) async throws {
            let transport = try InteropTests.engine { $0.proxy = Self.environmentProxy }
            let answer = try await InteropTests.request(to: "http://\(host):1", over: transport).get("/a").value()
            #expect(answer.request.string == "GET http://\(host):1/a HTTP/1.1")
        }

        @Test("https uses a tunnel, and neither the proxy nor the server sees the other's headers", arguments: ["TLS", "TLS1"])
        func tunnel(server: String) async throws {
            let transport = try InteropTests.engine { $0.proxy = InteropTests.tunnel?.replacing("//", with: "//ann:made-up@") }
            let request = try InteropTests.request(to: InteropTests.server(server), over: transport)
            let response = try await request.get("/connection").header("Authorization", "Bearer inside")
                .execute(.response(as: JSON.self)).value
            #expect(response.payload.protocol.string == (server == "TLS" && Engine.speaksHTTP2 ? "HTTP/2.0" : "HTTP/1.1"))
            #expect(response.headers["X-From-Proxy"] == nil)
            #expect(response.headers["Content-Type"] == "application/json")
            let log = try InteropTests.text(ofFile: "tunnel.log")
            #expect(log.contains("CONNECT \(try #require(InteropTests.server(server)).dropFirst("https://".count)) HTTP/1.1\r\n"))
            #expect(log.contains("Proxy-Authorization: Basic"))
            #expect(!log.contains("Bearer"))
        }
    }
}
#endif
