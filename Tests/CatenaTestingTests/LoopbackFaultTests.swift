import Catena
import CatenaTesting
import Foundation
import Testing

@Suite("Loopback server: faults", .limitedParallelism)
struct LoopbackFaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: StubReply
        let sent: String
        var ending = LoopbackRawConnection.Ending.closed
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 10\r\n\r\n"
    private static let chunkedHead = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let ten = StubReply.text("0123456789")
    private static let chunks = StubReply.chunked(["hello", "world!"])
    private static let duplicate = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"

    @Test(
        "a fault has exactly the expected bytes on the wire",
        arguments: [
            Fault(testDescription: "truncated", response: ten.connectionLost(after: 4), sent: head + "0123"),
            Fault(testDescription: "truncated at once", response: ten.connectionLost(after: 0), sent: head),
            Fault(testDescription: "truncated beyond the body", response: ten.connectionLost(after: 99), sent: head + "0123456789"),
            Fault(testDescription: "chunk cut", response: chunks.connectionLost(after: 7), sent: chunkedHead + "5\r\nhello\r\n6\r\nwo"),
            Fault(testDescription: "cut between chunks", response: chunks.connectionLost(after: 5), sent: chunkedHead + "5\r\nhello\r\n"),
            Fault(
                testDescription: "last chunk missing", response: chunks.connectionLost(after: 11),
                sent: chunkedHead + "5\r\nhello\r\n6\r\nworld!\r\n"),
            Fault(testDescription: "head cut in the status line", response: ten.truncatedHead(after: 12), sent: "HTTP/1.1 200"),
            Fault(testDescription: "head cut in a header", response: ten.truncatedHead(after: 22), sent: "HTTP/1.1 200 OK\r\nConte"),
            Fault(testDescription: "closed without a byte", response: .connectionLost, sent: ""),
            Fault(testDescription: "reset in the body", response: ten.reset(after: 3), sent: head + "012", ending: .reset),
            Fault(testDescription: "reset in the head", response: ten.resetHead(after: 8), sent: "HTTP/1.1", ending: .reset),
            Fault(testDescription: "reset without a byte", response: ten.resetHead(after: 0), sent: "", ending: .reset),
            Fault(
                testDescription: "length too large", response: .text("abc").withContentLength(10).closingConnection(announced: false),
                sent: head + "abc"),
            Fault(
                testDescription: "length too small",
                response: .text("0123456789abc").withContentLength(10).closingConnection(announced: false),
                sent: head + "0123456789abc"),
            Fault(testDescription: "raw", response: .raw(duplicate), sent: duplicate),
            Fault(testDescription: "raw and reset", response: .raw("garbage").reset(after: 4), sent: "garb", ending: .reset),
            Fault(
                testDescription: "stray bytes, then closed",
                response: ten.followed(by: "HTTP/1.1 408 Late\r\n\r\n").closingConnection(announced: false),
                sent: head + "0123456789HTTP/1.1 408 Late\r\n\r\n"),
            Fault(testDescription: "dripping", response: ten.dripping(3, every: .zero).connectionLost(after: 8), sent: head + "01234567"),
            Fault(
                testDescription: "delayed", response: ten.delayed(by: .milliseconds(1)).closingConnection(announced: false),
                sent: head + "0123456789"),
        ])
    func bytes(fault: Fault) async throws {
        let server = try LoopbackServer()
        server.get("/") { _ in fault.response }
        let answer = try await exchange("GET / HTTP/1.1\r\n\r\n", with: server)
        #expect(answer.text == fault.sent)
        #expect(answer.ending == fault.ending)
    }

    @Test(
        "a response that waits sends only the bytes before the wait, while other requests are served",
        arguments: [
            (ten.delayed(by: .seconds(3_000)), ""),
            (ten.held(by: LoopbackGate()), ""),
            (StubReply.unanswered, ""),
            (ten.stalled(after: 4), head + "0123"),
            (ten.stalled(after: 0, by: LoopbackGate()), head),
            (chunks.stalled(after: 5), chunkedHead + "5\r\nhello\r\n"),
            (chunks.stalled(after: 99), chunkedHead + "5\r\nhello\r\n6\r\nworld!\r\n"),
            (ten.dripping(2, every: .seconds(3_000)), head + "01"),
            (ten.followed(by: "stray", after: LoopbackGate()), head + "0123456789"),
        ])
    func waits(response: StubReply, sent: String) async throws {
        let server = try LoopbackServer()
        server.get("/waits") { _ in response }
        server.get("/other") { _ in .text("ok") }
        let connection = try LoopbackRawConnection(to: server)
        connection.send("GET /waits HTTP/1.1\r\n\r\n")
        await server.requestsReceived(1)
        #expect(await connection.receive(asLongAs: sent) == sent)
        #expect(try await body(of: "GET /other", from: server) == "ok")
        #expect(connection.available == 0)
        connection.close()
        await server.connectionsClosed(2)
        #expect(server.openConnections == 0)
    }

    @Test("a stalled body continues when its gates open, one after the other")
    func stalls() async throws {
        let server = try LoopbackServer()
        let first = LoopbackGate()
        let second = LoopbackGate()
        server.get("/") { _ in Self.chunks.stalled(after: 11, by: second).stalled(after: 5, by: first) }
        let connection = try LoopbackRawConnection(to: server)
        connection.send("GET / HTTP/1.1\r\n\r\n")
        let parts = [Self.chunkedHead + "5\r\nhello\r\n", "6\r\nworld!\r\n", "0\r\n\r\n"]
        #expect(await connection.receive(asLongAs: parts[0]) == parts[0])
        await first.entered(1)
        first.open()
        #expect(await connection.receive(asLongAs: parts[1]) == parts[1])
        await second.entered(1)
        second.open()
        #expect(await connection.receive(asLongAs: parts[2]) == parts[2])
    }

    @Test("stray bytes are sent on an idle connection when their gate opens, and the next request is served")
    func stray() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/") { _ in Self.ten.followed(by: "stray", after: gate) }
        server.get("/next") { _ in .raw("next", closing: false) }
        let connection = try LoopbackRawConnection(to: server)
        connection.send("GET / HTTP/1.1\r\n\r\n")
        let answer = Self.head + "0123456789"
        #expect(await connection.receive(asLongAs: answer) == answer)
        gate.open()
        #expect(await connection.receive(5) == "stray")
        connection.send("GET /next HTTP/1.1\r\n\r\n")
        #expect(await connection.receive(4) == "next")
        #expect(server.openConnections == 1)
    }

    @Test("a wrong Content-Length does not end the connection")
    func wrongLengthKeepsOpen() async throws {
        let server = try LoopbackServer()
        server.get("/") { _ in Self.ten.withContentLength(5) }
        let connection = try LoopbackRawConnection(to: server)
        for _ in 1...2 {
            connection.send("GET / HTTP/1.1\r\n\r\n")
            let answer = Self.head.replacing("10\r\n", with: "5\r\n") + "0123456789"
            #expect(await connection.receive(asLongAs: answer) == answer)
        }
    }

    @Test("a connection is closed with or without announcing it", arguments: [true, false])
    func closing(announced: Bool) async throws {
        let server = try LoopbackServer()
        server.get("/") { _ in .status(204).closingConnection(announced: announced) }
        let answer = try await exchange("GET / HTTP/1.1\r\n\r\n", with: server)
        #expect(answer.text == "HTTP/1.1 204 No Content\r\n" + (announced ? "Connection: close\r\n\r\n" : "\r\n"))
    }

    @Test("a client that disconnects during a large body does not affect other requests")
    func vanishingClient() async throws {
        let server = try LoopbackServer()
        server.get("/large") { _ in .body(Data(repeating: 97, count: 16_000_000)) }
        server.get("/small") { _ in .text("ok") }
        for number in 1...5 {
            let connection = try LoopbackRawConnection(to: server)
            connection.send("GET /large HTTP/1.1\r\n\r\n")
            #expect(await connection.receive(8) == "HTTP/1.1")
            connection.close()
            await server.connectionsClosed(number)
        }
        #expect(try await body(of: "GET /small", from: server) == "ok")
    }
}
