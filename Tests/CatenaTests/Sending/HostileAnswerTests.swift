#if os(Linux)
import Catena
import CatenaTesting
import Foundation
import Testing

/// Responses that violate HTTP, or seem to. A broken response fails its own call with the right kind of error, but no other call, and it
/// never ends the process.
@Suite(.limitedParallelism) struct HostileAnswerTests {
    struct Case: CustomTestStringConvertible, Sendable {
        enum Outcome: Sendable {
            case body(String)
            case fails(APIError.Kind)
        }

        let testDescription: String
        let answer: StubReply
        let outcome: Outcome

        init(_ name: String, _ raw: String, _ outcome: Outcome, closing: Bool = true) {
            testDescription = name
            answer = .raw(Data(raw.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }), closing: closing)
            self.outcome = outcome
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let moved = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n"

    static let framing = [
        Case("body shorter than announced", ok + "Content-Length: 5\r\n\r\nab", .fails(.connectionLost)),
        Case("body longer than announced", ok + "Content-Length: 2\r\n\r\nabEVIL", .body("ab")),
        Case("two different lengths", ok + "Content-Length: 5\r\nContent-Length: 2\r\n\r\nabcde", .fails(.protocolViolation)),
        Case("two different lengths in one line", ok + "Content-Length: 5, 2\r\n\r\nabcde", .fails(.protocolViolation)),
        Case("two equal lengths", ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nab", .body("ab")),
        Case("two equal lengths in one line", ok + "Content-Length: 2, 2\r\n\r\nab", .body("ab")),
        Case("empty length", ok + "Content-Length:\r\n\r\nab", .fails(.protocolViolation)),
        Case("negative length", ok + "Content-Length: -1\r\n\r\nab", .fails(.protocolViolation)),
        Case("length with a plus sign", ok + "Content-Length: +2\r\n\r\nab", .fails(.protocolViolation)),
        Case("length with letters", ok + "Content-Length: 2abc\r\n\r\nab", .fails(.protocolViolation)),
        Case("hexadecimal length", ok + "Content-Length: 0x2\r\n\r\nab", .fails(.protocolViolation)),
        Case("length of 24 digits", ok + "Content-Length: 111111111111111111111111\r\n\r\nab", .fails(.protocolViolation)),
        Case("greatest length of all", ok + "Content-Length: 9223372036854775807\r\n\r\nab", .fails(.bodyTooLarge)),
        Case("length and chunks", ok + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", .body("ab")),
        Case(
            "a length and a longer body of chunks",
            ok + "Content-Length: 40000\r\nTransfer-Encoding: chunked\r\n\r\n"
                + String(repeating: "2710\r\n" + String(repeating: "a", count: 10_000) + "\r\n", count: 7) + "0\r\n\r\n",
            .body(String(repeating: "a", count: 70_000))),
        Case("chunk size that is none", ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n", .fails(.connectionLost)),
        Case(
            "chunk size of 19 digits", ok + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffffff\r\nab\r\n0\r\n\r\n",
            .fails(.connectionLost)),
        Case("chunk cut in the middle", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nab", .fails(.connectionLost)),
        Case("last chunk missing", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", .fails(.connectionLost)),
        Case("cut in the trailers", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-A: 1\r\n", .fails(.connectionLost)),
        Case(
            "NUL in a trailer", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-A: \0\r\n\r\n", .fails(.protocolViolation)),
        Case("trailers", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-Trailer: 1\r\n\r\n", .body("ab")),
        Case("chunk extension", ok + "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nab\r\n0\r\n\r\n", .body("ab")),
        Case("unknown transfer encoding", ok + "Transfer-Encoding: foo\r\n\r\nab", .fails(.protocolViolation)),
        Case("chunked twice", ok + "Transfer-Encoding: chunked, chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", .fails(.protocolViolation)),
        Case("gzip and chunked", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", .fails(.protocolViolation)),
        Case("identity", ok + "Transfer-Encoding: identity\r\n\r\nab", .fails(.protocolViolation)),
    ]

    static let heads = [
        Case("closed before any byte", "", .fails(.connectionLost)),
        Case("cut after the status line", ok, .fails(.connectionLost)),
        Case("cut inside the headers", ok + "X-A: 1\r\nX-B", .fails(.connectionLost)),
        Case("cut before the blank line", ok + "Content-Length: 0\r\n", .fails(.connectionLost)),
        Case("cut inside the status line", "HTTP/1.1 2", .fails(.connectionLost)),
        Case("204 with a body", "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nab", .body("")),
        Case("304 with a body", "HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nab", .fails(.status)),
        Case("205 with a body", "HTTP/1.1 205 Reset\r\nContent-Length: 2\r\n\r\nab", .body("")),
        Case(
            "interim answers", "HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nab",
            .body("ab")),
        Case("a flood of interim answers", String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 100), .fails(.protocolViolation)),
        Case("another protocol unasked", "HTTP/1.1 101 Switching\r\n\r\nEVIL", .fails(.protocolViolation)),
        Case("nothing but interim answers", "HTTP/1.1 100 Continue\r\n\r\n", .fails(.connectionLost)),
        Case("status with five digits", "HTTP/1.1 99999 OK\r\n\r\n", .fails(.protocolViolation)),
        Case("status with letters", "HTTP/1.1 abc OK\r\n\r\n", .fails(.protocolViolation)),
        Case("status 099", "HTTP/1.1 099 OK\r\n\r\n", .fails(.protocolViolation)),
        Case("two status lines", ok + "HTTP/1.1 302 : x\r\nLocation: /to/a\r\nContent-Length: 0\r\n\r\n", .fails(.protocolViolation)),
        Case(
            "two status lines in an interim answer", "HTTP/1.1 103 Early\r\n" + ok + "Content-Length: 2\r\n\r\nab",
            .fails(.protocolViolation)),
        Case("status 999", "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nab", .fails(.status)),
        Case("HTTP/0.9", "<html></html>", .fails(.protocolViolation)),
        Case("another version", "HTTP/1.7 200 OK\r\nContent-Length: 2\r\n\r\nab", .fails(.protocolViolation)),
        Case("a header of 90 KB", ok + "X-A: \(String(repeating: "a", count: 90_000))\r\nContent-Length: 2\r\n\r\nab", .body("ab")),
        Case("a header of 400 KB", ok + "X-A: " + String(repeating: "a", count: 400_000) + "\r\n\r\n", .fails(.protocolViolation)),
        Case("20,000 headers", ok + String(repeating: "X-A: 1\r\n", count: 20_000) + "\r\n", .fails(.protocolViolation)),
        Case("header without a colon", ok + "nothing\r\nContent-Length: 2\r\n\r\nab", .fails(.protocolViolation)),
        Case("space before the colon", ok + "X-A : 1\r\nContent-Length: 2\r\n\r\nab", .fails(.protocolViolation)),
        Case("control character in a value", ok + "X-A: a\u{1}b\r\nContent-Length: 2\r\n\r\nab", .fails(.protocolViolation)),
        Case("NUL in a value", ok + "X-A: a\0b\r\nContent-Length: 2\r\n\r\nab", .fails(.protocolViolation)),
        Case("value broken over two lines", ok + "X-A: a\r\n b\r\nContent-Length: 2\r\n\r\nab", .body("ab")),
        Case("Latin-1 in a header", ok + "X-A: caf\u{e9}\r\nContent-Length: 2\r\n\r\nab", .body("ab")),
        Case("no reason phrase", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nab", .body("ab")),
        Case("no space after a colon", ok + "X-A:1\r\nContent-Length:2\r\n\r\nab", .body("ab")),
        Case("a body that ends with the connection", ok + "\r\nab", .body("ab")),
    ]

    /// The value of a `Location` reaches the rules for redirects unchanged. The rules have their own tests.
    static let redirects = [
        Case("relative to the path", moved + "Location: to/b?c\r\n\r\n", .body("/to/b?c")),
        Case("another scheme", moved + "Location: file:///etc/passwd\r\n\r\n", .fails(.redirect)),
        Case("malformed", moved + "Location: http://[\r\n\r\n", .fails(.redirect)),
        Case("missing", moved + "\r\n", .fails(.status)),
        Case("spaces and UTF-8", moved + "Location: /to/a b\u{c3}\u{a9}\r\n\r\n", .body("/to/a%20b%C3%A9")),
        Case("bytes that are not UTF-8", moved + "Location: /to/a\u{ff}\u{e9}?\u{a4}\r\n\r\n", .body("/to/a%FF%E9?%A4")),
        Case("two different places", moved + "Location: /to/a\r\nLocation: /to/b\r\n\r\n", .fails(.redirect)),
        Case("300 is not followed", "HTTP/1.1 300 Odd\r\nLocation: /to/a\r\nContent-Length: 0\r\n\r\n", .fails(.status)),
        Case("305 is not followed", "HTTP/1.1 305 Odd\r\nLocation: /to/a\r\nContent-Length: 0\r\n\r\n", .fails(.status)),
    ]

    /// The cases that URLSession on Linux fails, each with the reason. Docs/Platforms.md lists them for users.
    static let exemptions: [String: String] = [
        "greatest length of all": "the process ends",
        "trailers": "the process ends",
        "two status lines": "it is accepted",
        "two status lines in an interim answer": "it is accepted",
        "cut after the status line": "the process ends",
        "cut inside the headers": "the process ends",
        "cut before the blank line": "the process ends",
        "cut inside the status line": "the process ends",
        "20,000 headers": "it is accepted",
        "control character in a value": "it is accepted",
        "two different lengths": "it is accepted",
        "two different lengths in one line": "it is accepted",
        "hexadecimal length": "it is accepted",
        "length of 24 digits": "it is accepted",
        "length with a plus sign": "it is accepted",
        "length with letters": "it is accepted",
        "chunked twice": "it is accepted",
        "identity": "it is accepted",
        "another protocol unasked": "it is accepted",
        "status 099": "the call fails as connectionLost",
        "status with five digits": "the call fails as connectionLost",
        "status with letters": "the call fails as connectionLost",
        "HTTP/0.9": "the call fails as connectionLost",
        "another version": "the call fails as connectionLost",
        "a header of 400 KB": "the call fails as connectionLost",
        "header without a colon": "the call fails as connectionLost",
        "space before the colon": "the call fails as connectionLost",
        "negative length": "the call fails as connectionLost",
        "unknown transfer encoding": "the call fails as connectionLost",
        "a flood of interim answers": "the call fails as connectionLost",
        "empty length": "the call fails as connectionLost",
        "NUL in a trailer": "the call fails as connectionLost",
        "gzip and chunked": "the call fails as connectionLost",
        "NUL in a value": "the call fails as connectionLost",
        "bytes that are not UTF-8": "it is refused",
        "two different places": "they arrive as one value",
        "Latin-1 in a header": "it is refused",
        "no reason phrase": "it is refused",
        "no space after a colon": "it is refused",
    ]

    @Test("a response is read as HTTP requires, or its call fails", arguments: TransportTests.Subject.allCases)
    func answers(subject: TransportTests.Subject) async {
        await each(Self.framing + Self.heads + Self.redirects) { try await answer(subject, $0) }
    }

    private func answer(_ subject: TransportTests.Subject, _ one: Case) async throws {
        if subject == .urlSession, Self.exemptions[one.testDescription] != nil { return }
        let server = try subject.newServer()
        server.get("/hostile") { _ in one.answer }
        server.get("/fine") { _ in .json(text: "1") }
        server.get("/to/*") { .text($0.target) }
        let client = Client(transport: try subject.newTransport())
        client.defaultHost = server.url
        async let fine = client.get("/fine").value(as: Int.self)
        switch one.outcome {
        case .body(let body):
            #expect(try await client.get("/hostile").execute(.string).value == body)
        case .fails(let kind):
            let error = await #expect(throws: APIError.self) { try await client.get("/hostile").execute(.string).value }
            #expect(error?.kind == kind, "\(String(describing: error))")
        }
        #expect(try await fine == 1)
        // Bytes that are left on that connection do not become part of the next response.
        #expect(try await client.get("/fine").value(as: Int.self) == 1)
    }

    // MARK: Connections

    @Test(
        "after its connection has died, a GET is sent again, and a POST is not", .needsKeptConnections,
        arguments: [HTTPMethod.post, .get])
    func deadConnection(method: HTTPMethod) async throws {
        let server = try LoopbackServer()
        server.get("/warm") { _ in .text("1") }
        // The server reads the second request and closes its connection without a response.
        server.on(method, "/a") { request in request.visit == 1 ? .connectionLost : .text("again") }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        _ = try await client.get("/warm").execute(.string).value
        let call = client.method(method).path("/a")
        if method == .post {
            let error = await #expect(throws: APIError.self) { try await call.execute(.string).value }
            #expect(error?.kind == .connectionLost)
            #expect(server.requests.filter { $0.path == "/a" }.count == 1)
        } else {
            #expect(try await call.execute(.string).value == "again")
        }
    }

    @Test(
        "bytes that arrive on an idle connection never become the next response", .needsEngine,
        arguments: [
            (HTTPMethod.get, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"), (.get, "HTTP/1.1 204 No Content\r\n\r\n"),
            (.get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n"),
            (.head, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"),
        ])
    func poisoned(method: HTTPMethod, answer: String) async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"
        server.on(method, "/a") { _ in .raw(answer, closing: false).followed(by: evil, after: gate) }
        server.get("/b") { _ in .text("good") }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        try await client.method(method).path("/a").execute(.void).value
        gate.open()
        await server.connectionsClosed(1)
        #expect(try await client.get("/b").execute(.string).value == "good")
        #expect(server.connectionCount == 2)
    }

    @Test("a slow reader of a long response delays no other call", .needsEngine)
    func backPressure() async throws {
        let server = try LoopbackServer()
        let size = 30_000_000
        server.get("/long") { _ in .body(Data(repeating: 7, count: size)) }
        server.get("/fine") { _ in .json(text: "1") }
        let transport = try CurlTransport()
        let client = Client(transport: transport)
        client.defaultHost = server.url
        let long = try await transport.send(try await client.get("/long").preview())
        for _ in 0..<50 { #expect(try await client.get("/fine").value(as: Int.self) == 1) }
        #expect(try await long.body.collect(limit: size).count == size)
    }

    @Test("a dropped transport finishes its requests and then closes its connections", .needsEngine)
    func dropped() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/a") { _ in .text("kept").held(by: gate) }
        var client: Client? = Client(transport: try CurlTransport())
        let call: Promise<String>? = client?.host(server.url).get("/a").execute(.string)
        await server.requestsReceived(1)
        client = nil
        gate.open()
        #expect(try await call?.value == "kept")
        await server.connectionsClosed(1)
    }
}
#endif
