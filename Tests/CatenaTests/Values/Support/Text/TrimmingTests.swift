import Foundation
import Testing

@testable import Catena

@Suite("Trimming and searching", .limitedParallelism)
struct TrimmingTests {
    @Test(
        "header values lose spaces and tabs alone (RFC 9110 §5.6.3)",
        arguments: [
            ("", ""), (" ", ""), (" \t \t", ""), ("a", "a"), (" a b\t", "a b"), ("\u{A0}a\u{3000}", "\u{A0}a\u{3000}"),
            ("\r\na\n", "\r\na\n"),
            (" é ", "é"), (" e\u{301}\t", "e\u{301}"), ("\t\u{301}a ", "\u{301}a"), (" 中文 ", "中文"),
            (" \u{1F469}\u{200D}\u{1F4BB} ", "\u{1F469}\u{200D}\u{1F4BB}"),
        ])
    func fields(text: String, trimmed: String) {
        #expect(text.trimmed().unicodeScalars.elementsEqual(trimmed.unicodeScalars))
        #expect(Substring(text).trimmed().unicodeScalars.elementsEqual(trimmed.unicodeScalars))
    }

    @Test("other characters are trimmed if they are named", arguments: [("\"a\"", "a"), ("\"", ""), ("\" a", " a"), ("a", "a")])
    func named(text: String, trimmed: String) {
        #expect(text.trimmed(of: "\"") == trimmed)
    }

    @Test("text of people loses the white space that Foundation trims, line breaks included")
    func whole() {
        // Foundation also trims a space without width, which Unicode no longer counts.
        let others: Set<UInt32> = [0x200B]
        for scalar in (0...0x3100 as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) where !others.contains(scalar.value) {
            let text = "\(scalar)\(scalar)a\(scalar)b\(scalar)"
            let expected = text.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(text.trimmedWhole().unicodeScalars.elementsEqual(expected.unicodeScalars), "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test(
        "what follows a word is found in any case, whatever stands before it",
        arguments: [
            ("boundary=x", "x"), ("multipart/form-data; BOUNDARY=x; a=b", "x; a=b"), ("é; Boundary=ü", "ü"), ("bound=x", nil), ("", nil),
            ("boundary=", ""), ("İboundary=1", "1"),
        ] as [(String, String?)])
    func behind(text: String, rest: String?) {
        #expect(text.text(behind: "boundary=").map(String.init) == rest)
    }

    @Test("bytes are found where Foundation finds them, in slices too")
    func places() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let data = Data((0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...2, using: &random) })
            let sought = Data((0..<Int.random(in: 1...4, using: &random)).map { _ in UInt8.random(in: 0...2, using: &random) })
            let slice = data.dropFirst(Int.random(in: 0...3, using: &random))
            #expect(slice.firstPlace(of: sought) == slice.range(of: sought), "\(Array(slice)) \(Array(sought))")
            let start = Int.random(in: slice.startIndex...slice.endIndex, using: &random)
            #expect(slice.firstPlace(of: sought, from: start) == slice.range(of: sought, in: start..<slice.endIndex))
        }
    }
}
