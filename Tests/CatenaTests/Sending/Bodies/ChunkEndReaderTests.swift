import Foundation
import Testing

@testable import Catena

/// The end of a body in chunks.
@Suite(.limitedParallelism) struct ChunkEndReaderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let hasLastChunk, isComplete: Bool
        var testDescription: String { text.debugDescription }

        init(_ text: String, last: Bool = false, complete: Bool = false) {
            (self.text, hasLastChunk, isComplete) = (text, last || complete, complete)
        }
    }

    static let cases = [
        Case(""), Case("5\r\nab"), Case("5\r\nabcde"), Case("5\r\nabcde\r\n"), Case("5\r\nabcde\r\n0"), Case("5\r\nabcde\r\n0\r"),
        Case("5\r\nabcde\r\n0\r\n", last: true), Case("5\r\nabcde\r\n0\r\n\r", last: true), Case("5\r\nabcde\r\n0\r\n\r\n", complete: true),
        Case("0\r\n\r\n", complete: true), Case("0\n\n", complete: true), Case("000;a=b\r\n\r\n", complete: true),
        Case("0\r\nX-Sum: 1"), Case("0\r\nX-Sum: 1\r\n"), Case("0\r\nX-Sum: 1\r\n\r\n", complete: true),
        // Data that look like a last chunk do not end the body.
        Case("7\r\n\r\n0\r\n\r\n"), Case("A;x=\"0\"\r\n0123456789\r\n0\r\n\r\n", complete: true),
        Case("x\r\n0\r\n\r\n"), Case("ffffffffffffffff\r\n0\r\n\r\n"), Case("2\r\nabX0\r\n\r\n"), Case("\r\n0\r\n\r\n"),
    ]

    @Test("the end of a chunked body is found wherever its pieces are cut", arguments: cases)
    func end(one: Case) {
        for size in [1, 2, 3, 100] {
            var reader = ChunkEndReader()
            let bytes = Array(one.text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { reader.read($0) }
            }
            #expect(reader.hasLastChunk == one.hasLastChunk && reader.isComplete == one.isComplete, "in pieces of \(size)")
        }
    }
}
