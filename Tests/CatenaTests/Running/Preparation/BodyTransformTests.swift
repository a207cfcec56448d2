import CatenaTesting
import Foundation
import TestSupport
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
    }

    static let unread: [(step: String, request: @Sendable (Request, URL) -> Request)] = [
        ("body", { request, _ in request.body(stream: AsyncStream<Data> { $0.finish() }, length: 7) }),
        ("body", { $0.body(file: $1) }),
        ("multipart", { request, file in request.multipart { $0.file(file, name: "a") } }),
    ]

    @Test("a body that is not in memory is refused, and the message names its step and the tag's", arguments: unread.indices)
    func unseen(index: Int) async throws {
        client.configureDefaults { $0.transformBody = { body, type in (body, type) } }
        let file = try ScratchFile("made up")
        let request = Self.unread[index].request(client.post("/a"), file.url)
        let error = await #expect(throws: APIError.self) { try await request.preview() }
        let message = error?.message ?? ""
        #expect(error?.kind == .invalidRequest && message.hasPrefix("\(Self.unread[index].step): transformBody of the tag"), "\(message)")
        #expect(message.contains("body(_:contentType:)"))
    }

    private struct LengthSigner: RequestSigner {
        func sign(_ request: inout HTTPRequest, params: Params) { request.headers["X-Signed"] = request.sentBody }
    }

    @Test("each attempt changes the body anew, before the signature and the length are made")
    func everyAttempt() async throws {
        let server = try LoopbackServer()
        server.post("/a") { $0.visit == 1 ? .status(503) : .json(1) }
        let count = Counter()
        let client = Client()
        client.configure("sealed") { sealed in
            sealed.host = server.url
            sealed.signer = LengthSigner()
            sealed.retry = .exponential(limit: 1, baseDelay: .zero, methods: [.post])
            sealed.transformBody = { body, _ in
                count.increment()
                return (Data("sealed \(count.count): \(body.count)".utf8), "application/sealed")
            }
        }
        try await client.tag("sealed").post("/a").json(["a": 1]).void()
        #expect(server.requests.map(\.text) == ["sealed 1: 7", "sealed 2: 7"])
        #expect(server.requests.map { $0.headers["X-Signed"] } == ["sealed 1: 7", "sealed 2: 7"])
        #expect(server.requests.map { $0.headers["Content-Length"] } == ["11", "11"])
    }

    @Test("curl(), the log and the text for snapshots show what is sent")
    func shown() async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        let lines = Recorder<String>()
        client.log(.verbose, to: LogSink { lines.note($0) })
        client.configureDefaults { $0.transformBody = { _, _ in (Data("sealed".utf8), "text/plain") } }
        stubs.post("/a").reply(json: 1)
        let request = client.post("/a").json(["note": "open"])
        try await request.void()
        await client.waitUntilIdle()
        let shown = [try await request.curl(), try await request.text(), lines.events.joined(separator: "\n")]
        for text in shown { #expect(text.contains("sealed") && !text.contains("open"), "\(text)") }
    }
}
