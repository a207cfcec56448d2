import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct LossyArrayTests {
    private struct User: Codable, Sendable, Equatable {
        let name: String
    }

    private struct Page: Codable, Sendable {
        @LossyArray var users: [User]
    }

    @Test("elements that cannot be decoded are left out, and listed with index and error")
    func losses() throws {
        let text = #"{"users": [{"name": "a"}, 7, null, {"name": "b"}, {"title": "c"}, [[]]]}"#
        let page = try JSONDecoder().decode(Page.self, from: Data(text.utf8))
        #expect(page.users == [User(name: "a"), User(name: "b")])
        #expect(page.$users.map(\.index) == [1, 2, 4, 5])
        #expect(page.$users.allSatisfy { $0.error is DecodingError })
    }

    @Test("a value that is not an array is an error", arguments: [#"{"users": {}}"#, #"{"users": null}"#, "{}", #"{"users": "a"}"#])
    func noArray(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Page.self, from: Data(text.utf8)) }
    }

    @Test("a LossyArray can be a payload, uses the decoder's strategies, and encodes as its array")
    func payload() async throws {
        let client = Client(transport: ClosureTransport { _ in .json(#"{"code": 0, "data": ["2024-02-29", "soon", 1709251200]}"#) })
        client.configureDefaults {
            $0.host = "https://example.com"
            $0.decoder = JSONDecoder()
            $0.decoder?.dateDecodingStrategy = .lenient()
        }
        let dates = try await client.get("/").value(as: LossyArray<Date>.self)
        #expect(dates.wrappedValue.map(\.timeIntervalSince1970) == [1_709_164_800, 1_709_251_200])
        #expect(String(decoding: try JSONEncoder().encode(Page(users: [User(name: "a")])), as: UTF8.self) == #"{"users":[{"name":"a"}]}"#)
    }
}
