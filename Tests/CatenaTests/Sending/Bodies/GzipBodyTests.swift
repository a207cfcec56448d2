import CatenaArchive
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Compressed request bodies", .limitedParallelism)
struct GzipBodyTests {
    private static let secret = "made-up-secret"

    private let client = Client(testing: Stubs())

    /// Decompresses with the tool of the system, which is another implementation of the format.
    private static func decompressed(_ data: Data) throws -> Data {
        let (file, output) = (try ScratchFile(data), try ScratchFile())
        let result = try ChildProcess.run("/bin/sh", ["-c", "gzip -dc <'\(file.url.path)' >'\(output.url.path)'"])
        #expect(result.status == 0)
        return try Data(contentsOf: output.url)
    }

    static let sizes = [0, 1, 1000, 65_535, 65_536, 3_000_000]

    #if os(Linux) || os(macOS)
    @Test("gzip reads what was compressed, of any size, whether it can be compressed or not", arguments: sizes)
    func roundTrip(size: Int) throws {
        var random = SystemRandomNumberGenerator()
        let bodies = [Data(repeating: 0x61, count: size), Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })]
        for body in bodies {
            let compressed = try GzipBody.compress(body)
            #expect(compressed.prefix(3) == Data([0x1F, 0x8B, 8]))
            #expect(try GzipBody.compress(body) == compressed)
            #expect(try Self.decompressed(compressed) == body)
            #expect(
                compressed.suffix(8).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } == CyclicRedundancyCheck.checksum(of: body))
        }
    }
    #endif

    @Test("the checksum of \"123456789\" is that of the format's test vector")
    func checksum() { #expect(CyclicRedundancyCheck.checksum(of: Data("123456789".utf8)) == 0xCBF4_3926) }

    @Test("each kind of body that is in memory is compressed, with its own Content-Type", arguments: BodyTransformTests.requests.indices)
    func kinds(index: Int) async throws {
        let request = BodyTransformTests.requests[index].step(client.post("/a"))
        let plain = try await request.preview()
        client.configureDefaults { $0.transformBody = .gzip }
        let sent = try await request.preview()
        #expect(sent.headers[.contentEncoding] == "gzip" && plain.headers[.contentEncoding] == nil)
        #expect(sent.headers[.contentType]?.prefix(10) == plain.headers[.contentType]?.prefix(10))
        #expect(sent.body?.prefix(2) == Data([0x1F, 0x8B]))
    }

    @Test(
        "a body of a few bytes stays as it is, if the tag says from which size on bodies are compressed",
        arguments: [(10, false), (11, true)])
    func threshold(size: Int, isCompressed: Bool) async throws {
        client.configureDefaults { $0.transformBody = .gzip(above: 10) }
        let sent = try await client.post("/a").body(Data(repeating: 0x61, count: size), contentType: "text/plain").preview()
        #expect((sent.headers[.contentEncoding] == "gzip") == isCompressed)
        #expect((sent.body?.count == size) == !isCompressed)
    }

    @Test("a call without a body, and one whose GET has params, has no Content-Encoding")
    func bodiless() async throws {
        client.configureDefaults { $0.transformBody = .gzip }
        #expect(try await client.get("/a").params(["a": 1]).preview().headers[.contentEncoding] == nil)
    }

    @Test("a Content-Encoding of the call's own, files and streams are refused, by an error that names both steps")
    func refused() async throws {
        client.configureDefaults { $0.transformBody = .gzip }
        let file = try ScratchFile("made up")
        let requests: [(String, Request)] = [
            ("header: ", client.post("/a").json(["a": 1]).header(.contentEncoding, "gzip")),
            ("body: ", client.post("/a").body(file: file.url)),
            ("body: ", client.post("/a").body(stream: AsyncStream<Data> { $0.finish() }, length: 7)),
        ]
        for (step, request) in requests {
            let error = await #expect(throws: APIError.self) { try await request.preview() }
            let message = error?.message ?? ""
            #expect(error?.kind == .invalidRequest && message.hasPrefix(step) && message.contains("transformBody of the tag"), "\(message)")
        }
    }

    #if os(Linux)
    @Test("a server receives the compressed body at each attempt, and decompresses it")
    func sent() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.post("/a") { $0.visit == 1 ? .status(503) : .json(1) }
        let client = Client()
        client.configure("metrics") { metrics in
            metrics.host = server.url
            metrics.transformBody = .gzip
            metrics.retry = .exponential(limit: 1, baseDelay: .zero, methods: [.post])
        }
        let text = String(repeating: "made up ", count: 1000)
        try await client.tag("metrics").post("/a").body(Data(text.utf8), contentType: "text/plain").void()
        #expect(server.requests.count == 2)
        for request in server.requests {
            #expect(request.headers["Content-Encoding"] == "gzip" && request.headers["Content-Type"] == "text/plain")
            #expect(request.headers["Content-Length"] == "\(request.body.count)" && request.body.count < 200)
            #expect(try String(decoding: Self.decompressed(request.body), as: UTF8.self) == text)
        }
    }
    #endif

    @Test("no command, log, archive or inspection shows a compressed secret")
    func hidden() async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        let lines = Recorder<String>()
        let recorder = HARRecorder()
        client.log(.verbose, to: LogSink { lines.note($0) })
        client.record(into: recorder)
        client.configureDefaults { $0.transformBody = .gzip }
        stubs.post("/a").reply(json: 1)
        let request = client.post("/a").json(["password": Self.secret])
        try await request.void()
        await client.waitUntilIdle()
        let compressed = try #require(try await request.preview().body).base64EncodedString()
        let archive = String(decoding: try await recorder.archive(), as: UTF8.self)
        for text in lines.events + [archive, try await request.curl(), try await request.text()] {
            #expect(!text.contains(compressed.prefix(20)) && !text.contains(Self.secret), "\(text)")
        }
        #expect(try await request.curl(showingSecrets: true).contains(compressed))
    }
}
