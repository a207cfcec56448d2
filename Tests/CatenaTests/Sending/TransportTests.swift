import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

/// The requirements for every transport, over real sockets. `Subject` lists the transports, and `exemptions` the cases that they fail. Both
/// are in another file, of which Integrations has its own version.
@Suite(.limitedParallelism) struct TransportTests {
    // MARK: Requests

    @Test(
        "method, target, headers and body arrive as they were described", arguments: Subject.allCases,
        ["POST", "PUT", "PATCH", "DELETE", "QUERY", "PURGE"])
    func sent(subject: Subject, method: String) async throws {
        let server = try subject.newServer()
        server.on(nil, "/*") { _ in .json(text: "1") }
        _ = try await subject.client(server).method(HTTPMethod(method)).path("/a b/\u{e9}").query(["q": "x+y&z"])
            .header("X-Custom", "1").header("X-Empty", "").json(["name": "Zo\u{eb}"]).value()
        let request = try #require(server.requests.first)
        #expect(request.method == HTTPMethod(method))
        #expect(request.target == "/a%20b/%C3%A9?q=x%2By%26z")
        #expect(request.headers["X-Custom"] == "1")
        #expect(request.headers["X-Empty"] == "")
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.text == #"{"name":"Zoë"}"#)
    }

    @Test("a request without a body sends none", arguments: Subject.allCases, ["GET", "HEAD", "DELETE", "OPTIONS"])
    func withoutBody(subject: Subject, method: String) async throws {
        let server = try subject.newServer()
        server.on(nil, "/a") { _ in .status(204) }
        try await subject.client(server).method(HTTPMethod(method)).path("/a").void()
        let request = try #require(server.requests.first)
        #expect(request.body.isEmpty)
        #expect(request.headers["Transfer-Encoding"] == nil)
    }

    @Test("bodies of any bytes are sent and received unchanged", arguments: Subject.allCases, [0, 1, 1000, 1_000_000])
    func bytes(subject: Subject, size: Int) async throws {
        let server = try subject.newServer()
        server.post("/echo") { .body($0.body) }
        let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let echo = try await subject.client(server).post("/echo").body(bytes, contentType: "application/octet-stream").data()
        #expect(echo == bytes)
    }

    // MARK: Responses

    @Test("status and headers are received, including repeated ones", arguments: Subject.allCases, [200, 201, 299])
    func head(subject: Subject, status: Int) async throws {
        let server = try subject.newServer()
        server.get("/a") { _ in
            .json(text: "1", status: status).header("X-One", "1").header("X-Two", adding: "a").header("X-Two", adding: "b")
        }
        let response = try await subject.client(server).get("/a").response(as: Int.self)
        #expect(response.status == status)
        #expect(response.headers["x-one"] == "1")
        #expect(response.headers["X-Two"]?.replacing(" ", with: "") == "a,b")
    }

    @Test("a chunked body is received whole", arguments: Subject.allCases)
    func chunked(subject: Subject) async throws {
        let server = try subject.newServer()
        server.get("/a") { _ in .chunked(["ab", "", "cde", "f"].filter { !$0.isEmpty }) }
        #expect(try await subject.client(server).get("/a").string() == "abcdef")
    }

