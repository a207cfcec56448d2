import CatenaPlatform

/// Converts text in an encoding other than UTF-8, of which Foundation decodes either all or nothing.
struct ForeignText {
    let encoding: String.Encoding

    /// The replacement for a byte that belongs to no character of the encoding. 0xFF is invalid in UTF-8 too, so text shows U+FFFD in its
    /// place, and JSON is rejected.
    private static let invalid: UInt8 = 0xFF

    /// The maximum number of invalid bytes. With more, the text is in another encoding than declared, and its rest is left unchanged.
    private static let invalidLimit = 1000

    /// The encodings whose units have two or four bytes.
    static let wide: [String.Encoding] = [
        .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
    ]

    /// Returns the text of the bytes in UTF-8. An invalid byte does not affect other characters.
    func utf8(_ bytes: Data) -> Data {
        // Foundation supports EUC-JP on some platforms only.
        if encoding == .japaneseEUC {
            return ForeignText(encoding: CharacterEncodings.windows31J).utf8(ShiftJIS.text(ofEUC: bytes))
        }
        if let text = decode(bytes) { return Data(text.utf8) }
        // In encodings with wide units or shift states, decoding cannot restart after an invalid byte.
        return encoding == .iso2022JP || Self.wide.contains(encoding) ? bytes : piecewise(bytes)
    }

    /// Decodes the longest valid pieces, each from the end of one character to the end of another.
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

    /// Returns the text of about `length` bytes. The last character may end up to three bytes earlier, because no character has more than
    /// four.
    private func start(of bytes: Data, _ length: Int) -> (text: String, used: Int)? {
        let longest = min(length, bytes.count)
        for length in (max(1, longest - 3)...max(1, longest)).reversed() {
            if let text = decode(bytes.prefix(length)), !text.isEmpty {
                return (text, length)
            }
        }
        return nil
    }

    /// Returns the text of the bytes, or `nil` if any of them is invalid.
    private func decode(_ bytes: Data) -> String? {
        #if canImport(FoundationEssentials)
        // The essentials of Foundation know the encodings of Unicode alone.
        if let name = CharacterEncodings.systemName(encoding) { return SystemText.decode(bytes, name) }
        #endif
        return String(data: bytes, encoding: encoding)
    }
}

/// Converts EUC-JP to Shift JIS: both arrange the characters of the same table (JIS X 0208).
enum ShiftJIS {
    /// The replacement for bytes outside the table, which is invalid in Shift JIS.
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
        // Half-width katakana are one byte in Shift JIS.
        case (0x8E, 0xA1...0xDF): return [second]
        case (0xA1...0xFE, 0xA1...0xFE):
            let (row, column) = (first - 0xA1, second - 0xA1)
            let lead = row / 2 + (row < 62 ? 0x81 : 0xC1)
            return [lead, row.isMultiple(of: 2) ? column + (column < 63 ? 0x40 : 0x41) : column + 0x9F]
        default: return nil
        }
    }
}
