#if os(Linux)
import Catena
import CatenaTesting
import Foundation
import Testing

/// Compressed files over the engine, which knows the number of bytes received from the network.
@Suite("The limits of compressed downloads", .needsEngine, .limitedParallelism)
struct CompressedDownloadTests {
    private static let mebibyte = 1 << 20

    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func download(_ response: StubReply) async throws -> Download {
        let server = try LoopbackServer()
        server.get("/file") { _ in response }
        return try await CompressedStreamTests.client(of: server).get("/file").execute(.download(to: folder.file("a"))).value
    }

    private static func chunked(_ body: Data, _ coding: String) -> StubReply {
        let pieces = stride(from: 0, to: body.count, by: 16_384).map { body[$0..<min($0 + 16_384, body.count)] }
        return StubReply.chunked(pieces.map { Data($0) }).header("Content-Encoding", coding)
    }

    /// Returns a body that unpacks to about nine times its length. Stored pieces alternate with eight times as many zeros.
    private static func ordinary(unpackingTo size: Int) -> Data {
        let piece = Data((0..<32_768).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        // A stored block (RFC 1951 §3.2.4).
        let stored = Data([0, 0, 0x80, 0xFF, 0x7F]) + piece
        let zeros = (0..<4).reduce(Data()) { zeros, _ in zeros + CompressionBomb.zeros }
        let count = size / (piece.count + 4 * 65_536)
        return (0..<count).reduce(into: Data()) { body, _ in body += stored + zeros } + Data([3, 0])
    }

    @Test("a chunked body of unknown length that unpacks to far too many bytes fails the download")
    func bomb() async throws {
        let (body, _) = CompressionBomb.gzip.body(unpackingTo: 64 * Self.mebibyte)
        let error = await #expect(throws: APIError.self) { try await download(Self.chunked(body, "gzip")) }
        #expect(error?.kind == .bodyTooLarge)
        #expect(folder.names == [])
    }

    @Test("the limit of a compressed download depends on the received bytes, not on the announced length")
    func announced() async throws {
        let (body, _) = CompressionBomb.gzip.body(unpackingTo: 64 * Self.mebibyte)
        let response = StubReply.body(body).header("Content-Encoding", "gzip").withContentLength(1_000_000)
        let error = await #expect(throws: APIError.self) { try await download(response) }
        #expect(error?.kind == .bodyTooLarge)
        #expect(folder.names == [])
    }

    @Test("a large file with an ordinary compression is downloaded, even without an announced length")
    func large() async throws {
        let body = Self.ordinary(unpackingTo: 56 * Self.mebibyte)
        let download = try await download(Self.chunked(body, "deflate"))
        #expect(download.byteCount > 55 * Self.mebibyte)
        #expect(download.byteCount / Int64(body.count) > 5)
        #expect(folder.names == ["a"])
    }
}
#endif
