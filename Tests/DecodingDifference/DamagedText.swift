import Foundation

// Damage that a text may suffer in transfer.
extension ShapeGenerator {
    /// Returns the bytes of a text, usually in UTF-8 and undamaged.
    mutating func sent(_ text: String) -> Data {
        if chance(3) { return encoded(text) }
        if chance(2) { return Data(bracketed(text).utf8) }
        return chance(15) ? damaged(text) : Data(text.utf8)
    }

    /// Returns a text in another encoding, with or without a byte order mark.
    private mutating func encoded(_ text: String) -> Data {
        let mark = "\u{FEFF}"
        let marked = chance(50) ? mark + text : text
        let encoding = pick([
            String.Encoding.utf8, .utf16BigEndian, .utf16LittleEndian, .utf32BigEndian, .utf32LittleEndian, .isoLatin1,
        ])
        return marked.data(using: encoding) ?? Data((mark + text).utf8)
    }

    /// Returns a text within a few brackets, or within approximately the maximum depth.
    private mutating func bracketed(_ text: String) -> String {
        let depth = pick([1, 2, 100, 508, 509, 510, 511, 512, 513, 600])
        return String(repeating: "[", count: depth) + text + String(repeating: "]", count: depth)
    }

    /// Returns a text with some bytes changed.
    private mutating func damaged(_ text: String) -> Data {
        var bytes = Data(text.utf8)
        if chance(5) { return Data(pick(["", " ", "\n", "\u{FEFF}", "\0"]).utf8) }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0 where place < bytes.count: bytes.remove(at: place)
            case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.insert(pick(Array(",:[]{}\"\\0.e-+ tfn/\u{1}".utf8)), at: place)
            case 3: bytes.insert(contentsOf: pick(Self.intrusions), at: place)
            case 4: bytes.insert(contentsOf: pick(Self.intrusions), at: afterQuote(in: bytes))
            case 5: bytes.append(contentsOf: Array(pick([" ", "\n\n", "x", "]", "}", "\0", ",", "null", "//"]).utf8))
            default: bytes.replaceSubrange(place..., with: [])
            }
        }
        return bytes
    }

    /// Returns a position within a string or a key.
    private mutating func afterQuote(in bytes: Data) -> Int {
        let quotes = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\"") }
        return quotes.isEmpty ? 0 : pick(quotes) + 1
    }

    /// Escapes and bytes that are invalid in some places or everywhere.
    private static let intrusions: [[UInt8]] = [
        Array(#"\ud800"#.utf8), Array(#"\udc00"#.utf8), Array(#"\ud83d\ude00"#.utf8), Array(#"\ud83d\u0041"#.utf8), Array(#"\u00"#.utf8),
        Array(#"\u00zz"#.utf8), Array(#"\x41"#.utf8), Array(#"\'"#.utf8), Array(#"\u0000"#.utf8), Array(#"\uFFFF"#.utf8), [0xC0, 0x80],
        [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF], [0xFE],
        [0xC3], [0xE4, 0xBD], [0xC3, 0xA9], [0xEF, 0xBB, 0xBF], [0xF0, 0x9F, 0x98, 0x80], [0xC2, 0xA0], [0xE2, 0x80, 0xA8], [0x7F], [0x1F],
        [0],
        Array("01".utf8), Array("1.".utf8), Array(".5".utf8), Array("1e".utf8), Array("+1".utf8), Array("--1".utf8), Array("0x1F".utf8),
        Array("NaN".utf8), Array("Infinity".utf8), Array("1e+".utf8), Array("tru".utf8), Array("nulll".utf8), Array("/* */".utf8),
        Array("'a'".utf8), Array(",]".utf8), Array(",}".utf8), Array("{}{}".utf8),
    ]
}
