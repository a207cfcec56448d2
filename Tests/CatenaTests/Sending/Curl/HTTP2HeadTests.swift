#if os(Linux)
import Catena
import CatenaTesting
import Foundation
import Testing

/// Response heads that are longer than libcurl's receive buffer or in many frames.
@Suite("Long response heads over HTTP/2", .limitedParallelism, .needsHTTP2, .enabled(if: Engine.offersTLS))
struct HTTP2HeadTests {
    /// A head of `kilobytes` in this many CONTINUATION frames.
    struct Shape: Sendable, CustomTestStringConvertible {
        let kilobytes, continuations: Int

        var testDescription: String { "\(kilobytes) KB, \(continuations) CONTINUATION" }

        func head(stream: Int) -> [UInt8] {
            let fields = (0..<kilobytes).map { ("x-\($0)", String(repeating: "f", count: 1000)) }
            let piece = kilobytes * 1024 / (continuations + 1)
            return Frame.head(200, fields, stream: stream, pieces: Array(repeating: piece, count: continuations))
        }
    }

    /// From nghttp2 1.61 on a head may have 8 CONTINUATION frames.
    static let shapes =
        [4, 14].flatMap { kilobytes in [0, 1, 2, 7].map { Shape(kilobytes: kilobytes, continuations: $0) } }
        + [1, 2, 7].map { Shape(kilobytes: 20, continuations: $0) }
        + [Shape(kilobytes: 31, continuations: 1), Shape(kilobytes: 60, continuations: 3), Shape(kilobytes: 60, continuations: 7)]
        + [Shape(kilobytes: 120, continuations: 7)]

    private static func server(_ shape: Shape, isSplit: Bool) throws -> RawServer {
        try FrameServer.make { request in
            let head = shape.head(stream: request.stream)
            let body = Frame.data(Array(#""fine""#.utf8), stream: request.stream, isLast: true)
            return isSplit ? [.request, .send(head), .send(body)] : [.request, .send(head + body)]
        }
    }

    private static func expectCall(_ client: Client, _ shape: Shape, at location: SourceLocation = #_sourceLocation) async throws {
        let response = try await client.get("/a").execute(.response(as: JSON.self)).value
        #expect(response.body == Data(#""fine""#.utf8) && response.headers.fields.count == shape.kilobytes, sourceLocation: location)
    }

    @Test("each of 20 calls over one connection gets its head", arguments: shapes, [false, true])
    func kept(shape: Shape, isSplit: Bool) async throws {
        let server = try Self.server(shape, isSplit: isSplit)
        defer { server.stop() }
        let client = try server.client()
        for _ in 0..<20 { try await Self.expectCall(client, shape) }
        #expect(server.connections == 1)
    }

    @Test("each of 20 calls over new connections gets its head", arguments: shapes, [false, true])
    func first(shape: Shape, isSplit: Bool) async throws {
        let server = try Self.server(shape, isSplit: isSplit)
        defer { server.stop() }
        let client = try server.client { $0.requestsPerConnection = 1 }
        for _ in 0..<20 { try await Self.expectCall(client, shape) }
        #expect(server.connections == 20)
    }

    @Test("simultaneous calls over one connection get their heads", arguments: shapes)
    func simultaneous(shape: Shape) async throws {
        let server = try Self.server(shape, isSplit: false)
        defer { server.stop() }
        let client = try server.client()
        for _ in 0..<3 {
            let calls = (0..<20).map { _ in client.get("/a").execute(.data) }
            for call in calls { #expect(try await call.value == Data(#""fine""#.utf8)) }
        }
    }

    @Test("a head of 200 KB is read, or refused at once if this HTTP/2 allows fewer CONTINUATION frames", arguments: [false, true])
    func longest(isKept: Bool) async throws {
        let server = try Self.server(Shape(kilobytes: 200, continuations: 12), isSplit: false)
        defer { server.stop() }
        let client = try server.client { $0.requestsPerConnection = isKept ? nil : 1 }
        for _ in 0..<20 {
            switch await client.get("/a").execute(.data).result {
            case .success(let body): #expect(body == Data(#""fine""#.utf8))
            case .failure(let error): #expect((error as? APIError)?.kind == .protocolViolation, "\(error)")
            }
        }
    }
}
#endif
