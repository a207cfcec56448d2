import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Formats of a chained call", .limitedParallelism)
struct RequestFormatTests {
    private func client(_ body: String, status: Int = 200) -> Client {
        let client = Client(transport: ClosureTransport { _ in .json(body, status: status) })
        client.defaultHost = "https://example.com"
        return client
    }

    @Test("the body is awaited as bytes, as text or not at all, and promised the same way")
    func builtIn() async throws {
        let body = #"{"code":0,"data":7}"#
        let request = client(body).get("/a")
        #expect(try await request.value(format: .data) == Data(body.utf8))
        #expect(try await request.value(format: .text) == body)
        try await request.value(format: .none)
        #expect(try await request.execute(.format(.data)).value == Data(body.utf8))
        #expect(try await request.value(as: Int.self) == 7)
    }

    @Test("a custom format receives the response with its payload, and its errors are decoding errors")
    func own() async throws {
        struct Odd: Error {}
        let request = client(#"{"code":0,"data":7}"#).get("/a")
        let message = ResponseFormat { reading in
            (reading.response.status, reading.payloadBytes.map { String(decoding: $0, as: UTF8.self) })
        }
        let (status, payload) = try await request.value(format: message)
        #expect(status == 200 && payload == "7")
        let error = await #expect(throws: APIError.self) { try await request.value(format: ResponseFormat<Int> { _ in throw Odd() }) }
        #expect(error?.kind == .decoding && error?.underlying is Odd)
    }

    @Test("a code that means failure fails the call in every format")
    func failing() async throws {
        let request = client(#"{"code":9,"msg":"closed"}"#).get("/a")
        let errors = [
            await #expect(throws: APIError.self) { try await request.value(format: .data) },
            await #expect(throws: APIError.self) { try await request.value(format: .text) },
            await #expect(throws: APIError.self) { try await request.value(format: .none) },
        ]
        for error in errors { #expect(error?.code == 9 && error?.message == "closed") }
    }
}
