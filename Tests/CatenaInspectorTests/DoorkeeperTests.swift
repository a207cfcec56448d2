import Catena
import CatenaTesting
import Foundation
import Testing

@testable import CatenaInspector

@Suite("Access to the inspector", .limitedParallelism) struct DoorkeeperTests {
    @Test("a request without the key, or with another one, is refused", arguments: [nil, "", "0", String(repeating: "0", count: 32)])
    func key(_ key: String?) async throws {
        let probe = try Probe()
        let request =
            key.map { probe.get("/api/calls").header("X-Inspector-Key", $0) } ?? probe.get("/api/calls").header("X-Inspector-Key", nil)
        let answer = await request.execute().result
        guard case .failure(let error as APIError) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(error.status == 401)
        #expect(String(decoding: error.body ?? Data(), as: UTF8.self).contains("key is missing or wrong"))
    }

    @Test("a request with another Host is refused, so that foreign pages cannot reach the inspector")
    func host() async throws {
        let probe = try Probe()
        let port = probe.inspector.url.port ?? 0
        for (path, host) in [
            ("/", "evil.example.com:\(port)"), ("/", "localhost:\(port)"), ("/api/hello", "evil.example.com:\(port)"),
            ("/api/hello", "127.0.0.1"), ("/", ""),
        ] {
            let answer = try await RawExchange.run(
                port: port, "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nX-Inspector-Key: \(probe.inspector.key)\r\nConnection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(host)\(path)")
        }
        let answer = try await RawExchange.run(
            port: port,
            "GET /api/hello HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-Inspector-Key: \(probe.inspector.key)\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }

    @Test("a target with another host is refused, whatever the Host header says (RFC 9112 §3.2.2)", arguments: ["/", "/api/hello"])
    func target(_ path: String) async throws {
        let probe = try Probe()
        let port = probe.inspector.url.port ?? 0
        for (host, status) in [("evil.example.com:\(port)", 403), ("127.0.0.1", 403), ("127.0.0.1:\(port)", 200)] {
            let answer = try await RawExchange.run(
                port: port,
                "GET http://\(host)\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-Inspector-Key: \(probe.inspector.key)\r\nConnection: close\r\n\r\n"
            )
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(host)\(path)")
        }
    }

    @Test("a connection whose request head does not arrive is closed", arguments: ["", "GET / HTTP/1.1\r\nHost: 127"])
    func halfHead(_ text: String) async throws {
        let probe = try Probe { $0.headTime = .milliseconds(20) }
        // The exchange ends when the server closes the connection.
        #expect(try await RawExchange.run(port: probe.inspector.url.port ?? 0, text) == "")
    }

    @Test("a request without the key is refused before its body arrives", arguments: [nil, "0"])
    func keyBeforeBody(_ key: String?) async throws {
        let probe = try Probe()
        let port = probe.inspector.url.port ?? 0
        let line = key.map { "X-Inspector-Key: \($0)\r\n" } ?? ""
        let answer = try await RawExchange.run(
            port: port, "POST /api/effects HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(line)Content-Length: 4000000\r\n\r\n{")
        #expect(answer.hasPrefix("HTTP/1.1 401 "))
    }

    @Test(
        "a request of a foreign page is refused, even with the right key",
        arguments: [
            ["Origin": "http://evil.example.com"], ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
        ])
    func origin(_ headers: [String: String]) async throws {
        let probe = try Probe()
        var request = probe.get("/api/hello")
        for (name, value) in headers { request = request.header(name, value) }
        let answer = await request.execute().result
        guard case .failure(let error as APIError) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(error.status == 403)
    }

    @Test("the inspector's own page is accepted and receives tags and settings")
    func own() async throws {
        let probe = try Probe { $0.limits.calls = 7 }
        probe.client.configure("forum") { $0.host = "https://forum.example.com" }
        let origin = "http://127.0.0.1:\(probe.inspector.url.port ?? 0)"
        let hello = try await probe.get("/api/hello").headers(["Origin": origin, "Sec-Fetch-Site": "same-origin"]).value()
        #expect(hello.tags.array?.compactMap(\.string) == ["forum"])
        #expect(hello.limit.int == 7)
        #expect(hello.har.bool == false)
        #expect(hello.showsSecrets.bool == false)
    }

    @Test("the page needs no key, loads nothing from elsewhere and is not cached")
    func page() async throws {
        let probe = try Probe()
        let port = probe.inspector.url.port ?? 0
        let page = try await RawExchange.run(port: port, "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
        #expect(page.hasPrefix("HTTP/1.1 200 "))
        #expect(page.contains("Content-Security-Policy: default-src 'none'; script-src 'self';"))
        #expect(page.contains("X-Content-Type-Options: nosniff"))
        #expect(page.contains("Cache-Control: no-store"))
    }

    @Test(
        "files outside the page are not found", arguments: ["/../Package.swift", "/%2e%2e/Inspector.swift", "/nothing.js", "//index.html"])
    func files(_ path: String) async throws {
        let probe = try Probe()
        let answer = try await RawExchange.run(
            port: probe.inspector.url.port ?? 0,
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(probe.inspector.url.port ?? 0)\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 404 "))
    }

    private static let number = String(repeating: "7", count: 32)

    private static func mac(_ words: String, _ key: String) -> MessageDigest { .hmacSHA256(Data(words.utf8), key: Data(key.utf8)) }

    private func proofs(_ probe: Probe) async throws -> JSON {
        try await probe.get("/api/proof").header("X-Inspector-Key", nil).header("X-Inspector-Number", Self.number).value()
    }

    @Test("the server proves to a page without a key that it knows its secrets, for this host and this number alone")
    func proof() async throws {
        let probe = try Probe()
        let secrets = probe.inspector.secrets
        let proofs = try await proofs(probe)
        let words = "127.0.0.1:\(probe.inspector.url.port ?? 0)\n\(Self.number)"
        #expect(proofs.key.string == Self.mac("key\n\(words)", secrets.key).hex)
        #expect(proofs.code.string == Self.mac("code\n\(words)", secrets.code).hex)
        let text = String(decoding: try JSONEncoder().encode(proofs), as: UTF8.self)
        for secret in [secrets.key, secrets.code, secrets.renewal] { #expect(!text.contains(secret)) }
    }

    @Test("the code of the address gives the key until a page has used it", arguments: [nil, "", "0"])
    func code(_ wrong: String?) async throws {
        let probe = try Probe()
        let secrets = probe.inspector.secrets
        func open(_ code: String?) async -> Result<JSON, any Error> {
            await probe.post("/api/open").header("X-Inspector-Key", nil).header("X-Inspector-Code", code).execute().result
        }
        #expect((await open(wrong).failure as? APIError)?.status == 401)
        // A page that was left before it had the key can be opened again.
        for _ in 0..<2 { #expect(try await open(secrets.code).get().key.string == secrets.key) }
        try await probe.get("/api/hello").execute(.void).value
        #expect((await open(secrets.code).failure as? APIError)?.status == 401)
        #expect(try await proofs(probe).code.isNull)
    }

    @Test("each start has a new key, which only a page with the secret of an earlier start can read")
    func renewal() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "catena-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let free = try Probe.freePort()
        let first = try Probe { ($0.keyFolder, $0.port) = (folder, free) }
        let renewal = try #require(try await first.get("/api/hello").value().renewal.string)
        first.inspector.stop()
        let port = try #require(first.inspector.url.port)
        let second = try Probe { ($0.keyFolder, $0.port) = (folder, port) }
        try #require(second.inspector.url.port == port)
        #expect(second.inspector.key != first.inspector.key)
        let proofs = try await proofs(second)
        let words = "127.0.0.1:\(second.inspector.url.port ?? 0)\n\(Self.number)"
        #expect(proofs.renewal.string == Self.mac("renewal\n\(words)", renewal).hex)
        let pad = Self.mac("pad\n\(words)\n\(proofs.number.string ?? "")", renewal).bytes
        let sealed = Array(try #require(proofs.sealed.string))
        let key = zip(stride(from: 0, to: sealed.count, by: 2), pad).map { (UInt8(String(sealed[$0..<($0 + 2)]), radix: 16) ?? 0) ^ $1 }
        #expect(String(decoding: key, as: UTF8.self) == second.inspector.key)
        // A second proof has another pad.
        #expect(try await self.proofs(second).sealed != proofs.sealed)
    }

    @Test("a key that the app has chosen stays, and is no part of the address")
    func ownKey() async throws {
        let probe = try Probe { $0.key = "made-up" }
        #expect(probe.inspector.key == "made-up")
        #expect(!probe.inspector.url.absoluteString.contains("made-up"))
        #expect(try await probe.get("/api/hello").value().renewal.isNull)
    }

    @Test(
        "the request for a proof is refused for another page, and with another number",
        arguments: ["", "7", String(repeating: "7", count: 33)])
    func badProof(_ number: String) async throws {
        let probe = try Probe()
        let request = probe.get("/api/proof").header("X-Inspector-Key", nil)
        #expect((await request.header("X-Inspector-Number", number).execute().result.failure as? APIError)?.status == 400)
        let foreign = request.header("X-Inspector-Number", Self.number).header("Origin", "http://evil.example.com")
        #expect((await foreign.execute().result.failure as? APIError)?.status == 403)
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
