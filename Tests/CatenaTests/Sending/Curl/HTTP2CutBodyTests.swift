#if os(Linux)
import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// Violations of HTTP/2 and ends of connections within a body, and behind a complete one.
@Suite("Bodies over HTTP/2 that are cut", .limitedParallelism, .needsHTTP2, .enabled(if: Engine.offersTLS))
struct HTTP2CutBodyTests {
    /// Frames that no client may accept, after which the connection stays open.
    enum Violation: String, CaseIterable, Sendable {
        case longFrame, veryLongFrame, settingsLength, settingsOnStream, pingLength, shortGoAway, windowOverflow, emptyWindowUpdate,
            continuation
        case push, dataOnConnection, headersOnConnection, padding, garbage, resetOnConnection, resetLength

        func bytes(stream: Int) -> [UInt8] {
            switch self {
            case .longFrame: Frame.data([UInt8](repeating: 49, count: 16_385), stream: stream)
            case .veryLongFrame: Frame.data([UInt8](repeating: 49, count: 1 << 20), stream: stream)
            case .settingsLength: Frame.bytes(.settings, stream: 0, [0, 3, 0, 0, 0])
            case .settingsOnStream: Frame.bytes(.settings, stream: stream)
            case .pingLength: Frame.bytes(.ping, stream: 0, [1, 2, 3])
            case .shortGoAway: Frame.bytes(.goAway, stream: 0, [0, 0, 0, 0, 0, 0, 0])
            case .windowOverflow: Frame.windowUpdate(0x7FFF_FFFF, stream: 0)
            case .emptyWindowUpdate: Frame.windowUpdate(0, stream: 0)
            case .continuation: Frame.bytes(.continuation, Frame.endHeaders, stream: stream, [0x88])
            case .push: Frame.bytes(.push, Frame.endHeaders, stream: stream, [0, 0, 0, 2, 0x88])
            case .dataOnConnection: Frame.data([49], stream: 0)
            case .headersOnConnection: Frame.bytes(.headers, Frame.endHeaders, stream: 0, [0x88])
            case .padding: Frame.bytes(.data, 8, stream: stream, [200, 49])
            case .garbage: Array(String(repeating: "garbage ", count: 100).utf8)
            case .resetOnConnection: Frame.reset(8, stream: 0)
            case .resetLength: Frame.bytes(.reset, stream: stream, [0, 0])
            }
        }
    }

    /// Whether libcurl ends no transfer because of a violation while the connection is open (8.4.0, 8.12.1).
    static let isSilent = (0x08_04_00..<0x08_10_00).contains(CurlLibrary.version)

    private static func expectCut(_ call: Request, within limit: Duration = .seconds(5), _ words: String) async {
        let start = ContinuousClock.now
        switch await call.execute(.data).result {
        case .success(let body): Issue.record("\(words): a success with \(body.count) bytes")
        case .failure(let error):
            let kind = (error as? APIError)?.kind
            #expect(kind == .connectionLost || kind == .protocolViolation, "\(words): \(error)")
            #expect(.now - start < limit, "\(words)")
        }
    }

    @Test(
        "a violation within a body fails the call at once, with and without a length",
        .disabled(if: isSilent, "this libcurl does not report violations at once"), arguments: Violation.allCases,
        [nil, "10"] as [String?])
    func violation(violation: Violation, length: String?) async throws {
        for isSplit in [false, true] {
            let server = try FrameServer.make { request in
                if request.number == 1, request.connection == 1 { return [.request, .send(Self.whole(request))] }
                let fields = length.map { [("content-length", $0)] } ?? []
                let half = Frame.head(200, fields, stream: request.stream) + Frame.data(Array("half".utf8), stream: request.stream)
                let bad = violation.bytes(stream: request.stream)
                return [.request] + (isSplit ? [.send(half), .send(bad)] : [.send(half + bad)])
            }
            defer { server.stop() }
            let client = try server.client()
            // The violation comes on a kept connection and on a new one.
            #expect(try await client.get("/a").execute(.data).value == Data("fine".utf8))
            for isKept in [true, false] { await Self.expectCut(client.get("/a"), "\(isSplit) \(isKept)") }
        }
    }

    private static func whole(_ request: FrameServer.Request) -> [UInt8] {
        Frame.head(200, stream: request.stream) + Frame.data(Array("fine".utf8), stream: request.stream, isLast: true)
    }

    enum End: CaseIterable, Sendable { case nothing, goAway, goAwayAndFinish, finish, end }

