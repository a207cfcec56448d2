import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

/// A body that is read while it is sent, and its content at the stub.
private struct SentBody: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The content of the parts of a form, or of the whole body.
    let contents: [String]
    /// Sets the body, given a file that contains "picture" and an empty file.
    let make: @Sendable (Request, URL, URL) -> Request

    init(_ name: String, _ contents: String..., make: @escaping @Sendable (Request, URL, URL) -> Request) {
        testDescription = name
        self.contents = contents
        self.make = make
    }

    @Sendable static func pieces() -> AsyncStream<Data> {
        AsyncStream { continuation in
            for piece in ["pic", "", "ture"] { continuation.yield(Data(piece.utf8)) }
            continuation.finish()
        }
    }

    static let all = [
        SentBody("a form of a JSON part and a file", #"{"a":1}"#, "picture") { request, file, _ in
            request.multipart { form in
                form.json(["a": 1], name: "params")
                form.file(file, name: "photo")
            }
        },
        SentBody("a form of bytes", "1", "picture") { request, _, _ in
            request.multipart { form in
                form.field("a", 1)
                form.data(Data("picture".utf8), name: "photo")
            }
        },
        SentBody("a form with a stream of unknown length", "picture") { request, _, _ in
            request.multipart { $0.source(BodySource(stream: pieces), name: "log") }
        },
        SentBody("a form with an empty file", "") { request, _, empty in request.multipart { $0.file(empty, name: "photo") } },
        SentBody("a file", "picture") { request, file, _ in request.body(file: file) },
        SentBody("an empty file", "") { request, _, empty in request.body(file: empty) },
        SentBody("a stream of known length", "picture") { request, _, _ in request.body(stream: pieces, length: 7) },
        SentBody("a stream of unknown length", "picture") { request, _, _ in request.body(stream: pieces) },
        SentBody("a stream that can be read once", "picture") { request, _, _ in request.body(stream: pieces()) },
    ]
}

/// A folder with the files of one test.
private final class FileFolder: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stub-body-\(UUID().uuidString)")

    func file(_ name: String, _ text: String) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file
    }

    /// Makes a file of zeros that takes no space on the disk.
    func file(_ name: String, size: UInt64) throws -> URL {
        let file = try file(name, "")
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: size)
        try handle.close()
        return file
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}

@Suite("Files and streams in stubs", .limitedParallelism)
struct StubBodySourceTests {
    private struct Broken: Error {}
    private static let limit: UInt64 = 16 * 1024 * 1024

    private let stubs = Stubs()
    private let client: Client
    private let folder = FileFolder()

    init() {
        client = Client(testing: stubs)
        client.configureDefaults { $0.envelope = .raw }
    }

    @Test("a stub, its closure and an expectation see the bytes", arguments: SentBody.all)
    private func seen(body: SentBody) async throws {
        let sees: @Sendable (StubRequest) -> [String] = { $0.parts.isEmpty ? [$0.text] : $0.parts.map(\.text) }
        stubs.put("/a").when { sees($0) == body.contents }.reply { call in
            // A closure may read the source once more.
            let source = try await call.sent?.bodySource?.collect(limit: 1000)
            return .json(["isEqual": JSON(booleanLiteral: source == nil || source == call.body)])
        }
        let request = body.make(client.put("/a"), try folder.file("a.png", "picture"), try folder.file("empty.png", ""))
        #expect(try await request.value()["isEqual"] == true)
        try stubs.expect(.put, "/a").when { sees($0) == body.contents }.times(1)
        #expect(stubs.requests.map(sees) == [body.contents])
    }

