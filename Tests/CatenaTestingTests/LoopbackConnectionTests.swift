import Catena
import CatenaTesting
import Foundation
import Testing

@Suite("Loopback server: connections and framing", .limitedParallelism)
struct LoopbackConnectionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nok"

    @Test("a connection serves many requests, sequential or pipelined")
    func keepAlive() async throws {
        let server = try LoopbackServer()
        server.get("/") { _ in .text("ok") }
        let connection = try LoopbackRawConnection(to: server)
        for _ in 1...3 {
            connection.send("GET / HTTP/1.1\r\n\r\n")
            #expect(await connection.receive(asLongAs: Self.ok) == Self.ok)
        }
        connection.send(String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 50))
        let answers = String(repeating: Self.ok, count: 50)
        #expect(await connection.receive(asLongAs: answers) == answers)
        #expect(server.connectionCount == 1)
        #expect(Set(server.requests.map(\.connection)) == [1])
    }

    @Test("pipelined requests are served after a response that is held")
    func sentAhead() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/held") { _ in .text("ok").held(by: gate) }
        server.get("/") { _ in .text("ok") }
        let connection = try LoopbackRawConnection(to: server)
        // More bytes than the server buffers, so that it has to pause reading and resume.
        let requests = "GET /held HTTP/1.1\r\n\r\n" + String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 8_000)
        async let sent: Void = onThread { connection.send(requests) }
        await gate.entered(1)
        gate.open()
        let answers = String(repeating: Self.ok, count: 8_001)
        #expect(await connection.receive(asLongAs: answers) == answers)
        await sent
    }

    @Test(
        "a connection is closed when the client or the version asks for it",
        arguments: [
            ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nConnection: TE, Close\r\n\r\n", true),
            ("GET / HTTP/1.0\r\n\r\n", true),
            ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false),
            ("GET / HTTP/1.1\r\n\r\n", false),
        ])
    func closing(request: String, closes: Bool) async throws {
        let server = try LoopbackServer()
        server.get("/") { _ in .status(204) }
        let answer = try await exchange(request + "GET /last HTTP/1.1\r\nConnection: close\r\n\r\n", with: server)
        #expect(answer.text.hasPrefix("HTTP/1.1 204 No Content\r\n" + (closes ? "Connection: close\r\n\r\n" : "\r\n")))
        #expect(server.requestCount == (closes ? 1 : 2))
    }

    @Test("a request may arrive byte by byte")
    func pieces() async throws {
        let server = try LoopbackServer()
        server.post("/") { .text($0.text) }
        let connection = try LoopbackRawConnection(to: server)
        for byte in "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n".utf8 {
            connection.send(Data([byte]))
        }
        #expect(await connection.receiveAll().text.hasSuffix("\r\n\r\nabc"))
    }

    @Test(
        "a chunked request body is joined without its extensions and trailers",
        arguments: [
            ("3\r\nabc\r\n0\r\n\r\n", "abc"),
            ("1;name=value\r\na\r\n00A\r\n0123456789\r\n0\r\nX-Trailer: t\r\n\r\n", "a0123456789"),
            ("0\r\n\r\n", ""),
        ])
    func chunkedRequest(framed: String, content: String) async throws {
        let server = try LoopbackServer()
        let request = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(framed)GET /next HTTP/1.1\r\nConnection: close\r\n\r\n"
        _ = try await exchange(request, with: server)
        #expect(server.requests.map(\.text) == [content, ""])
        #expect(server.requests.map(\.path) == ["/", "/next"])
    }

    @Test("a large body is unchanged in both directions")
    func largeBody() async throws {
        let server = try LoopbackServer()
        server.post("/") { .body($0.body) }
        let content = String((0..<300_000).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
        let connection = try LoopbackRawConnection(to: server)
        let request = "POST / HTTP/1.1\r\nContent-Length: \(content.utf8.count)\r\nConnection: close\r\n\r\n\(content)"
        await onThread { connection.send(request) }
        #expect(await connection.receiveAll().text.hasSuffix("\r\n\r\n" + content))
    }

    @Test("a response in chunks has its frames and trailers, and no empty chunk")
    func chunkedResponse() async throws {
        let server = try LoopbackServer()
        server.get("/") { _ in .chunked(["hello", "", "0123456789abcdef"], trailers: ["X-Sum": "1"]) }
        let answer = try await exchange("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", with: server)
        #expect(
            answer.text == """
                HTTP/1.1 200 OK\r
                Content-Type: application/octet-stream\r
                Transfer-Encoding: chunked\r
                Connection: close\r
                \r
                5\r
                hello\r
                10\r
                0123456789abcdef\r
                0\r
                X-Sum: 1\r
                \r

                """)
    }

    @Test(
        "a response is written with the status, headers and body of its parts",
        arguments: [
            (
                StubReply.json(["b": 1, "a": 2]),
                "200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"b\":1,\"a\":2}"
            ),
            (.json(Data("[]".utf8)), "200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]"),
            (.body(Data("x".utf8)), "200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 1\r\n\r\nx"),
            (.json(text: "{oops", status: 400), "400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{oops"),
            (.redirect(to: "/b"), "302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"),
            (.redirect(to: "mailto:a", status: 308), "308 Permanent Redirect\r\nLocation: mailto:a\r\nContent-Length: 0\r\n\r\n"),
            (.status(204), "204 No Content\r\n\r\n"),
            (.text("x", status: 304), "304 Not Modified\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"),
            (.status(99_999), "99999 \r\nContent-Length: 0\r\n\r\n"),
            (
                StubReply.status(299).header("A", "1").header("a", "2").header("A", adding: "3"),
                "299 \r\na: 2\r\nA: 3\r\nContent-Length: 0\r\n\r\n"
            ),
            (.status(200).withContentLength(-5), "200 OK\r\nContent-Length: -5\r\n\r\n"),
        ])
    func responses(response: StubReply, expected: String) async throws {
        let server = try LoopbackServer()
        server.get("/") { _ in response.closingConnection(announced: false) }
        #expect(try await exchange("GET / HTTP/1.1\r\n\r\n", with: server).text == "HTTP/1.1 " + expected)
    }

    @Test("Expect: 100-continue is answered before the body is sent")
    func continues() async throws {
        let server = try LoopbackServer()
        server.post("/") { .text($0.text) }
        let connection = try LoopbackRawConnection(to: server)
        connection.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n")
        let interim = "HTTP/1.1 100 Continue\r\n\r\n"
        #expect(await connection.receive(asLongAs: interim) == interim)
        #expect(server.requestCount == 0)
        connection.send("ok")
        #expect(await connection.receiveAll().text.hasSuffix("\r\n\r\nok"))
    }

    @Test("Expect: 100-continue is ignored if the server is set so, or if the body has arrived", arguments: [true, false])
    func continuesNot(sendsContinue: Bool) async throws {
        let server = try LoopbackServer(sendsContinue: sendsContinue)
        server.post("/") { .text($0.text) }
        let head = "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"
        let connection = try LoopbackRawConnection(to: server)
        if sendsContinue {
            connection.send(head + "ok")
        } else {
            connection.send(head)
            // Another connection's turn shows that the head has been read and left without a response.
            _ = try await body(of: "GET /", from: server)
            #expect(connection.available == 0)
            connection.send("ok")
        }
        #expect(await connection.receiveAll().text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test(
        "a malformed request is refused and not recorded",
        arguments: [
            ("GET /\r\n\r\n", 400), ("GET / x HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/2\r\n\r\n", 400), (" / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nNoColon\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA : b\r\n\r\n", 400), ("GET / HTTP/1.1\r\n: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nA: b\0c\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400), ("POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\na", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400),
        ])
    func malformed(request: String, status: Int) async throws {
        let server = try LoopbackServer()
        server.on(nil, "*") { _ in .text("served") }
        let answer = try await exchange(request, with: server)
        #expect(answer.text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.text.contains("\r\nConnection: close\r\n"))
        #expect(answer.ending == .closed)
        #expect(server.requestCount == 0)
    }

    @Test("two equal Content-Length headers are accepted")
    func equalLengths() async throws {
        let server = try LoopbackServer()
        _ = try await exchange("POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab", with: server)
        #expect(server.requests.map(\.text) == ["ab"])
    }

    private static let excesses = [
        ("GET / HTTP/1.1\r\nA: \(String(repeating: "a", count: 2_000))", 431),
        ("POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n\(String(repeating: "a", count: 100))\r\n1\r\n", 413),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;\(String(repeating: "a", count: 2_000))", 431),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(String(repeating: "A: b\r\n", count: 400))", 431),
    ]

    @Test("a request that exceeds a limit is refused before it has arrived completely", arguments: excesses.indices)
    func limits(index: Int) async throws {
        let (request, status) = Self.excesses[index]
        var limits = LoopbackServer.Limits()
        limits.headBytes = 1_000
        limits.bodyBytes = 100
        let server = try LoopbackServer(limits: limits)
        // The server keeps reading after the refusal, because a reset could discard the response.
        let answer = try await exchange(request + String(repeating: "a", count: 400_000), with: server)
        #expect(answer.text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.ending == .closed)
    }

    @Test("a large head within the limit is read")
    func largeHead() async throws {
        let server = try LoopbackServer()
        let value = String(repeating: "a", count: 250_000)
        _ = try await exchange("GET / HTTP/1.1\r\nA: \(value)\r\nConnection: close\r\n\r\n", with: server)
        #expect(server.requests.first?.headers["A"] == value)
    }

    @Test("the task of a handler is cancelled if its client disconnects")
    func clientGoes() async throws {
        let server = try LoopbackServer()
        let (cancelled, wasCancelled) = AsyncStream.makeStream(of: Void.self)
        server.get("/") { _ in
            await withTaskCancellationHandler {
                await LoopbackGate().entered(1)
            } onCancel: {
                wasCancelled.finish()
            }
            return .status(204)
        }
        let connection = try LoopbackRawConnection(to: server)
        connection.send("GET / HTTP/1.1\r\n\r\n")
        await server.requestsReceived(1)
        connection.close()
        await server.connectionsClosed(1)
        for await _ in cancelled {}
        #expect(server.openConnections == 0)
        #expect(server.connectionCount == 1)
    }

    @Test("a connection beyond the limit is closed")
    func connectionLimit() async throws {
        var limits = LoopbackServer.Limits()
        limits.connections = 2
        let server = try LoopbackServer(limits: limits)
        server.get("/") { _ in .unanswered }
        let first = try LoopbackRawConnection(to: server)
        let second = try LoopbackRawConnection(to: server)
        for connection in [first, second] { connection.send("GET / HTTP/1.1\r\n\r\n") }
        await server.requestsReceived(2)
        #expect(try await LoopbackRawConnection(to: server).receiveAll() == ("", .closed))
        #expect(server.openConnections == 2)
        first.close()
        await server.connectionsClosed(1)
        #expect(try await body(of: "GET /a", from: server).contains("no route"))
    }

    @Test("a thousand requests are served at once")
    func thousand() async throws {
        #if os(Linux)
        let count = 1_000
        #else
        let count = 100
        #endif
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/{number}") { .text($0.parameters["number"] ?? "").held(by: gate) }
        let connections = try await onThread {
            Result {
                try (0..<count).map { number in
                    let connection = try LoopbackRawConnection(to: server)
                    connection.send("GET /\(number) HTTP/1.1\r\nConnection: close\r\n\r\n")
                    return connection
                }
            }
        }.get()
        await gate.entered(count)
        #expect(server.openConnections == count)
        gate.open()
        for (number, connection) in connections.enumerated() {
            #expect(await connection.receiveAll().text.hasSuffix("\r\n\r\n\(number)"))
        }
        await server.connectionsClosed(count)
        #expect(server.openConnections == 0)
    }
}
