import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Decoding the body of an error", .limitedParallelism)
struct APIErrorDecodingTests {
    struct Problem: Decodable, Equatable, Sendable {
        let code: Int
        let fields: [String]
    }

    /// Returns the error of a call that receives this response.
    private func error(_ body: Data, status: Int = 422, type: String = "application/json") async throws -> APIError {
        let stub = ClosureTransport { _ in TransportResponse(status: status, headers: ["Content-Type": type], body: TransportBody(body)) }
        let request = Client(transport: stub).host("https://example.com").get("/a")
        return try #require(await #expect(throws: APIError.self) { try await request.value() })
    }

    private func error(_ body: String, status: Int = 422, type: String = "application/json") async throws -> APIError {
        try await error(Data(body.utf8), status: status, type: type)
    }

    @Test("the whole body is decoded, with the envelope around it", arguments: [422, 200])
    func whole(status: Int) async throws {
        let error = try await error(#"{"code": 7, "msg": "no", "fields": ["name"]}"#, status: status)
        #expect(try error.decoded(as: Problem.self) == Problem(code: 7, fields: ["name"]))
        #expect(try error.decoded(as: JSON.self).msg.string == "no")
    }

    @Test("the strategies of the given decoder apply")
    func strategies() async throws {
        struct Snake: Decodable { let firstName: String }
        let error = try await error(#"{"first_name": "a"}"#)
        #expect(throws: APIError.self) { try error.decoded(as: Snake.self) }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try error.decoded(as: Snake.self, decoder: decoder).firstName == "a")
    }

    @Test("the body is decoded with the charset that the response declares")
    func charset() async throws {
        let bytes = Data(#"{"code": 7, "fields": [""#.utf8) + [0xD6, 0xD0] + Data(#""]}"#.utf8)
        let error = try await error(bytes, type: "application/json; charset=gbk")
        #expect(try error.decoded(as: Problem.self).fields == ["中"])
    }

    @Test(
        "the error of an undecodable body gives the reason and the first bytes",
        arguments: [
            ("", ["The error has no body, from which Problem could be decoded."]),
            ("<html>", ["Cannot decode Problem (", "The body begins: <html>"]),
            (#"{"code": 7}"#, [#"Cannot decode Problem at "fields" (there is no such key). The body begins: {"code": 7}"#]),
            (#"{"code": 7, "fields": [1]}"#, [#"Cannot decode Problem at "fields[0]" ("#]),
        ] as [(String, [String])])
    func undecodable(body: String, parts: [String]) async throws {
        let error = try await error(body)
        let failure = try #require(throws: APIError.self) { try error.decoded(as: Problem.self) }
        #expect(failure.kind == .decoding)
        for part in parts { #expect(failure.message.contains(part), "\(failure.message)") }
        #expect(failure.status == 422)
        #expect(failure.request == error.request)
        #expect(failure.body == error.body)
    }

    @Test("an error without a response has no body")
    func noResponse() {
        let failure = #expect(throws: APIError.self) { try APIError(.timeout).decoded(as: Problem.self) }
        #expect(failure?.message == "The error has no body, from which Problem could be decoded.")
        #expect(failure?.kind == .decoding)
    }

    @Test("decoding a body that was cut at the limit fails with this reason")
    func cut() async throws {
        func body(of length: Int) -> String {
            let start = #"{"code": 7, "fields": [""#
            return start + String(repeating: "x", count: length - start.utf8.count - 3) + "\"]}"
        }
        let whole = try await error(body(of: APIError.bodyLimit))
        #expect(try whole.decoded(as: Problem.self).code == 7)
        let cut = try await error(body(of: APIError.bodyLimit + 1))
        let failure = try #require(throws: APIError.self) { try cut.decoded(as: Problem.self) }
        #expect(failure.message.hasSuffix(" The error has only its first 65536 bytes."))
        #expect(failure.message.count < 1000)
    }

    @Test(
        "an error stores the first 64 KiB of a body, whatever made the call fail", arguments: ["status", "code", "type", "text", "lines"])
    func longBody(cause: String) async throws {
        var body = String(repeating: "x", count: 100_000)
        if cause == "code" || cause == "type" { body = #"{"code":\#(cause == "code" ? 7 : 0),"msg":"","data":"\#(body)"}"# }
        let (status, bytes) = (cause == "status" || cause == "lines" ? 500 : 200, Data(body.utf8))
        let stub = ClosureTransport { _ in
            TransportResponse(status: status, headers: ["Content-Type": "application/json"], body: TransportBody(bytes))
        }
        let request = Client(transport: stub).host("https://example.com").get("/a")
        let error = try #require(
            await #expect(throws: APIError.self) {
                if cause == "lines" { for try await _ in request.lines() {} } else { _ = try await request.value(as: Int.self) }
            })
        #expect(error.body == bytes.prefix(65_536))
    }

    @Test("the error hides the body's secrets, also those that only the tag declares")
    func secrets() async throws {
        let stub = ClosureTransport { _ in .json(#"{"token": "s3cr3t", "seed": "s33d", "fields": 1}"#, status: 422) }
        let client = Client(transport: stub)
        client.configureDefaults { defaults in
            defaults.host = "https://example.com"
            defaults.secrets = Secrets(params: "seed")
        }
        let error = try #require(await #expect(throws: APIError.self) { try await client.get("/a").value() })
        let failure = try #require(throws: APIError.self) { try error.decoded(as: Problem.self) }
        for words in [failure.message, "\(failure)", failure.localizedDescription] {
            #expect(!words.contains("s3cr3t") && !words.contains("s33d"), "\(words)")
        }
    }
}
