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
            ("/", "evil.example.com:\(port)"), ("/api/hello", "evil.example.com:\(port)"), ("/api/hello", "127.0.0.1"), ("/", ""),
        ] {
            let answer = try await RawExchange.run(
                port: port, "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nX-Inspector-Key: \(probe.inspector.key)\r\nConnection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(host)\(path)")
        }
        let answer = try await RawExchange.run(
            port: port,
            "GET /api/hello HTTP/1.1\r\nHost: LocalHost:\(port)\r\nX-Inspector-Key: \(probe.inspector.key)\r\nConnection: close\r\n\r\n")
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
}
