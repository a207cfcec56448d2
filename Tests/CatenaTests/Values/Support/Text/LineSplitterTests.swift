import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct LineSplitterTests {
    static func lines(_ pieces: [Data], limit: Int = 1000) throws -> [String] {
        var splitter = LineSplitter(limit: limit)
        var lines: [String] = []
        for piece in pieces {
            splitter.append(piece)
            while let line = try splitter.next({ String(decoding: $0, as: UTF8.self) }) { lines.append(line) }
        }
        if let line = splitter.last({ String(decoding: $0, as: UTF8.self) }) { lines.append(line) }
        return lines
    }

    @Test(
        "lines end with LF, CRLF or CR, in one piece and cut anywhere",
        arguments: [
            ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("a\rb\r", ["a", "b"]),
            ("a\n\nb\n", ["a", "", "b"]), ("a\r\r\n\n\rb", ["a", "", "", "", "b"]), ("\r\n\r\n", ["", ""]), ("\n\r", ["", ""]),
            ("é€😀\r\nü", ["é€😀", "ü"]), ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", [""]), ("a\0b\n", ["a\0b"]),
        ])
    func breaks(text: String, lines: [String]) throws {
        let bytes = Data(text.utf8)
        #expect(try Self.lines([bytes]) == lines)
        #expect(try Self.lines(bytes.map { Data([$0]) }) == lines, "byte by byte")
        for cut in 0...bytes.count {
            #expect(try Self.lines([bytes.prefix(cut), Data(), bytes.dropFirst(cut)]) == lines, "cut after \(cut)")
        }
    }

    @Test("a line over the limit is refused with its number, even before its end has arrived")
    func tooLong() throws {
        #expect(try Self.lines([Data("12345\n12345".utf8)], limit: 5) == ["12345", "12345"])
        for pieces in [["a\n123456\n"], ["a\n123", "456"], ["a\n123456"]] {
            let error = #expect(throws: LineSplitter.TooLong.self) { try Self.lines(pieces.map { Data($0.utf8) }, limit: 5) }
            #expect(error?.number == 2)
        }
    }

    @Test("a piece that is a slice of other bytes is read from the start of the slice") func slice() throws {
        let bytes = Data("xx1\n2\n".utf8)
        #expect(try Self.lines([bytes.dropFirst(2)]) == ["1", "2"])
    }

    @Test("a hundred thousand lines are split in linear time, whatever their break", arguments: ["\n", "\r"])
    func linear(lineBreak: String) throws {
        #expect(try Self.lines([Data(String(repeating: lineBreak, count: 100_000).utf8)]).count == 100_000)
    }
}
