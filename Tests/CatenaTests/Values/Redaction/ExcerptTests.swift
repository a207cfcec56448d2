import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// A response that cannot be decoded, with the beginning that an error shows.
struct Excerpt: Sendable, CustomTestStringConvertible {
    let type: String
    let body: Data
    var shows: String?

    var testDescription: String { type }

    static let all = [
        Excerpt(
            type: "multipart/form-data; boundary=b",
            body: Data("--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nmade-up\r\n--b--\r\n".utf8)),
        Excerpt(type: "application/msgpack", body: Data([0x81, 0xA8]) + Data("password".utf8) + Data([0xA7]) + Data("made-up".utf8)),
        Excerpt(type: "application/x-protobuf", body: Data([0x0A, 0x07]) + Data("made-up".utf8)),
        Excerpt(type: "application/grpc", body: Data("made-up".utf8)),
        Excerpt(type: "image/png", body: Data("made-up".utf8)),
        Excerpt(type: "application/x-www-form-urlencoded", body: Data("page=open-1&pass%77ord=made-up".utf8), shows: "open-1"),
        Excerpt(type: "text/plain", body: Data("open-1 password=made-up".utf8), shows: "open-1"),
        Excerpt(type: "application/json", body: Data(#"{"q":"open-1","password":"made-up""#.utf8), shows: "open-1"),
    ]
}

@Suite("Excerpts of bodies in errors", .limitedParallelism)
struct ExcerptTests {
    @Test("an error quotes a text body by its media type, and quotes no bytes that are not text", arguments: Excerpt.all)
    func quoted(_ excerpt: Excerpt) async throws {
        let stub = ClosureTransport { _ in
            TransportResponse(status: 200, headers: ["Content-Type": excerpt.type], body: TransportBody(excerpt.body))
        }
        let client = Client(transport: stub)
        for envelope in [Envelope.raw, .standard] {
            let error = await #expect(throws: APIError.self) {
                try await client.host("https://forum.test").get("/a").envelope(envelope).value(as: [Int].self)
            }
            let text = error.map { "\($0) \($0.message) \($0.explanation ?? "") \($0.localizedDescription)" } ?? ""
            #expect(!text.contains("made-up"), "\(text)")
            if let shown = excerpt.shows { #expect(text.contains(shown), "\(text)") }
        }
    }
}
