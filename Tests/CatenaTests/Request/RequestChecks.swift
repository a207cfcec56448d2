import CatenaTesting
import Foundation
import Testing

@testable import Catena

extension HTTPRequest {
    /// Method and address as they go out, secrets included.
    var sentLine: String { "\(method.name) \(address.text)" }

    var sentBody: String? { body.map { String(decoding: $0, as: UTF8.self) } }
}

extension Request {
    /// The error with which this request fails before anything is sent; `nil` if it does not.
    func previewFault() async -> APIError? {
        do {
            _ = try await preview()
            return nil
        } catch {
            return error as? APIError
        }
    }
}

/// One request and how it goes out, or the step that is to blame.
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

    /// Expects this line of method and address.
    func checkLine(_ client: Client) async throws {
        #expect(try await request(client).preview().sentLine == expected)
    }

    /// Expects an invalid request whose message begins with the step and contains the rest of the words, in one printable line.
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

/// A client that must not send.
func silentClient(_ configure: (Client) -> Void = { _ in }) -> Client {
    let client = Client(
        transport: StubTransport { request in
            Issue.record("sent: \(request)")
            return .status(500)
        })
    client.onDiagnostic { _ in }
    configure(client)
    return client
}
