import Catena
import CatenaTesting
import Foundation
import Testing

private struct User: Codable, Sendable { let name: String }
private struct Session: Codable, Sendable { let access_token: Int }

private struct Leak: Error { let token = "made-up" }

@Suite("Secrets in errors", .limitedParallelism)
struct SecrecyTests {
    typealias Answer = @Sendable () throws -> TransportResponse

    private static let address = URL(string: "https://x.example/?token=made-up")

    /// Failures with a secret in the request, in the response or in the error of the transport.
    static let failures: [(name: String, answer: Answer)] = [
        ("business", { .json(#"{"code":5,"msg":"m","token":"made-up"}"#, headers: ["Set-Cookie": "sid=made-up"]) }),
        ("status", { .json(#"{"token":"made-up"}"#, status: 500) }),
        ("no such key", { .json(#"{"code":0,"data":{"token":"made-up"}}"#) }),
        ("malformed", { .json(#"{"token":"made-up","x"}"#) }),
        ("redirect", { .status(302, headers: ["Location": "ftp://x.example/?token=made-up"]) }),
        ("URL error", { throw URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: address as Any]) }),
        ("NSError", { throw NSError(domain: "d", code: 1, userInfo: ["token": "made-up"]) }),
        ("struct", { throw Leak() }),
        ("wrapped", { throw APIError(.tls, message: "handshake", underlying: Leak()) }),
    ]

    @Test("no description of an error contains a secret", arguments: failures.indices)
    func printed(row: Int) async throws {
        let answer = Self.failures[row].answer
        let request = Client(transport: ClosureTransport { _ in try answer() }).host("https://forum.example.com").post("/login")
            .header("Authorization", "Bearer made-up").header("X-Api-Key", "made-up")
            .query(["access_token": "made-up", "page": 1]).params(["password": "made-up"])
        let error = try #require(await #expect(throws: APIError.self) { try await request.value(as: User.self) })
        let bridged = error as NSError
        let shown = [
            "\(error)", String(reflecting: error), "\([error])", error.message, error.localizedDescription, "\(bridged)",
            "\(bridged.userInfo)", bridged.debugDescription, error.request.map { "\($0) \($0.headers)" } ?? "",
            error.response.map { "\($0) \($0.headers)" } ?? "",
        ]
        for text in shown { #expect(!text.contains("made-up")) }
        #expect("\(error)".contains("page=1"))
        #expect(error.request?.headers["authorization"] == "***")
    }

    @Test("a decoding error quotes the start of the payload without secrets")
    func decoding() async throws {
        let stub = ClosureTransport { _ in .json(#"{"code":0,"data":{"id":1,"access_token":"made-up"}}"#) }
        let request = Client(transport: stub).absoluteURL("https://forum.example.com/x")
        let error = await #expect(throws: APIError.self) { try await request.value(as: Session.self) }
        #expect(
            error?.message
                == #"Cannot decode Session at "access_token" (the value cannot be used). It begins: {"id":1,"access_token":"***"}"#)
    }

    @Test("the caller receives the original cause")
    func originals() async throws {
        let request = Client(transport: ClosureTransport { _ in throw Leak() }).absoluteURL("https://forum.example.com/x")
        let error = await #expect(throws: APIError.self) { try await request.value() }
        #expect(error?.underlying is Leak)
    }
}
