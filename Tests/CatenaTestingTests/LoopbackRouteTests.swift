import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite("Loopback server: routes", .limitedParallelism)
struct LoopbackRouteTests {
    @Test(
        "a pattern matches whole segments",
        arguments: [
            ("/users", "/users", true),
            ("/users", "/users?page=1", true),
            ("/users", "/users/", false),
            ("/users", "/user", false),
            ("/users/{id}", "/users/7", true),
            ("/users/{id}", "/users", false),
            ("/users/{id}", "/users/7/rooms", false),
            ("/users/*/rooms", "/users/7/rooms", true),
            ("/users/*/rooms", "/users/7/8/rooms", false),
            ("/users/*", "/users/7/rooms", true),
            ("/users/*", "/users", false),
            ("/*", "/", true),
            ("*", "/a/b", true),
            ("/a b", "/a%20b", true),
            ("/a%20b", "/a%20b", true),
            ("/users", "http://127.0.0.1/users", true),
        ])
    func patterns(pattern: String, target: String, matches: Bool) async throws {
        let server = try LoopbackServer()
        server.get(pattern) { _ in .text("found") }
        let body = try await body(of: "GET \(target)", from: server)
        #expect((body == "found") == matches)
    }

    @Test("a handler receives a named segment percent-decoded")
    func parameters() async throws {
        let server = try LoopbackServer()
        server.get("/{kind}/of/{name}") { .text("\($0.parameters["kind"] ?? "")|\($0.parameters["name"] ?? "")") }
        #expect(try await body(of: "GET /a/of/b%2Fc%20%E2%82%AC", from: server) == "a|b/c €")
    }

    @Test("JSON is sent from values of one type, from an Encodable value and from a literal of mixed values")
    func json() async throws {
        struct Shop: Encodable { var name = "tea", size = 2 }
        let server = try LoopbackServer()
        let stored: JSON = ["b": 1, "a": "x"]
        server.get("/one") { _ in .json(["b": 1, "a": 2]) }
        server.get("/text") { request in .json(["id": request.parameters["id"], "a": "x"]) }
        server.get("/value") { _ in .json(Shop()) }
        server.get("/mixed") { _ in .json(["message": "ok", "code": 0, "data": ["tea"]]) }
        server.get("/stored") { _ in .json(stored, status: 201) }
        server.get("/none") { _ in .json(["a": nil, "b": [1, "x"]]) }
        let texts = [
            "one": #"{"b":1,"a":2}"#, "text": #"{"a":"x","id":null}"#, "value": #"{"name":"tea","size":2}"#,
            "mixed": #"{"message":"ok","code":0,"data":["tea"]}"#, "stored": #"{"b":1,"a":"x"}"#, "none": #"{"a":null,"b":[1,"x"]}"#,
        ]
        for (path, text) in texts { #expect(try await body(of: "GET /\(path)", from: server) == text) }
    }

    @Test("the route added last wins")
    func lastWins() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .text("first") }
        server.get("/*") { _ in .text("second") }
        #expect(try await body(of: "GET /a", from: server) == "second")
    }

    @Test("every verb has its route", arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
    func verbs(verb: String) async throws {
        let server = try LoopbackServer()
        server.on(nil, "/") { .text("any \($0.method)") }
        server.get("/") { _ in .text("GET") }
        server.post("/") { _ in .text("POST") }
        server.put("/") { _ in .text("PUT") }
        server.patch("/") { _ in .text("PATCH") }
        server.delete("/") { _ in .text("DELETE") }
        server.options("/") { _ in .text("OPTIONS") }
        server.on("PURGE", "/") { _ in .text("PURGE") }
        #expect(try await body(of: "\(verb) /", from: server) == verb)
        #expect(try await body(of: "TRACE /", from: server) == "any TRACE")
    }

    @Test("a HEAD has the header of the GET and no body, unless it has a route of its own")
    func head() async throws {
        let server = try LoopbackServer()
        server.get("/get") { _ in .text("12345") }
        server.get("/own") { _ in .text("12345") }
        server.head("/own") { _ in .status(204) }
        let get = try await exchange("HEAD /get HTTP/1.1\r\nConnection: close\r\n\r\n", with: server)
        #expect(
            get.text
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\nConnection: close\r\n\r\n")
        let own = try await exchange("HEAD /own HTTP/1.1\r\nConnection: close\r\n\r\n", with: server)
        #expect(own.text == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    }

    @Test("a request without a route receives a 404 with JSON and is recorded")
    func noRoute() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .text("a") }
        let answer = try await exchange("POST /a HTTP/1.1\r\nConnection: close\r\n\r\n", with: server)
        #expect(answer.text.hasPrefix("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n"))
        #expect(answer.text.hasSuffix(#"{"error":"no route","method":"POST","path":"/a"}"#))
        #expect(server.requests.map(\.visit) == [0])
    }

    @Test("a handler may suspend")
    func suspending() async throws {
        let server = try LoopbackServer()
        server.get("/a") { request in
            await suspendOnce()
            return .text("suspended \(request.path)")
        }
        #expect(try await body(of: "GET /a", from: server) == "suspended /a")
    }

    @Test("a handler that throws answers with status 500", arguments: ["/now", "/later"])
    func throwing(path: String) async throws {
        struct Broken: Error {}
        let server = try LoopbackServer()
        server.get("/now") { _ in throw Broken() }
        server.get("/later") { _ in
            await suspendOnce()
            throw Broken()
        }
        let answer = try await exchange("GET \(path) HTTP/1.1\r\nConnection: close\r\n\r\n", with: server)
        #expect(answer.text.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
        #expect(answer.text.hasSuffix(#"{"error":"the handler threw: Broken()"}"#))
    }

    @Test("a handler receives the number of its route's visit")
    func visits() async throws {
        let server = try LoopbackServer()
        server.get("/other") { .text("\($0.visit)") }
        server.get("/a") { $0.visit < 3 ? .text("not yet", status: 503) : .text("ok") }
        for expected in ["not yet", "not yet", "ok"] {
            #expect(try await body(of: "GET /a", from: server) == expected)
        }
        #expect(try await body(of: "GET /other", from: server) == "1")
    }
}
