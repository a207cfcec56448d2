import CatenaTesting
import Foundation
import Testing

@testable import Catena

extension HTTPRequest {
    /// The method and the address as they are sent, including secrets.
    var sentLine: String { "\(method.name) \(address.text)" }

    var sentBody: String? { body.map { String(decoding: $0, as: UTF8.self) } }
}

extension Request {
    /// Returns the error with which this request fails before anything is sent, or `nil` if it does not fail.
    func previewFault() async -> APIError? {
        do {
            _ = try await preview()
            return nil
        } catch {
            return error as? APIError
        }
    }
}

/// A request with the expected line of method and address, or with the expected error.
struct RequestRow: Sendable, CustomTestStringConvertible {
    let name: String
    let expected: String
    let request: @Sendable (Client) -> Request

    init(_ name: String, _ expected: String, _ request: @escaping @Sendable (Client) -> Request) {
        self.name = name
        self.expected = expected
        self.request = request
    }

    var testDescription: String { name }

    /// Expects that the request is sent with this method and address.
    func checkLine(_ client: Client) async throws {
        #expect(try await request(client).preview().sentLine == expected)
    }

    /// Expects an invalid request. Its message is one printable line that begins with the step and contains the other parts of `expected`.
    func checkFault(_ client: Client) async {
        let error = await request(client).previewFault()
        #expect(error?.kind == .invalidRequest)
        let message = error?.message ?? "no error"
        let parts = expected.split(separator: "…", omittingEmptySubsequences: true)
        #expect(message.hasPrefix((parts.first ?? "") + ":"), "\(message)")
        for part in parts.dropFirst() { #expect(message.contains(part), "\(message)") }
        #expect(message.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(message.debugDescription)")
    }
}

/// Returns a client that records an issue if it sends a request.
func silentClient(_ configure: (Client) -> Void = { _ in }) -> Client {
    let client = Client(
        transport: ClosureTransport { request in
            Issue.record("sent: \(request)")
            return .status(500)
        })
    client.onDiagnostic { _ in }
    configure(client)
    return client
}
