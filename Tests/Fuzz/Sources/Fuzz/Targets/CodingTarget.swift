import Foundation

@testable import Catena

extension FuzzTarget {
    private static let codingLists = [
        "gzip", "deflate", "br", "zstd", "gzip, gzip", "deflate, gzip", "br, deflate", "zstd, gzip", "gzip, foo",
    ]

    /// Content codings. The decoded body does not depend on how the bytes are split.
    static let codings = FuzzTarget(
        "codings",
        seeds: [
            (0, "H4sIAAAAAAACA8tIzcnJ11HIQKIAn6HKCRMAAAA="), (1, "eJzLSM3JyddRyECiAEQoBtU="), (1, "y0jNycnXUchAogA="),
            (2, "GxIA+I2Ubt5ECVKGlmwsbxFPJNBxAA=="), (3, "KLUv/SQTbQAAOGhlbGxvLCABAOKKEXXzmI4="), (3, "KLUv/QBYbQAAOGhlbGxvLCABAOKKEQ=="),
            (3, "UCpNGAIAAABhYg=="), (3, "KLUv/QBwRQAAEGFhAQA/ASw="),
        ].map { list, body in [UInt8(list), 2] + [UInt8](Data(base64Encoded: body) ?? Data()) },
        // Enough for three outputs of a megabyte. zlib and similar libraries are not instrumented.
        stepsPerByte: 1200, steps: 40_000_000
    ) { input in
        var input = FuzzInput(input)
        let list = input.choice(among: codingLists)
        let seed = input.byte()
        let body = input.bytes
        let whole = unpack(body, list, cut: 0)
        for cut in [1, max(seed, 2)] {
            let other = unpack(body, list, cut: cut)
            let common = min(whole.bytes.count, other.bytes.count)
            expect(whole.bytes.prefix(common) == other.bytes.prefix(common), "\(list), cut \(cut): other bytes")
            guard whole.end != .bounded, other.end != .bounded else { continue }
            expect(whole.end == other.end, "\(list), cut \(cut): \(other.end), but \(whole.end) in one piece")
            expect(whole.end == .refused || whole.bytes == other.bytes, "\(list), cut \(cut): a part of the bytes is missing")
        }
        // A stored block of deflate, without compression (RFC 1951 §3.2.4).
        let length = UInt16(body.count)
        let stored = [1, UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)] + body
        let again = unpack(stored, "deflate", cut: seed)
        expect(again.bytes == body && again.end == .complete, "what was packed unpacks to itself")
    }

    private enum End {
        case complete, cut, refused
        /// The output exceeds this test's limit, or the limit between two layers.
        case bounded
    }

    private static func unpack(_ body: [UInt8], _ list: String, cut: UInt8) -> (bytes: [UInt8], end: End) {
        var bytes: [UInt8] = []
        do {
            guard let decoder = try ContentDecoder(["Content-Encoding": list]) else { return (body, .complete) }
            for piece in pieces(body, seed: cut) {
                decoder.append(piece)
                while let piece = try decoder.next() {
                    expect(!piece.isEmpty && piece.count <= ContentDecoder.longestPiece, "a piece of \(piece.count) bytes")
                    bytes += piece
                    if bytes.count > 1 << 20 { return (bytes, .bounded) }
                }
                expect(!decoder.hasMore, "there is more, but nothing comes")
            }
            return (bytes, decoder.isComplete ? .complete : .cut)
        } catch let error as APIError {
            expect(error.kind == .decompression, "\(error)")
            return (bytes, error.message.contains("at once") ? .bounded : .refused)
        } catch {
            expect(false, "\(error)")
            return (bytes, .refused)
        }
    }
}
