import CatenaPlatform

/// Converts text in an encoding other than UTF-8.
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
        #if !canImport(Darwin)
        // The essentials of Foundation know the encodings of Unicode alone.
        if let names = CharacterEncodings.systemNames(encoding) { return converted(bytes, names) }
        #endif
        if let text = String(data: bytes, encoding: encoding) { return Data(text.utf8) }
        #if canImport(Darwin)
        if encoding != .iso2022JP, !Self.wide.contains(encoding) { return piecewise(bytes) }
        #endif
        // In encodings with wide units or shift states, decoding cannot restart after an invalid byte.
        return bytes
    }

    #if !canImport(Darwin)
    /// Returns the bytes unchanged, as with an unknown encoding, if the system does not have this one.
    private func converted(_ bytes: Data, _ names: (name: String, extended: String?)) -> Data {
        if encoding == .iso2022JP {
            // Most systems lack its half-width katakana and the characters that Windows adds.
            guard let text = ShiftJIS.text(ofISO2022: bytes) else { return bytes }
            return ForeignText(encoding: CharacterEncodings.windows31J).utf8(text)
        }
        guard let converter = SystemText(names.name) else { return bytes }
        return bytes.withUnsafeBytes { bytes in
            var result = Data(capacity: bytes.count + bytes.count / 2)
            var (start, invalidCount) = (0, 0)
            while true {
                start += converter.convert(UnsafeRawBufferPointer(rebasing: bytes[start...]), into: &result)
                if start == bytes.count { return result }
                let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
                if let used = names.extended.flatMap({ Self.convertCharacter(of: rest, $0, into: &result) }) {
                    start += used
                } else if invalidCount < Self.invalidLimit {
                    invalidCount += 1
                    result.append(Self.invalid)
                    start += 1
                } else {
                    result.append(contentsOf: rest)
                    return result
                }
            }
        }
    }

    /// Appends the first character of the bytes, which has one or two of them. Returns their number, or `nil` if they are invalid.
    private static func convertCharacter(of bytes: UnsafeRawBufferPointer, _ name: String, into result: inout Data) -> Int? {
        guard let converter = SystemText(name) else { return nil }
        return (1...min(2, bytes.count)).first { length in
            converter.convert(UnsafeRawBufferPointer(rebasing: bytes[..<length]), into: &result) == length
        }
    }
    #else
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
            if let text = String(data: bytes.prefix(length), encoding: encoding), !text.isEmpty {
                return (text, length)
            }
        }
        return nil
    }
    #endif
}

/// Converts EUC-JP and ISO-2022-JP to Shift JIS: all three arrange the characters of the same table (JIS X 0208).
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

    /// Returns the text of ISO-2022-JP, or `nil` if any byte is invalid (RFC 1468, with the katakana of JIS X 0201).
    static func text(ofISO2022 bytes: Data) -> Data? {
        var text = Data(capacity: bytes.count)
        var (isDouble, isKatakana) = (false, false)
        var rest = [UInt8](bytes)[...]
        while let first = rest.popFirst() {
            switch first {
            case 0x1B:
                let sequence = rest.prefix(2)
                rest = rest.dropFirst(2)
                switch String(decoding: sequence, as: UTF8.self) {
                case "(B", "(J": (isDouble, isKatakana) = (false, false)
                case "(I": (isDouble, isKatakana) = (false, true)
                case "$@", "$B": isDouble = true
                default: return nil
                }
            case 0x21...0x7E where isDouble:
                guard let second = rest.popFirst(), second < 0x80, let character = character(first | 0x80, second | 0x80) else {
                    return nil
                }
                text.append(contentsOf: character)
            case 0x21...0x5F where isKatakana: text.append(first | 0x80)
            case 0x60...0x7E where isKatakana: return nil
            case 0x00...0x7F: text.append(first)
            default: return nil
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