    @Test("the conditions of bodies read a file")
    func conditions() async throws {
        stubs.put("/plain").body(Data("picture".utf8)).reply(status: 204)
        stubs.put("/json").json(["a": 1]).reply(status: 204)
        stubs.put("/form").form(["a": 1]).reply(status: 204)
        try await client.put("/plain").body(file: try folder.file("a.txt", "picture")).void()
        try await client.put("/json").body(file: try folder.file("a.json", #"{"a": 1}"#)).void()
        let fields = try folder.file("form", "a=1&b=2")
        try await client.put("/form").body(file: fields, contentType: "application/x-www-form-urlencoded").void()
        try stubs.expect(.put, "/plain").body(Data("picture".utf8))
        let failure = #expect(throws: StubFailure.self) { try stubs.expect(.put, "/plain").body(Data("other".utf8)) }
        #expect(failure?.description == #"PUT /plain was called 1 time, but the body is "picture", not "other"."#)
    }

    @Test("every attempt reads a file again, and the upload's progress ends at its length")
    @MainActor func attempts() async throws {
        let told = Recorder<TransferProgress>()
        stubs.put("/a").sequence(.status(503), .status(204))
        let request = client.put("/a").body(file: try folder.file("a.txt", "picture")).retry(.exponential(limit: 2))
        try await request.onProgress(.upload) { told.note($0) }.execute(.void).then { _ in }.value
        #expect(stubs.requests.map(\.text) == ["picture", "picture"])
        #expect(told.events.first?.completed == 0)
        #expect(told.events.last?.completed == 7 && told.events.last?.fraction == 1)
    }

    @Test("a stub of a streamed response sees a file")
    func streamed() async throws {
        stubs.post("/a").body(Data("picture".utf8)).reply(text: "one\ntwo")
        var lines: [String] = []
        for try await line in client.post("/a").body(file: try folder.file("a.txt", "picture")).lines() { lines.append(line) }
        #expect(lines == ["one", "two"])
    }

    @Test("a recording over stubs sees a file")
    func recorded() async throws {
        stubs.post("/a").body(Data("picture".utf8)).reply(text: "1")
        let recording = try Recording(folder.file("calls.har", ""), mode: .record, over: stubs)
        try await Client(testing: recording).host("https://a.test").post("/a").body(file: try folder.file("a.txt", "picture")).void()
        try stubs.expect(.post, "/a").body(Data("picture".utf8))
    }

    @Test("a body that cannot be read fails the call, and no stub sees it")
    func broken() async throws {
        stubs.put("/a").reply(status: 204)
        let pieces = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("pic".utf8))
            continuation.finish(throwing: Broken())
        }
        let failed = await #expect(throws: APIError.self) { try await client.put("/a").body(stream: pieces).void() }
        #expect(failed?.kind == .requestBody && failed?.underlying is Broken)
        let short = await #expect(throws: APIError.self) { try await client.put("/a").body(stream: SentBody.pieces, length: 8).void() }
        #expect(short?.message == "The body cannot be sent: its stream ended after 7 of 8 bytes.")
        let none = await #expect(throws: APIError.self) { try await client.put("/a").body(file: URL(filePath: "/none/a.png")).void() }
        #expect(none?.kind == .invalidRequest)
        #expect(stubs.requests.isEmpty)
    }

    @Test("a body above the limit is answered, but words say that it was not read", arguments: [true, false])
    func large(isFile: Bool) async throws {
        stubs.put("/a").reply(status: 204)
        stubs.put("/b").body(Data()).reply(status: 204)
        let file = try folder.file("a.bin", size: Self.limit + 1)
        let stream: @Sendable () -> AsyncStream<Data> = {
            AsyncStream { continuation in
                for _ in 0..<17 { continuation.yield(Data(count: 1024 * 1024)) }
                continuation.finish()
            }
        }
        try await client.put("/a").body(isFile ? try BodySource(file: file) : BodySource(stream: stream), contentType: "a/b").void()
        let words = "the body was not read into memory, because it is longer than 16 MiB"
        #expect(stubs.requests.first?.text == "(\(words))")
        #expect(stubs.requests.first?.parts.isEmpty == true)
        let steps: [(StubExpectation) throws -> StubExpectation] = [
            { try $0.body(Data()) }, { try $0.json(["a": 1]) }, { try $0.json(containing: ["a": 1]) }, { try $0.form(["a": 1]) },
        ]
        for step in steps {
            let failure = #expect(throws: StubFailure.self) { _ = try step(try stubs.expect(.put, "/a")) }
            #expect(failure?.description == "PUT /a was called 1 time, but \(words).")
        }
        let stray = await #expect(throws: APIError.self) { try await client.put("/b").body(file: file).void() }
        #expect(stray?.message.hasSuffix("but \(words).") == true)
    }

    @Test("a body at the limit is read")
    func atLimit() async throws {
        stubs.put("/a").reply(status: 204)
        try await client.put("/a").body(file: try folder.file("a.bin", size: Self.limit)).void()
        #expect(stubs.requests.first?.body.count == Int(Self.limit))
    }
}
