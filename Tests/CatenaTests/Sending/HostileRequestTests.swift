import Catena
import CatenaTesting
import Foundation
import Testing

/// Requests that a transport helps to form. They arrive as their calls describe them.
@Suite(.limitedParallelism) struct HostileRequestTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let step: @Sendable (Client) -> Request
        let method: HTTPMethod
        /// The headers to check. The value is `nil` for a header that must not arrive.
        let headers: [String: String?]
        let body: String

        init(
            _ name: String, _ method: HTTPMethod, _ headers: [String: String?] = [:], body: String = "",
            step: @escaping @Sendable (Client) -> Request
        ) {
            testDescription = name
            self.step = step
            self.method = method
            self.headers = headers
            self.body = body
        }
    }

    static let cases = [
        Case("tab in a value", .get, ["X-A": "a\tb"]) { $0.get("/a").header("X-A", "a\tb") },
        Case("blanks around a value", .get, ["X-A": "a"]) { $0.get("/a").header("X-A", " a\t") },
        Case("method in small letters", .post, ["Content-Length": "0"]) { $0.method("post").path("/a") },
        Case("one header by two spellings", .get, ["X-A": "2"]) { $0.get("/a").header("x-a", "1").header("X-A", "2") },
        Case("no type for no body", .post, ["Content-Type": nil]) { $0.post("/a") },
        Case("the type that was given", .post, ["Content-Type": "text/made-up"], body: "x") {
            $0.post("/a").body(Data("x".utf8), contentType: "text/made-up")
        },
        Case("empty value", .get, ["X-A": ""]) { $0.get("/a").header("X-A", "") },
        Case("DELETE with a body", .delete, ["Content-Length": "1"], body: "1") { $0.delete("/a").json(1) },
        Case("POST without a body", .post, ["Content-Length": "0", "Transfer-Encoding": nil]) { $0.post("/a") },
        Case("PUT without a body", .put, ["Content-Length": "0", "Transfer-Encoding": nil]) { $0.put("/a") },
        Case("no Expect, which would wait for a response that few servers give", .post, ["Expect": nil], body: long) {
            $0.post("/a").body(Data(long.utf8), contentType: "text/plain")
        },
    ]

    private static let long = String(repeating: "x", count: 2_000_000)

    @Test("a request arrives as its call describes it", arguments: TransportTests.Subject.allCases, cases)
    func arrives(subject: TransportTests.Subject, one: Case) async throws {
        let server = try LoopbackServer()
        server.on(nil, "/a") { _ in .json(text: "1") }
        _ = try await one.step(subject.client(server)).execute(.void).value
        let request = try #require(server.requests.first)
        #expect(request.method == one.method)
        for (name, value) in one.headers { #expect(request.headers[name] == value, "\(name)") }
        #expect(request.text == one.body)
    }

    @Test("a response that arrives byte by byte exceeds the timeout", arguments: TransportTests.Subject.allCases)
    func drip(subject: TransportTests.Subject) async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .text(String(repeating: "x", count: 1000)).dripping(every: .milliseconds(20)) }
        let call = subject.client(server).get("/a").timeout(.milliseconds(100))
        let error = await #expect(throws: APIError.self) { try await call.execute(.string).value }
        #expect(error?.kind == .timeout)
    }
}
