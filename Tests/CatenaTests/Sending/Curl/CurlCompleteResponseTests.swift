#if os(Linux)
import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// Responses that are complete before their requests, and what servers do to the connection afterwards.
@Suite("Complete responses during an upload", .limitedParallelism, .needsEngine)
struct CurlCompleteResponseTests {
    enum Source: CaseIterable, Sendable { case memory, file, stream, form }

    private static let files = Mutex<[Int: ScratchFile]>([:])

    /// Returns a file that stays until the tests end.
    private static func file(_ length: Int) throws -> ScratchFile {
        try files.withLock { files in
            if let known = files[length] { return known }
            let made = try ScratchFile(size: UInt64(length))
            files[length] = made
            return made
        }
    }

    /// Makes a POST with a body of a length.
    static func upload(_ client: Client, _ source: Source, _ length: Int) throws -> Request {
        let call = client.post("/a")
        switch source {
        case .memory: return call.body(Data(count: length), contentType: "application/octet-stream")
        case .file: return call.body(file: try file(length).url)
        case .stream:
            return call.body(stream: {
                AsyncStream { feed in
                    for start in stride(from: 0, to: length, by: 50_000) { feed.yield(Data(count: min(50_000, length - start))) }
                    feed.finish()
                }
            })
        case .form: return call.multipart { $0.data(Data(count: length), name: "a", filename: "a.bin") }
        }
    }

    /// Returns whether libcurl may drop a response to a request that it is sending. It may if it receives the response together with a reset
    /// of the stream (before 8.0) or with the end of the connection (from 8.16 on only now and then). On a busy machine, it receives together
    /// what the server has sent apart.
    private static func mayDrop(_ afterwards: Afterwards) -> Bool {
        switch afterwards {
        case .nothing: false
        case .reset, .cancel, .goAway: CurlLibrary.version < 0x08_00_00
        case .finish, .end: true
        }
    }

    /// Whether more than half of the responses arrive although they come together with what is behind them.
    private static let keepsMost = CurlLibrary.version >= 0x08_10_00

    /// Returns whether the response has arrived.
    @discardableResult
    static func expectFine(_ call: Request, mayBeDropped: Bool = false, at location: SourceLocation = #_sourceLocation, _ words: String)
        async -> Bool
    {
        switch await call.execute(.data).result {
        case .success(let body):
            #expect(body == Data("fine".utf8), "\(words)", sourceLocation: location)
            return true
        case .failure(let error as APIError) where mayBeDropped:
            #expect(error.kind == .connectionLost, "\(words): \(error)", sourceLocation: location)
        case .failure(let error): Issue.record("\(words): \(error)", sourceLocation: location)
        }
        return false
    }

    // MARK: HTTP/2

    enum Afterwards: CaseIterable, Sendable {
        case nothing, reset, cancel, goAway, finish, end
    }

    private static func steps(_ request: FrameServer.Request, _ afterwards: Afterwards, isSplit: Bool) -> [FrameStep] {
        let stream = request.stream
        var frames = [
            Frame.head(200, [("content-length", "4")], stream: stream), Frame.data(Array("fine".utf8), stream: stream, isLast: true),
        ]
        switch afterwards {
        case .nothing: break
        case .reset, .finish, .end: frames.append(Frame.reset(0, stream: stream))
        case .cancel: frames.append(Frame.reset(8, stream: stream))
        case .goAway: frames += [Frame.reset(0, stream: stream), Frame.goAway(0, last: stream)]
        }
        var steps: [FrameStep] =
            (afterwards == .nothing ? [] : [.starve]) + (isSplit ? frames.map { .send($0) } : [.send(frames.flatMap { $0 })])
        if afterwards == .finish { steps.append(.finish) }
        if afterwards == .end { steps.append(.end) }
        return steps
    }

    @Test(
        "over HTTP/2, also with RST_STREAM, GOAWAY or the end of the connection behind it", .needsHTTP2, .enabled(if: Engine.offersTLS),
        arguments: [1, 1000, 16_384, 60_000], Afterwards.allCases)
    func http2(length: Int, afterwards: Afterwards) async throws {
        for isSplit in [false, true] {
            let server = try FrameServer.make { Self.steps($0, afterwards, isSplit: isSplit) }
            defer { server.stop() }
            let client = try server.client()
            var arrived = 0
            for number in 0..<10 {
                let call = try Self.upload(client, .memory, length)
                if await Self.expectFine(call, mayBeDropped: Self.mayDrop(afterwards), "\(isSplit) \(number)") { arrived += 1 }
            }
            if isSplit || Self.keepsMost { #expect(arrived > 5) }
        }
    }

    @Test(
        "over HTTP/2 that a tag demands, for long bodies of every source", .needsHTTP2, .enabled(if: Engine.offersTLS),
        arguments: [100, 200_000, 8 << 20], Source.allCases)
    func longHTTP2(length: Int, source: Source) async throws {
        for isSplit in [false, true] {
            var arrived = 0
            for afterwards in Afterwards.allCases {
                let server = try FrameServer.make { Self.steps($0, afterwards, isSplit: isSplit) }
                defer { server.stop() }
                let client = try server.client(.http2)
                for _ in 0..<3 {
                    let call = try Self.upload(client, source, length)
                    let words = "\(afterwards) \(isSplit)"
                    if await Self.expectFine(call, mayBeDropped: Self.mayDrop(afterwards), words) { arrived += 1 }
                }
            }
            if isSplit || Self.keepsMost { #expect(arrived > 9) }
        }
    }

    // MARK: HTTP/1.1

    enum Closing: CaseIterable, Sendable {
        /// The server reads on until the client ends.
        case lingering
        /// The server ends its direction, with close_notify over TLS, and reads nothing.
        case finishing
        /// The server ends its direction, without close_notify, and reads nothing.
        case ending
    }

    @Test(
        "over HTTP/1.1, also if the server reads nothing more and ends its direction", arguments: [RawServer.Security.plain, .tls],
        [1, 60_000, 8 << 20])
    func http1(security: RawServer.Security, length: Int) async throws {
        guard security == .plain || Engine.offersTLS else { return }
        for closing in Closing.allCases {
            let server = try RawServer(security) { connection in
                var head: [UInt8] = []
                while !head.contains(13), let bytes = connection.receive() { head += bytes }
                connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfine".utf8))
                switch closing {
                case .lingering: break
                case .finishing: connection.finish()
                case .ending: connection.end()
                }
                connection.drain()
            }
            defer { server.stop() }
            let client = try server.client()
            for source in Source.allCases {
                for _ in 0..<5 { await Self.expectFine(try Self.upload(client, source, length), "\(closing) \(source)") }
            }
        }
    }
}
#endif
