import Foundation

/// Text in an encoding that is not UTF-8, of which Foundation gives all or nothing.
struct ForeignText {
    let encoding: String.Encoding

    /// What stands for a byte that belongs to no character of the encoding. It is none of UTF-8 either, so that text shows U+FFFD in its
    /// place, and what must be JSON is refused.
    private static let invalid: UInt8 = 0xFF

    /// A text in which more bytes than this are wrong is in another encoding than it says, and its rest stays as it is.
    private static let invalidLimit = 1000

    /// The text of some bytes in UTF-8. A byte that belongs to no character spoils no other one.
    func utf8(_ bytes: Data) -> Data {
        // Foundation reads EUC-JP on some platforms only.
        if encoding == .japaneseEUC {
            return ForeignText(encoding: CharacterEncodings.windows31J).utf8(ShiftJIS.text(ofEUC: bytes))
        }
        if let text = String(data: bytes, encoding: encoding) { return Data(text.utf8) }
        // Units of more than a byte, and text that changes its meaning on the way, cannot be taken up again after a byte.
        let indivisible: [String.Encoding] = [
            .iso2022JP, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian,
            .utf32BigEndian,
        ]
        return indivisible.contains(encoding) ? bytes : piecewise(bytes)
    }

    /// Takes as much as can be read at a time, from one character's end to another's.
    private func piecewise(_ bytes: Data) -> Data {
        var result = Data(capacity: bytes.count)
        var rest = bytes
        var length = bytes.count / 2
        var invalidCount = 0
        while !rest.isEmpty {
            if let (text, used) = start(of: rest, length) {
                result.append(contentsOf: text.utf8)
                rest = rest.dropFirst(used)
                length = used * 2
            } else if length > 4 {
                length /= 2
            } else if invalidCount < Self.invalidLimit {
                invalidCount += 1
                result.append(Self.invalid)
                rest = rest.dropFirst()
                length = 64
            } else {
                result.append(rest)
                break
            }
        }
        return result
    }

    /// The text of about so many bytes: the last character may end up to three bytes before, since none has more than four.
    private func start(of bytes: Data, _ length: Int) -> (text: String, used: Int)? {
        let longest = min(length, bytes.count)
        for length in (max(1, longest - 3)...max(1, longest)).reversed() {
            if let text = String(data: bytes.prefix(length), encoding: encoding), !text.isEmpty {
                return (text, length)
            }
        }
        return nil
    }
}

/// Text in Shift JIS from text in EUC-JP: the characters are the same, in another arrangement of the same table (JIS X 0208).
enum ShiftJIS {
    /// What stands for bytes that are none of the table's: it is nothing in Shift JIS.
    private static let invalid: UInt8 = 0xFF

    static func text(ofEUC bytes: Data) -> Data {
        var text = Data(capacity: bytes.count)
        var iterator = bytes.makeIterator()
        var byte = iterator.next()
        while let first = byte {
            byte = iterator.next()
            if first < 0x80 {
                text.append(first)
            } else if let second = byte, let character = character(first, second) {
                text.append(contentsOf: character)
                byte = iterator.next()
            } else {
                text.append(invalid)
            }
        }
        return text
    }

    private static func character(_ first: UInt8, _ second: UInt8) -> [UInt8]? {
        switch (first, second) {
        // Katakana of half the width is one byte there.
        case (0x8E, 0xA1...0xDF): return [second]
        case (0xA1...0xFE, 0xA1...0xFE):
            let (row, column) = (first - 0xA1, second - 0xA1)
            let lead = row / 2 + (row < 62 ? 0x81 : 0xC1)
            return [lead, row.isMultiple(of: 2) ? column + (column < 63 ? 0x40 : 0x41) : column + 0x9F]
        default: return nil
        }
    }
}