    @Test("a body without a length is complete with END_STREAM, whatever becomes of the connection", arguments: End.allCases, [4, 100_000])
    func complete(end: End, length: Int) async throws {
        for isSplit in [false, true] {
            let server = try FrameServer.make { request in
                let body = [UInt8](repeating: 49, count: length)
                var pieces = [Frame.head(200, stream: request.stream)]
                for start in stride(from: 0, to: length, by: 16_000) {
                    let isLast = start + 16_000 >= length
                    pieces.append(Frame.data(Array(body[start..<min(start + 16_000, length)]), stream: request.stream, isLast: isLast))
                }
                if end == .goAway || end == .goAwayAndFinish { pieces.append(Frame.goAway(0, last: request.stream)) }
                var steps: [FrameStep] = [.request] + (isSplit ? pieces.map { .send($0) } : [.send(pieces.flatMap { $0 })])
                if end == .finish || end == .goAwayAndFinish { steps.append(.finish) }
                if end == .end { steps.append(.end) }
                return steps
            }
            defer { server.stop() }
            let client = try server.client()
            for _ in 0..<5 { #expect(try await client.get("/a").execute(.data).value.count == length) }
        }
    }

    @Test("a body that the end of the connection cuts fails the call", arguments: [FrameStep.finish, .end, .reset], [false, true])
    func cut(step: FrameStep, isSplit: Bool) async throws {
        let server = try FrameServer.make { request in
            let half = Frame.head(200, stream: request.stream) + Frame.data(Array("half".utf8), stream: request.stream)
            return [.request, .send(half)] + (isSplit ? [.send(Frame.bytes(.ping, stream: 0, [0, 0, 0, 0, 0, 0, 0, 0]))] : []) + [step]
        }
        defer { server.stop() }
        let client = try server.client()
        for _ in 0..<3 { await Self.expectCut(client.get("/a"), "\(isSplit)") }
    }

    @Test("a head that is too long for HTTP/2 goes over HTTP/1.1, and over HTTP/2 without TLS the error names its length")
    func longRequestHead() async throws {
        let secure = try RawServer(.tlsWithHTTP2) { connection in
            var head: [UInt8] = []
            while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), let bytes = connection.receive() { head += bytes }
            connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\(head.count > 100_000 ? "long " : "short")".utf8))
            connection.drain()
        }
        defer { secure.stop() }
        let long = String(repeating: "f", count: 100_000)
        let body = try await secure.client(.http2).get("/a").header("X-Long", long).execute(.data).value
        #expect(body == Data("long ".utf8))
        let plain = try FrameServer.make(isSecure: false) { [.request, .send(Self.whole($0))] }
        defer { plain.stop() }
        let error = await #expect(throws: APIError.self) {
            try await plain.client(.http2).get("/a").header("X-Long", long).execute(.data).value
        }
        #expect(error?.kind == .invalidRequest && error?.message.contains("100") == true && plain.connections == 0, "\(error as Any)")
    }
}

/// Handshakes that the server does not finish.
@Suite("Cut handshakes of TLS", .limitedParallelism, .enabled(if: Engine.offersTLS))
struct CurlCutHandshakeTests {
    @Test("a connection that ends during the handshake is an error of connecting, and a GET is sent again", arguments: [true, false])
    func cut(isReset: Bool) async throws {
        let server = try RawServer { connection in
            _ = connection.receive()
            if isReset { connection.reset() } else { connection.close() }
        }
        defer { server.stop() }
        let host = server.url.replacingOccurrences(of: "http:", with: "https:")
        let call = try server.client().host(host).get("/a").retry(.exponential(limit: 2, baseDelay: .zero))
        let error = await #expect(throws: APIError.self) { try await call.execute(.data).value }
        #expect(error?.kind == .connect && error?.attempts == 3, "\(error as Any)")
        #expect(error?.message.contains("ended during the TLS handshake") == true, "\(error as Any)")
        #expect(server.connections == 3)
    }
}

/// The lowest version of TLS.
@Suite("Servers of old TLS", .limitedParallelism, .needsTLS, .enabled(if: Engine.offersTLS))
struct CurlOldTLSTests {
    @Test("a server of TLS 1.1 is refused, and the error says so")
    func refused() async throws {
        let server = try RawServer(.tls, isOld: true) { $0.drain() }
        defer { server.stop() }
        let error = await #expect(throws: APIError.self) { try await server.client().get("/a").execute(.data).value }
        #expect(error?.kind == .tls && error?.message.contains("no version of TLS that is allowed") == true, "\(error as Any)")
    }
}
#endif
