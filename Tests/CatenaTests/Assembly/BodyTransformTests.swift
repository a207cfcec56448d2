import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Transformed bodies", .limitedParallelism)
struct BodyTransformTests {
    private struct Note: Encodable, Sendable { let text: String }
    private struct Broken: Error {}

    private let client = Client(testing: Stubs())

    static let requests: [(name: String, step: @Sendable (Request) -> Request)] = [
        ("params", { $0.params(["a": 1]) }), ("json", { $0.json(Note(text: "x")) }), ("form", { $0.form(["a": 1]) }),
        ("bytes", { $0.body(Data("x".utf8), contentType: "text/plain") }),
        ("multipart", { $0.multipart { $0.field("a", "1") } }), ("encoding", { $0.params(["a": 1]).encoding(.propertyList) }),
    ]

    @Test("a tag's transform changes the body of every kind of step", arguments: requests.indices)
    func changed(index: Int) async throws {
        let request = Self.requests[index].step(client.post("/a"))
        let plain = try await request.preview()
        client.configureDefaults {
            $0.transformBody = { body, type in (Data("\(type.prefix(4)):\(body.count)".utf8), "application/sealed") }
        }
        let sent = try await request.preview()
        let type = try #require(plain.headers["Content-Type"])
        #expect(sent.sentBody?.hasPrefix("\(type.prefix(4)):") == true)
        #expect(sent.headers["Content-Type"] == "application/sealed")
    }

    @Test("a transform does not run without a body, and fails the call if it throws or if the body is a stream")
    func refused() async throws {
        client.configureDefaults { $0.transformBody = { _, _ in throw Broken() } }
        #expect(try await client.get("/a").params(["a": 1]).preview().body == nil)
        let error = await #expect(throws: APIError.self) { try await client.post("/a").json(["a": 1]).preview() }
        #expect(error?.underlying is Broken && error?.message.hasPrefix("transformBody") == true)
        let stream = client.post("/a").body(stream: AsyncStream<Data> { $0.finish() }, length: 7)
        let unseen = await #expect(throws: APIError.self) { try await stream.preview() }
        #expect(unseen?.kind == .invalidRequest && unseen?.message.contains("stream") == true)
    }
}
