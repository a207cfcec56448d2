import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// A broken body does not hide the status with which it came.
@Suite(.limitedParallelism) struct BrokenErrorBodyTests {
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let kind: APIError.Kind
        let response: @Sendable (Int) -> StubReply

        static let all = [
            Fault(testDescription: "not gzip", kind: .decompression) { .text("not gzip", status: $0).header("Content-Encoding", "gzip") },
            Fault(testDescription: "cut", kind: .connectionLost) { .text("0123456789", status: $0).connectionLost(after: 4) },
            Fault(testDescription: "a coding that cannot be read", kind: .decompression) {
                .text("x", status: $0).header("Content-Encoding", "compress")
            },
        ]
    }

    /// Whether Foundation on Linux does not report the fault to the transport.
    private static func isExempt(_ subject: TransportTests.Subject, _ fault: Fault) -> Bool {
        subject == .urlSession && fault.testDescription != "cut"
    }

    @Test(
        "the error of a failed call has its status, and the fault of its broken body as the underlying error",
        arguments: TransportTests.Subject.allCases, Fault.all)
    func told(subject: TransportTests.Subject, fault: Fault) async throws {
        if Self.isExempt(subject, fault) { return }
        let server = try subject.newServer()
        server.get("/a") { _ in fault.response(404) }
        let client = subject.client(server)
        let calls: [@Sendable () async throws -> Void] = [
            { try await client.get("/a").execute(.void).value },
            { for try await _ in client.get("/a").stream() {} },
            { _ = try await client.get("/a").onProgress { _ in }.execute(.data).value },
        ]
        for call in calls {
            let error = await #expect(throws: APIError.self) { try await call() }
            #expect(error?.kind == .status)
            #expect(error?.code == 404)
            #expect((error?.underlying as? APIError)?.kind == fault.kind)
        }
    }

    @Test(
        "a broken body with a status that is declared a success fails the call, as one with 200 does",
        arguments: TransportTests.Subject.allCases, Fault.all)
    func declared(subject: TransportTests.Subject, fault: Fault) async throws {
        if Self.isExempt(subject, fault) { return }
        let server = try subject.newServer()
        server.get("/a") { _ in fault.response(404) }
        let client = subject.client(server)
        client.configureDefaults { $0.envelope = .standard.success(status: 404) }
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await client.get("/a").execute(.data).value },
            { _ = try await client.get("/a").execute(.string).value },
            { try await client.get("/a").execute(.void).value },
            { for try await _ in client.get("/a").stream() {} },
            { _ = try await client.get("/a").onProgress { _ in }.execute(.data).value },
        ]
        for call in calls {
            let error = await #expect(throws: APIError.self) { try await call() }
            #expect(error?.kind == fault.kind)
        }
    }

    @Test("a call with a broken error body is retried according to its status", arguments: TransportTests.Subject.allCases, Fault.all)
    func retried(subject: TransportTests.Subject, fault: Fault) async throws {
        if Self.isExempt(subject, fault) { return }
        let server = try subject.newServer()
        server.get("/a") { $0.visit == 1 ? fault.response(503) : .json(text: "1") }
        let policy = RetryPolicy.exponential(limit: 1, baseDelay: .zero)
        #expect(try await subject.client(server).get("/a").retry(policy).value(as: Int.self) == 1)
    }

    @Test("a 401 with a broken body refreshes the credential", arguments: TransportTests.Subject.allCases, Fault.all)
    func refreshed(subject: TransportTests.Subject, fault: Fault) async throws {
        if Self.isExempt(subject, fault) { return }
        let server = try subject.newServer()
        server.get("/a") { $0.headers["Authorization"] == "Bearer new" ? .json(text: "1") : fault.response(401) }
        let client = subject.client(server)
        client.configureDefaults {
            $0.authentication = Authentication(
                BearerAuthenticator { _ in BearerToken(accessToken: "new") }, store: MemoryCredentialStore(BearerToken(accessToken: "old")))
        }
        #expect(try await client.get("/a").value(as: Int.self) == 1)
    }
}
