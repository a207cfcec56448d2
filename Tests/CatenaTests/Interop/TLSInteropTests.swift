#if os(Linux)
import Catena
import Foundation
import TestSupport
import Testing

extension InteropTests {
    @Suite("nginx over TLS", .needsEngine, .enabled(if: InteropTests.server("TLS") != nil)) struct TLS {
        // MARK: Trust

        @Test(
            "a server whose certificate the configured authority has signed is trusted", arguments: ["TLS", "TLS1"],
            ["127.0.0.1", "localhost"])
        func trusted(server: String, host: String) async throws {
            let request = try InteropTests.request(toServer: server)
            let address = try #require(InteropTests.server(server)).replacing("127.0.0.1", with: host)
            #expect(try await request.host(address).get("/connection").value().requests.int == 1)
        }

        @Test(
            "a server with an untrusted or invalid certificate is refused, and the error names the reason",
            arguments: [
                ("TLS", nil, "no trusted authority signed it"), ("OTHER", "ca.pem", "it is for another host"),
                ("EXPIRED", "ca.pem", "it has expired"), ("SELFSIGNED", "ca.pem", "it is signed by itself"),
                ("TLS", "missing.pem", "/missing.pem"), ("TLS", "ca.key", "/ca.key"),
            ])
        func refused(server: String, authority: String?, reason: String) async throws {
            let request = try InteropTests.request(toServer: server) { configuration in
                configuration.certificateAuthorityFile = authority.map { InteropTests.file($0) }
            }
            let error = try await InteropTests.failure(of: request.get("/").execute(.void))
            #expect(error.kind == .tls)
            #expect(error.message.contains(reason), "\(error)")
        }

        @Test("an https call to a server without TLS fails, and so does an http call to a server with TLS")
        func notTLS() async throws {
            let plain = try #require(InteropTests.nginx)
            let request = try InteropTests.request(toServer: "TLS")
            let error = try await InteropTests.failure(of: request.host(plain.replacing("http:", with: "https:")).get("/").execute(.void))
            #expect(error.kind == .tls)
            let secure = try #require(InteropTests.server("TLS1")).replacing("https:", with: "http:")
            #expect(try await InteropTests.failure(of: request.host(secure).get("/").execute(.void)).status == 400)
        }

        @Test("a server that speaks only TLS 1.1 is refused, and the error names the reason", arguments: [HTTPMethod.get, .post])
        func oldServer(method: HTTPMethod) async throws {
            let request = try InteropTests.request(toServer: "OLD").retry(.exponential(limit: 3)).path("/").method(method)
            let error = try await InteropTests.failure(of: request.execute(.void))
            #expect(error.kind == .tls)
            #expect(error.message.contains("the server speaks no version of TLS that is allowed"), "\(error)")
            #expect(error.attempts == 1)
            // The text from the TLS library remains readable.
            #expect((error.underlying as? CurlTransport.Failure)?.reason.contains("protocol version") == true)
        }

        @Test("the server's public key must be one of the pinned ones", arguments: [(true, false), (false, true), (true, true)])
        func pinned(hasRight: Bool, hasWrong: Bool) async throws {
            let right = try InteropTests.text(ofFile: "server.pin").trimmingCharacters(in: .newlines)
            let wrong = Data(repeating: 7, count: 32).base64EncodedString()
            let request = try InteropTests.request(toServer: "TLS") { configuration in
                configuration.pinnedPublicKeys = (hasWrong ? [wrong] : []) + (hasRight ? [right] : [])
            }
            let call = request.get("/connection")
            if hasRight { return try await call.execute(.void).value }
            #expect(try await InteropTests.failure(of: call.execute(.void)).kind == .tls)
        }

        // MARK: Client certificates

        @Test("the client sends its certificate, whether its key has a password or not", arguments: [nil, "made-up"])
        func clientCertificate(password: String?) async throws {
            let request = try InteropTests.request(toServer: "CLIENT") { configuration in
                configuration.clientCertificateFile = InteropTests.file("client.pem")
                configuration.clientKeyFile = InteropTests.file(password == nil ? "server.key" : "locked.key")
                configuration.clientKeyPassword = password
            }
            #expect(try await request.get("/").value().client.string == "CN=Ann")
        }

        @Test("a call without a client certificate receives the error of a server that requires one")
        func missingClientCertificate() async throws {
            let error = try await InteropTests.failure(of: InteropTests.request(toServer: "CLIENT").get("/").execute(.void))
            #expect(error.status == 400)
            #expect(error.body.map { String(decoding: $0, as: UTF8.self) }?.contains("No required SSL certificate") == true)
        }

        @Test(
            "a client certificate that cannot be used fails the call, and the error shows no password",
            arguments: [("client.pem", "locked.key"), ("missing.pem", "server.key")])
        func unusableClientCertificate(certificate: String, key: String) async throws {
            let request = try InteropTests.request(toServer: "CLIENT") { configuration in
                configuration.clientCertificateFile = InteropTests.file(certificate)
                configuration.clientKeyFile = InteropTests.file(key)
                configuration.clientKeyPassword = "made-up and wrong"
            }
            let error = try await InteropTests.failure(of: request.get("/").execute(.void))
            #expect(error.kind == .tls)
            #expect(!"\(error)".contains("made-up"))
        }

        // MARK: Redirects, heads and connections

        @Test("a redirect from https to http is refused")
        func downgrade() async throws {
            let error = try await InteropTests.failure(of: InteropTests.request(toServer: "TLS").get("/downgrade").execute(.void))
            #expect(error.kind == .redirect)
        }

        @Test("heads of 100 KB are sent and received", arguments: ["TLS", "TLS1"])
        func longHeads(server: String) async throws {
            let long = String(repeating: "0123456789", count: 1000)
            let names = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"].map { "X-\($0)" }
            let headers = HTTPHeaders(names.map { HTTPHeaders.Field(name: $0, value: long) })
            let response = try await InteropTests.request(toServer: server).get("/headers").headers(headers)
                .execute(.response(as: JSON.self)).value
            for name in names { #expect(response.headers[name] == long) }
            #expect(response.payload.one.string == long)
            #expect(response.payload.ten.string == long)
        }

        @Test("no POST is lost or sent twice if the server ends its connections", arguments: ["BRIEF", "BRIEF1"], [1, 20])
        func briefConnections(server: String, concurrency: Int) async throws {
            let request = try InteropTests.request(toServer: server)
            let unique = UUID().uuidString
            let outcomes = Recorder<(target: String, error: APIError?)>()
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<concurrency {
                    group.addTask {
                        for number in 0..<(200 / concurrency) {
                            let target = "/\(unique)/\(lane)/\(number)"
                            do {
                                try await request.post(target).json(["n": number]).execute(.void).value
                                outcomes.note((target, nil))
                            } catch {
                                outcomes.note((target, error as? APIError))
                            }
                        }
                    }
                }
            }
            try await request.get("/last").execute(.void).value
            let arrivals = try InteropTests.arrivals(unique)
            #expect(outcomes.count == 200)
            for (target, error) in outcomes.events {
                // A connection can end while the request is on its way. The call then fails, because its fate cannot be known.
                if let error { #expect(error.kind == .connectionLost, "\(error)") }
                #expect(error == nil ? arrivals[target] == 1 : arrivals[target] ?? 0 <= 1)
            }
        }

        @Test("no GET is lost if the server ends its connections", arguments: ["BRIEF", "BRIEF1"])
        func briefConnectionsForGets(server: String) async throws {
            let request = try InteropTests.request(toServer: server)
            let answers = try await Promise.all((0..<200).map { request.get("/\($0)").execute() }).value
            #expect(answers.allSatisfy { !$0.connection.isNull })
        }

        // MARK: Other addresses

        @Test("a configured unix socket is used whatever the host of the call")
        func unixSocket() async throws {
            let transport = try InteropTests.engine { $0.unixSocketPath = InteropTests.file("nginx.sock") }
            let request = try InteropTests.request(to: "http://forum.example.com", over: transport)
            #expect(try await request.get("/target/a").value().request.string == "GET /target/a HTTP/1.1")
            var most = 0
            for _ in 1...8 { most = max(most, try await request.get("/connection").value().requests.int ?? 0) }
            if Engine.keepsConnections { #expect(most > 1) }
            let missing = try InteropTests.engine { $0.unixSocketPath = InteropTests.file("missing.sock") }
            let call: Promise<Void> = try InteropTests.request(to: "http://forum.example.com", over: missing).get("/").execute(.void)
            #expect(try await InteropTests.failure(of: call).kind == .connect)
        }

        @Test("a call reaches an IPv6 address", .enabled(if: InteropTests.server("IPV6") != nil))
        func internetAddress() async throws {
            #expect(try await InteropTests.request(toServer: "IPV6").get("/echo").query(["n": 6]).value().n.string == "6")
        }
    }
}
#endif
