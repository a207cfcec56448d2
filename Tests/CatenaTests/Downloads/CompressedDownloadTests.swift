#if os(Linux)
import Catena
import CatenaTesting
import Foundation
import Testing

/// Compressed files over the engine, which knows how many bytes have come over the wire.
@Suite("How much a compressed download may become", .needsEngine, .limitedParallelism)
struct CompressedDownloadTests {
    private static let mebibyte = 1 << 20

    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func download(_ response: LoopbackResponse) async throws -> Download {
        let server = try LoopbackServer()
        server.get("/file") { _ in response }
        return try await CompressedStreamTests.client(of: server).get("/file").download(to: folder.file("a")).value
    }

    private static func chunked(_ body: Data, _ coding: String) -> LoopbackResponse {
        let pieces = stride(from: 0, to: body.count, by: 16_384).map { body[$0..<min($0 + 16_384, body.count)] }
        return LoopbackResponse.chunked(pieces.map { Data($0) }).header("Content-Encoding", coding)
    }

    /// A file of which deflate makes a ninth: a piece that it leaves as it is, then eight times as many zeros, and so on.
    private static func ordinary(unpackingTo size: Int) -> Data {
        let piece = Data((0..<32_768).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        // A block that is stored as it is (RFC 1951 §3.2.4).
        let stored = Data([0, 0, 0x80, 0xFF, 0x7F]) + piece
        let zeros = (0..<4).reduce(Data()) { zeros, _ in zeros + CompressionBomb.zeros }
        let count = size / (piece.count + 4 * 65_536)
        return (0..<count).reduce(into: Data()) { body, _ in body += stored + zeros } + Data([3, 0])
    }

    @Test("a bomb of gzip in chunks, whose length is not announced, is refused")
    func bomb() async throws {
        let (body, _) = CompressionBomb.gzip.body(unpackingTo: 64 * Self.mebibyte)
        let error = await #expect(throws: APIError.self) { try await download(Self.chunked(body, "gzip")) }
        #expect(error?.kind == .bodyTooLarge)
        #expect(folder.names == [])
    }

    @Test("what counts is what came, not what was announced")
    func announced() async throws {
        let (body, _) = CompressionBomb.gzip.body(unpackingTo: 64 * Self.mebibyte)
        let response = LoopbackResponse.data(body).header("Content-Encoding", "gzip").withContentLength(1_000_000)
        let error = await #expect(throws: APIError.self) { try await download(response) }
        #expect(error?.kind == .bodyTooLarge)
        #expect(folder.names == [])
    }

    @Test("a large file that is compressed as files are is downloaded, though no length is announced")
    func large() async throws {
        let body = Self.ordinary(unpackingTo: 56 * Self.mebibyte)
        let download = try await download(Self.chunked(body, "deflate"))
        #expect(download.byteCount > 55 * Self.mebibyte)
        #expect(download.byteCount / Int64(body.count) > 5)
        #expect(folder.names == ["a"])
    }
}
#endif
