import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Bodies that are read while they are sent, over every transport and real sockets.
@Suite("Uploads", .limitedParallelism)
struct UploadTests {
    typealias Subject = TransportTests.Subject

    /// The cases that a transport fails, each with the reason. Docs/Platforms.md lists them for users.
    static let exemptions: [String: String] = [
        "urlSession, chunks": "a body of unknown length is written to a temporary file first, so that its length is known",
        "urlSession, answer while the body is open": "the request begins when its body is complete",
    ]

    static func stream(_ pieces: [String]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for piece in pieces { continuation.yield(Data(piece.utf8)) }
            continuation.finish()
        }
    }

    static func failure(of call: Promise<String>) async throws -> APIError {
        try #require(await #expect(throws: APIError.self) { try await call.value })
    }

    // MARK: Complete bodies

    @Test("a file arrives whole, whatever its size", arguments: Subject.allCases, [0, 1, 262_144, 3_000_001])
    func file(subject: Subject, size: Int) async throws {
        let server = try subject.newServer()
        server.on(nil, "/a") { .body($0.body) }
        let file = try ScratchFile(.pattern(size), name: "a.png")
        for method in [HTTPMethod.post, .put, .patch, .delete, "PURGE"] {
            let echo = try await subject.client(server).method(method).path("/a").body(file: file.url).execute(.data).value
            #expect(echo == .pattern(size))
        }
        for request in server.requests {
            #expect(request.headers["Content-Length"] == "\(size)")
            #expect(request.headers["Transfer-Encoding"] == nil)
            #expect(request.headers["Content-Type"] == "image/png")
            #expect(request.headers["Expect"] == nil)
        }
    }

    // The engine copies bytes for TLS to a buffer of 16 or 64 KB.
    @Test("heads and bodies in memory arrive whole, whatever their length", arguments: Subject.allCases, [10, 3_900, 8_100, 15_000])
    func lengths(subject: Subject, head: Int) async throws {
        let server = try subject.newServer()
        server.post("/a") { .body($0.body) }
        let request = subject.client(server).post("/a").header("X-Long", String(repeating: "h", count: head))
        let lengths = [0, 4_000, 8_000, 8_300, 16_300, 16_384, 65_536, 200_000]
        for length in lengths {
            #expect(
                try await request.body(.pattern(length), contentType: "application/octet-stream").execute(.data).value == .pattern(length))
        }
        #expect(server.requests.map { $0.headers["X-Long"]?.count } == lengths.map { _ in head })
    }

    @Test("a multipart body arrives as it was previewed, with its length", arguments: Subject.allCases)
    func multipart(subject: Subject) async throws {
        let server = try subject.newServer()
        server.post("/a") { .body($0.body) }
        let file = try ScratchFile(.pattern(1_000_000), name: "a b.mov")
        let request = subject.client(server).post("/a").params(["p": 1]).multipart(boundary: "b") { form in
            form.field("name", "Zoë")
            form.file(file.url, name: "film")
            form.data(.pattern(100_000), name: "data", filename: "d")
        }
        let expected = try #require(try await request.preview().bodySource)
        #expect(try await request.execute(.data).value == expected.collect(limit: 2_000_000))
        let sent = try #require(server.requests.first)
        #expect(sent.headers["Content-Length"] == expected.length.map { "\($0)" })
        #expect(sent.headers["Content-Type"] == "multipart/form-data; boundary=b")
    }

    @Test(
        "a stream of known length is sent with its length, and one of unknown length in chunks", arguments: Subject.allCases,
        [nil, 6 as Int64?])
    func streams(subject: Subject, length: Int64?) async throws {
        let server = try subject.newServer()
        server.post("/a") { .body($0.body) }
        let client = subject.client(server)
        #expect(
            try await client.post("/a").body(stream: Self.stream(["abc", "", "def"]), length: length).execute(.string).value == "abcdef")
        let sent = try #require(server.requests.first)
        #expect(sent.headers["Content-Type"] == "application/octet-stream")
        if length == nil, Self.exemptions["\(subject), chunks"] == nil {
            #expect(sent.headers["Content-Length"] == nil)
            #expect(sent.headers["Transfer-Encoding"] == "chunked")
        } else {
            #expect(sent.headers["Content-Length"] == "6")
        }
    }

    @Test("an empty stream is an empty body, whether its length was announced or not", arguments: Subject.allCases, [nil, 0 as Int64?])
    func emptyStream(subject: Subject, length: Int64?) async throws {
        let server = try subject.newServer()
        server.post("/a") { .text("\($0.bodyLength)") }
        #expect(try await subject.client(server).post("/a").body(stream: Self.stream([]), length: length).execute(.string).value == "0")
    }

    @Test("many small pieces arrive whole", arguments: Subject.allCases)
    func smallPieces(subject: Subject) async throws {
        let server = try subject.newServer()
        server.post("/a") { .body($0.body) }
        let stream = AsyncStream<Data> { continuation in
            for number in 0..<1_000 { continuation.yield(Data("\(number) ".utf8)) }
            continuation.finish()
        }
        let expected = Data((0..<1_000).map { "\($0) " }.joined().utf8)
        #expect(try await subject.client(server).post("/a").body(stream: stream).execute(.data).value == expected)
    }

    @Test("different kinds of bodies in turn do not affect each other", arguments: Subject.allCases)
    func mixed(subject: Subject) async throws {
        let server = try subject.newServer()
        server.on(nil, "/a") { request in
            let framing = request.headers["Content-Length"] ?? request.headers["Transfer-Encoding"] ?? "none"
            return .text("\(request.method) \(framing) \(request.text)")
        }
        let request = subject.client(server).path("/a")
        let file = try ScratchFile("the file")
        let chunked = Self.exemptions["\(subject), chunks"] == nil ? "chunked" : "3"
        for _ in 0..<3 {
            #expect(try await request.put("/a").body(file: file.url).execute(.string).value == "PUT 8 the file")
            #expect(try await request.get("/a").execute(.string).value == "GET none ")
            #expect(try await request.body(stream: { Self.stream(["abc"]) }).execute(.string).value == "POST \(chunked) abc")
            #expect(try await request.post("/a").json([1]).execute(.string).value == "POST 3 [1]")
            #expect(try await request.body(stream: { Self.stream(["abc"]) }, length: 3).execute(.string).value == "POST 3 abc")
            #expect(try await request.post("/a").execute(.string).value == "POST 0 ")
        }
    }

    @Test("simultaneous runs of one request read its body independently", arguments: Subject.allCases)
    func twice(subject: Subject) async throws {
        let server = try subject.newServer()
        server.post("/a") { .body($0.body) }
        let file = try ScratchFile(.pattern(2_000_000))
        let request = subject.client(server).post("/a").body(
            BodySource(joining: [try BodySource(file: file.url), BodySource(stream: { Self.stream(["x"]) })]), contentType: "a/b")
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<8 { group.addTask { try await request.execute(.data).value } }
            for try await echo in group { #expect(echo == .pattern(2_000_000) + Data("x".utf8)) }
        }
    }

    @Test("a stream that stalls delays no other call", arguments: Subject.allCases)
    func stalled(subject: Subject) async throws {
        let server = try subject.newServer()
        server.post("/a") { .body($0.body) }
        let client = subject.client(server)
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("a".utf8))
        let slow: Promise<String> = client.post("/a").body(stream: stream, length: 2).execute(.string)
        for _ in 0..<20 { #expect(try await client.post("/a").body(stream: Self.stream(["x"])).execute(.string).value == "x") }
        continuation.yield(Data("b".utf8))
        continuation.finish()
        #expect(try await slow.value == "ab")
    }

    @Test("the number of sent bytes grows to the length of the body", arguments: Subject.allCases)
    func counting(subject: Subject) async throws {
        let server = try subject.newServer()
        server.post("/a") { .text("\($0.bodyLength)") }
        let file = try ScratchFile(.pattern(5_000_000))
        let counts = Mutex<[Int64]>([])
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        var source = try BodySource(file: file.url)
        source.onSent = { sent, total in
            #expect(total == 5_000_000)
            counts.withLock { $0.append(sent) }
            if sent == total { end.finish() }
        }
        #expect(try await subject.client(server).post("/a").body(source, contentType: "a/b").execute(.string).value == "5000000")
        for await _ in ends {}
        let seen = counts.withLock { $0 }
        #expect(seen == seen.sorted())
        #expect(seen.count > 2)
    }

    // MARK: Failures

    struct Broken: Error {}

    @Test(
        "a stream that fails or has another length than announced fails the call, and the server never receives a complete request",
        arguments: Subject.allCases, [("short", 4 as Int64?), ("long", 2), ("failing", nil), ("failing", 3), ("long", 0)])
    func wrongStream(subject: Subject, one: (name: String, length: Int64?)) async throws {
        let server = try subject.newServer()
        server.post("/a") { _ in .text("taken for whole") }
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("abc".utf8))
            continuation.finish(throwing: one.name == "failing" ? Broken() : nil)
        }
        let client = subject.client(server)
        let error = try await Self.failure(of: client.post("/a").body(stream: stream, length: one.length).execute(.string))
        #expect(error.kind == .requestBody)
        #expect(error.message.hasPrefix("The body cannot be sent: its stream"))
        #expect((error.underlying is Broken) == (one.name == "failing"))
        server.get("/b") { _ in .text("fine") }
        #expect(try await client.get("/b").execute(.string).value == "fine")
        #expect(server.requests.map(\.path) == ["/b"])
    }

    @Test("a file whose length has changed fails the call", arguments: Subject.allCases, [UInt64(999_999), 1_000_001])
    func changedFile(subject: Subject, size: UInt64) async throws {
        let server = try subject.newServer()
        server.post("/a") { _ in .text("taken for whole") }
        let file = try ScratchFile(.pattern(1_000_000))
        let prepared = try await subject.client(server).post("/a").body(file: file.url).preview()
        try file.resize(to: size)
        let error = await #expect(throws: APIError.self) { try await subject.transport.send(prepared) }
        #expect(error?.kind == .requestBody)
        #expect(error?.message == "The body cannot be sent: the file \"scratch.bin\" has changed since the request was made.")
        #expect(server.requestCount == 0)
    }

    @Test("a missing file fails the call before anything is sent", arguments: Subject.allCases)
    func missingFile(subject: Subject) async throws {
        let server = try subject.newServer()
        let missing = URL(fileURLWithPath: "/none/none.txt")
        let error = try await Self.failure(of: subject.client(server).post("/a").body(file: missing).execute(.string))
        #expect(error.kind == .invalidRequest)
        #expect(server.connectionCount == 0)
    }

    @Test(
        "a response that arrives during the upload ends the call, however much is left to send", arguments: Subject.allCases, [false, true])
    func earlyAnswer(subject: Subject, isChunked: Bool) async throws {
        var limits = LoopbackServer.Limits()
        limits.bodyBytes = 1000
        let server = try subject.newServer(limits: limits)
        let file = try ScratchFile(size: 50_000_000)
        var source = try BodySource(file: file.url)
        if isChunked { source = BodySource(joining: [source, BodySource(stream: { Self.stream([]) })]) }
        for _ in 0..<5 {
            let error = try await Self.failure(of: subject.client(server).post("/a").body(source, contentType: "a/b").execute(.string))
            #expect(error.status == 413, "\(error)")
        }
    }

    @Test("a response is received even while the body waits for its next piece", arguments: Subject.allCases)
    func answerWhileOpen(subject: Subject) async throws {
        if Self.exemptions["\(subject), answer while the body is open"] != nil { return }
        var limits = LoopbackServer.Limits()
        limits.bodyBytes = 1000
        let server = try subject.newServer(limits: limits)
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data(count: 2000))
        let error = try await Self.failure(of: subject.client(server).post("/a").body(stream: stream).execute(.string))
        #expect(error.status == 413, "\(error)")
        continuation.finish()
    }

    @Test("cancelling ends the call at once, releases the stream and closes the connection", arguments: Subject.allCases)
    func cancelling(subject: Subject) async throws {
        let server = try subject.newServer()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let source = BodySource(stream: {
            let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
            continuation.yield(Data("abc".utf8))
            continuation.onTermination = { _ in end.finish() }
            begin.finish()
            return stream
        })
        let call: Promise<String> = subject.client(server).post("/a").body(source, contentType: "a/b").execute(.string)
        for await _ in begins {}
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        for await _ in ends {}
        if server.connectionCount > 0 { await server.connectionsClosed(1) }
        #expect(server.requestCount == 0)
    }

    @Test("a time limit ends a call whose stream stalls", arguments: Subject.allCases)
    func timeout(subject: Subject) async throws {
        let server = try subject.newServer()
        let clock = VirtualClock()
        let client = Client(transport: subject.transport, clock: clock)
        client.defaultHost = server.url
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let source = BodySource(stream: {
            begin.finish()
            return AsyncStream<Data> { $0.yield(Data("abc".utf8)) }
        })
        let call: Promise<String> = client.post("/a").timeout(.seconds(5)).body(source, contentType: "a/b").execute(.string)
        for await _ in begins {}
        clock.advance(by: .seconds(5))
        #expect(try await Self.failure(of: call).kind == .timeout)
    }

    private final class Token: Sendable {
        private let ends: AsyncStream<Void>.Continuation

        init(_ ends: AsyncStream<Void>.Continuation) { self.ends = ends }

        deinit { ends.finish() }
    }

    @Test(
        "the objects that a body holds are released when its call ends, however it ends", arguments: Subject.allCases,
        ["whole", "failing", "cancelled"])
    func released(subject: Subject, how: String) async throws {
        let server = try subject.newServer()
        server.post("/a") { _ in .text("1") }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        func run() async {
            let token = Token(end)
            let source = BodySource(
                stream: {
                    withExtendedLifetime(token) { Self.stream(["abc"]) }
                }, length: how == "failing" ? 4 : 3)
            let call: Promise<String> = subject.client(server).post("/a").body(source, contentType: "a/b").execute(.string)
            if how == "cancelled" { call.cancel() }
            _ = await call.result
        }
        await run()
        for await _ in ends {}
    }

    @Test("no file is left open, however a call ends", arguments: Subject.allCases)
    func leftovers(subject: Subject) async throws {
        let server = try subject.newServer()
        server.post("/a") { _ in .text("1") }
        let file = try ScratchFile(.pattern(1_000_000))
        let client = subject.client(server)
        for index in 0..<20 {
            let source = BodySource(joining: [try BodySource(file: file.url), BodySource(stream: { Self.stream(["x"]) }, length: 1)])
            let call: Promise<String> = client.post("/a").body(source, contentType: "a/b").execute(.string)
            if index % 2 == 0 { call.cancel() }
            _ = await call.result
        }
        // A cancelled reading ends only after its current piece.
        try await FileWatch(file.url).wait { Self.leftovers(file).isEmpty }
    }

    private static func leftovers(_ file: ScratchFile) -> [String] {
        let manager = FileManager.default
        let open = (try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let paths = open.compactMap { try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        return paths.filter { $0 == file.url.path }
    }
}
