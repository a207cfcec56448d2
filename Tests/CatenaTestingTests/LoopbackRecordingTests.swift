import Catena
import CatenaTesting
import Foundation
import Testing

@Suite("Loopback server: recorded requests", .limitedParallelism)
struct LoopbackRecordingTests {
    @Test("a request is recorded as it was sent")
    func everything() async throws {
        let server = try LoopbackServer()
        let fields = "Host: h\r\nX-One:  1 \r\nx-two:\r\nX-ONE: 2\r\nContent-Length: 4\r\nConnection: close\r\n"
        let head = "post /a%20b?x=1 HTTP/1.1\r\n\(fields)\r\n"
        _ = try await exchange(head + "body", with: server)
        let request = try #require(server.requests.first)
        #expect(request.method == .post)
        #expect(request.target == "/a%20b?x=1")
        #expect(request.path == "/a%20b")
        #expect(request.headers.fields.map(\.name) == ["Host", "X-One", "x-two", "X-ONE", "Content-Length", "Connection"])
        #expect(request.headers.fields.map(\.value) == ["h", "1", "", "2", "4", "close"])
        #expect(request.body == Data("body".utf8))
        #expect(String(decoding: request.head, as: UTF8.self) == head)
        #expect(request.connection == 1)
    }

    @Test(
        "a query is decoded in order",
        arguments: [
            ("/?b=2&a=1&b=3", ["b", "2", "a", "1", "b", "3"]), ("/?flag&empty=", ["flag", "", "empty", ""]),
            ("/?k%5B%5D=%E2%82%AC&a+b=c%2Bd", ["k[]", "€", "a b", "c+d"]), ("/?a=b=c&&d=?", ["a", "b=c", "d", "?"]),
            ("/?bad=%zz%4", ["bad", "%zz%4"]), ("/", []),
        ])
    func query(target: String, items: [String]) async throws {
        let server = try LoopbackServer()
        _ = try await body(of: "GET \(target)", from: server)
        let request = try #require(server.requests.first)
        #expect(request.queryItems.flatMap { [$0.name, $0.value] } == items)
        #expect(request.query("a") == items.firstIndex(of: "a").map { items[$0 + 1] })
    }

    @Test("a body is read as text, form and JSON")
    func bodies() async throws {
        let server = try LoopbackServer()
        for (type, body) in [("application/x-www-form-urlencoded", "a=1+2&b=%26"), ("application/json", #"{"a":[1,2]}"#)] {
            let head = "POST / HTTP/1.1\r\nContent-Type: \(type)\r\nConnection: close\r\n"
            _ = try await exchange("\(head)Content-Length: \(body.count)\r\n\r\n\(body)", with: server)
        }
        let requests = server.requests
        #expect(requests[0].text == "a=1+2&b=%26")
        #expect(requests[0].form("a") == "1 2" && requests[0].form("b") == "&" && requests[0].form("c") == nil)
        #expect(requests[0].json == nil)
        #expect(requests[1].json == ["a": [1, 2]] && requests[1].form("a") == nil)
    }

    @Test(
        "requests are recorded in the order of arrival, and the oldest are dropped above any limit",
        arguments: [(0, []), (3, [8, 9, 10]), (Int.max, Array(1...10))])
    func order(limit: Int, kept: [Int]) async throws {
        var limits = LoopbackServer.Limits()
        limits.recordedRequests = limit
        let server = try LoopbackServer(limits: limits)
        for number in 1...10 { _ = try await body(of: "GET /\(number)", from: server) }
        #expect(server.requests.map(\.path) == kept.map { "/\($0)" })
        #expect(server.requests.map(\.connection) == kept)
        #expect(server.requestCount == 10)
        server.forgetRequests()
        #expect(server.requests.isEmpty)
        #expect(server.requestCount == 10)
    }

    @Test("a test can await the arrival of requests")
    func arrivals() async throws {
        let server = try LoopbackServer()
        server.get("/") { _ in .unanswered }
        let connections = try (0..<3).map { _ in try LoopbackRawConnection(to: server) }
        for connection in connections { connection.send("GET / HTTP/1.1\r\n\r\n") }
        await server.requestsReceived(3)
        #expect(server.requests.count == 3)
        #expect(server.openConnections == 3)
    }
}
