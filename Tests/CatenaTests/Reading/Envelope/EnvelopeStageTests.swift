import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Effects of the classes of an envelope's codes", .limitedParallelism)
struct EnvelopeStageTests {
    @Test("an authentication code refreshes the credential without a second declaration", arguments: ["10001", #""10001""#])
    func authentication(code: String) async throws {
        let stub = ClosureTransport { request in
            request.headers["Authorization"] == "Bearer new"
                ? .json(#"{"code":0,"data":7}"#) : .json(#"{"code":\#(code),"msg":"expired"}"#)
        }
        let client = Client(transport: stub)
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            forum.envelope = .standard.authentication(10001)
            forum.authentication = Authentication(
                BearerAuthenticator { _ in BearerToken(accessToken: "new") }, store: MemoryCredentialStore(BearerToken(accessToken: "old")))
        }
        #expect(try await client.tag("forum").get("/me").value(as: Int.self) == 7)
        #expect(stub.requests.count == 2)
    }

    private static func client(_ body: String, status: Int, _ envelope: Envelope, _ stubs: Counter) -> Client {
        let client = Client(
            transport: ClosureTransport { _ in
                stubs.increment()
                return .json(body, status: status)
            }, clock: VirtualClock(isAutomatic: true))
        client.configureDefaults {
            $0.host = "https://forum.example.com"
            $0.retry = .exponential(limit: 2)
            $0.envelope = envelope
        }
        return client
    }

    static let retries: [(envelope: Envelope, status: Int, sent: Int)] = [
        (.standard, 503, 3), (.standard.validation("E"), 503, 1), (.standard.maintenance("E"), 503, 1),
        (.standard.maintenance(503), 503, 1),
        (.standard, 200, 1), (.standard.retryable("E"), 200, 3),
    ]

    @Test("retryable failures are retried, validation errors and maintenance are not", arguments: retries.indices)
    func retry(row: Int) async {
        let (envelope, status, expected) = Self.retries[row]
        let sent = Counter()
        let client = Self.client(#"{"code":"E","msg":"m"}"#, status: status, envelope, sent)
        await #expect(throws: APIError.self) { try await client.get("/x").value() }
        #expect(sent.count == expected)
    }

    @Test("maintenance codes open the circuit breaker as failures do")
    func breaker() async {
        let sent = Counter()
        let client = Self.client(#"{"code":"CLOSED","msg":"m"}"#, status: 200, .standard.maintenance("CLOSED"), sent)
        client.configureDefaults {
            var policy = CircuitBreakerPolicy()
            policy.minimumCalls = 2
            $0.circuitBreaker = policy
        }
        for _ in 0..<4 { _ = try? await client.get("/x").value() }
        #expect(sent.count == 2)
    }

    @Test("a declared success status is a success for every kind of call except a download")
    func statuses() async throws {
        let client = Client(transport: ClosureTransport { _ in .json(#"{"data":[1]}"#, status: 404) })
        client.configureDefaults {
            $0.host = "https://forum.example.com"
            $0.envelope = .standard.success(status: 404)
        }
        #expect(try await client.get("/x").value(as: [Int].self) == [1])
        #expect(try await client.get("/x").execute(.string).value == #"{"data":[1]}"#)
        #expect(try await client.get("/x").onProgress { _ in }.value(as: [Int].self) == [1])
        var text = ""
        for try await line in client.get("/x").lines() { text += line }
        #expect(text == #"{"data":[1]}"#)
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let error = await #expect(throws: APIError.self) { try await client.get("/x").execute(.download(to: folder)).value }
        #expect(error?.status == 404)
    }
}