    @Test(
        "a 401 with a challenge reaches the caller like any other response", arguments: Subject.allCases,
        ["Basic realm=\"x\"", "Bearer", "Digest realm=\"x\", nonce=\"1\"", "Odd"])
    func unauthorized(subject: Subject, challenge: String) async throws {
        let server = try subject.newServer()
        server.get("/a") { _ in .json(text: #"{"code": 40001, "msg": "sign in"}"#, status: 401).header("WWW-Authenticate", challenge) }
        for headers in [HTTPHeaders(), ["Authorization": "Basic bWFkZTp1cA=="]] {
            let error = await #expect(throws: APIError.self) { try await subject.client(server).get("/a").headers(headers).value() }
            #expect(error?.status == 401)
            #expect(error?.code == 40001)
        }
    }

    @Test("a redirect is not followed by the transport", arguments: Subject.allCases)
    func redirect(subject: Subject) async throws {
        let server = try subject.newServer()
        server.get("/a") { _ in .redirect(to: "/b") }
        server.get("/b") { _ in .text("b") }
        let address = try await subject.client(server).get("/a").preview()
        let answer = try await subject.transport.send(address)
        #expect(answer.status == 302)
        #expect(answer.headers["Location"] == "/b")
        _ = try await answer.body.collect(limit: 1000)
        #expect(server.requestCount == 1)
        #expect(try await subject.client(server).get("/a").string() == "b")
    }

    @Test("a 307 keeps method and body in the same origin", arguments: Subject.allCases)
    func temporaryRedirect(subject: Subject) async throws {
        let server = try subject.newServer()
        server.post("/a") { _ in .redirect(to: "/b", status: 307) }
        server.post("/b") { .body($0.body) }
        let echo = try await subject.client(server).post("/a").body(Data("kept".utf8), contentType: "text/plain").string()
        #expect(echo == "kept")
    }

    @Test(
        "the body of a redirect does not count towards bodyLimit, and its faults do not fail the call", arguments: Subject.allCases,
        ["long", "cut", "not gzip"])
    func redirectBody(subject: Subject, kind: String) async throws {
        if Self.exemptions["\(subject.rawValue), redirect body: \(kind)"] != nil { return }
        let server = try subject.newServer()
        server.get("/a") { _ in
            switch kind {
            case "long": .body(Data(repeating: 7, count: 1_000_000), status: 302).header("Location", "/b")
            case "cut": .text("0123456789", status: 302).header("Location", "/b").connectionLost(after: 4)
            default: .text("not gzip", status: 302).header("Location", "/b").header("Content-Encoding", "gzip")
            }
        }
        server.get("/b") { _ in .json(text: "1") }
        let client = subject.client(server)
        client.configureDefaults { $0.bodyLimit = 1000 }
        #expect(try await client.get("/a").value(as: Int.self) == 1)
    }

    @Test("another origin never sees credentials or common headers", arguments: Subject.allCases)
    func otherOrigin(subject: Subject) async throws {
        let first = try subject.newServer()
        let second = try subject.newServer()
        first.get("/a") { [url = second.url] _ in .redirect(to: url + "/b") }
        second.get("/b") { _ in .json(text: "1") }
        let client = subject.client(first)
        client.commonHeaders { _ in ["X-Device": "made-up"] }
        _ = try await client.get("/a").headers(["Authorization": "Bearer made-up", "Cookie": "a=made-up", "X-Api-Key": "made-up"]).value()
        let request = try #require(second.requests.first)
        #expect(request.headers.fields.allSatisfy { !$0.value.contains("made-up") })
    }

    // MARK: Broken servers

    /// A fault of a server, and the kinds of error that it may cause.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let kinds: [APIError.Kind]
        let response: StubReply

        init(_ name: String, _ kinds: APIError.Kind..., response: StubReply) {
            testDescription = name
            self.kinds = kinds
            self.response = response
        }

        static let all = [
            Fault("body shorter than announced", .connectionLost, response: .text("0123456789").connectionLost(after: 4)),
            Fault(
                "chunk cut in the middle", .connectionLost,
                response: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")),
            Fault("reset in the body", .connectionLost, response: .text("0123456789").reset(after: 4)),
            Fault("closed before any byte", .connectionLost, .protocolViolation, response: .connectionLost),
            Fault("garbage", .connectionLost, .protocolViolation, response: .raw("garbage\r\n\r\n")),
            Fault("not gzip at all", .connectionLost, .decompression, response: .text("not gzip").header("Content-Encoding", "gzip")),
        ]
    }

    @Test("a broken response fails its call and nothing else", arguments: Subject.allCases, Fault.all)
    func faults(subject: Subject, fault: Fault) async throws {
        if Self.exemptions["\(subject.rawValue), \(fault.testDescription)"] != nil { return }
        let server = try subject.newServer()
        server.get("/broken") { _ in fault.response }
        server.get("/fine") { _ in .json(text: "1") }
        let client = subject.client(server)
        async let fine = client.get("/fine").value(as: Int.self)
        let error = await #expect(throws: APIError.self) { try await client.get("/broken").data() }
        #expect(fault.kinds.contains(error?.kind ?? .other), "\(String(describing: error))")
        #expect(try await fine == 1)
        #expect(try await client.get("/fine").value(as: Int.self) == 1)
    }

    @Test("a call to a port without a server fails to connect", arguments: Subject.allCases)
    func refused(subject: Subject) async throws {
        let unserved = try #require(UnservedPort(.closed))
        let client = Client(transport: subject.transport)
        client.defaultHost = "http://127.0.0.1:\(unserved.port)"
        let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
        #expect(error?.kind == .connect)
    }

    // MARK: Time and cancelling

    @Test("a time limit ends a call whatever the server does", arguments: Subject.allCases, ["no response", "half a body"])
    func timeLimit(subject: Subject, what: String) async throws {
        let server = try subject.newServer()
        server.get("/a") { _ in what == "no response" ? .unanswered : .text("0123456789").stalled(after: 4) }
        let error = await #expect(throws: APIError.self) {
            try await subject.client(server).get("/a").timeout(.milliseconds(50)).string()
        }
        #expect(error?.kind == .timeout)
        #expect(error?.code == 110)
    }

    /// The points at which a call can be cancelled.
    enum Moment: CaseIterable, Sendable {
        case beforeStart, beforeHead, inBody
    }

    @Test("cancelling ends the call at once and closes its connection", arguments: Subject.allCases, Moment.allCases)
    func cancelling(subject: Subject, moment: Moment) async throws {
        let server = try subject.newServer()
        server.get("/a") { _ in moment == .inBody ? .text("0123456789").stalled(after: 4) : .unanswered }
        let client = subject.client(server)
        let call = Task { try await client.get("/a").string() }
        if moment != .beforeStart { await server.requestsReceived(1) }
        call.cancel()
        let result = await call.result
        #expect(throws: CancellationError.self) { try result.get() }
        if moment != .beforeStart { await server.connectionsClosed(1) }
    }

    @Test("a body that is longer than bodyLimit fails the call", arguments: Subject.allCases)
    func tooLarge(subject: Subject) async throws {
        let server = try subject.newServer()
        server.get("/a") { _ in .body(Data(repeating: 0, count: 1_000_000)) }
        let client = subject.client(server)
        client.configureDefaults { $0.bodyLimit = 1000 }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").data() }
        #expect(error?.kind == .bodyTooLarge)
    }

    // MARK: Many

    @Test("1,000 simultaneous calls succeed on a bounded number of connections", arguments: Subject.allCases)
    func many(subject: Subject) async throws {
        let server = try subject.newServer()
        server.get("/n/{n}") { .json(text: $0.parameters["n"] ?? "") }
        let client = subject.client(server)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<1000 { group.addTask { try await client.get("/n/\(number)").value(as: Int.self) } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 499_500)
        // 64 transfers run at a time. Each of the engine's threads, which are at most four, has its own idle connections.
        if subject.keepsConnections { #expect(server.connectionCount <= 256) }
    }

    @Test("calls that are cancelled at any moment settle once and do not affect the others", arguments: Subject.allCases)
    func cancelledAtRandom(subject: Subject) async throws {
        let server = try subject.newServer()
        server.get("/n/{n}") { .json(text: $0.parameters["n"] ?? "") }
        let client = subject.client(server)
        let outcomes = Recorder<String>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<600 {
                group.addTask {
                    let call = client.get("/n/\(number)").execute(as: Int.self)
                    if number % 3 == 0 {
                        for _ in 0..<(number % 50) { await suspendOnce() }
                        call.cancel()
                    }
                    switch await call.result {
                    case .success(let value): outcomes.note(value == number ? "value" : "wrong value")
                    case .failure(is CancellationError): outcomes.note("cancelled")
                    case .failure(let error): outcomes.note("\(error)")
                    }
                }
            }
        }
        #expect(outcomes.count == 600)
        #expect(Set(outcomes.events).isSubset(of: ["value", "cancelled"]), "\(Set(outcomes.events))")
        #expect(outcomes.events.filter { $0 == "value" }.count >= 400)
    }
}
