/// Decodes and encodes the text of JSON strings. Decoding tolerates malformed and truncated text.
package enum JSONText {
    /// Returns the content of a string without its escapes. A truncated escape is omitted.
    static func unescaped(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var position = content.startIndex
        while position < content.endIndex {
            guard content[position] == UInt8(ascii: "\\") else {
                text.append(content[position])
                position += 1
                continue
            }
            guard position + 1 < content.endIndex else { break }
            let escape = content[position + 1]
            position += 2
            switch escape {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "u"):
                guard let unit = unit(content, at: position) else { break }
                position += 4
                var scalar = Unicode.Scalar(unit)
                if scalar == nil, UTF16.isLeadSurrogate(UInt16(unit)), content[position...].starts(with: #"\u"#.utf8),
                    let trail = self.unit(content, at: position + 2), UTF16.isTrailSurrogate(UInt16(trail))
                {
                    position += 6
                    scalar = Unicode.Scalar(0x1_0000 + (unit & 0x3FF) << 10 + trail & 0x3FF)
                }
                text += String(scalar ?? "\u{FFFD}").utf8
            default: text.append(escape)
            }
        }
        return text
    }

    private static func unit(_ content: ArraySlice<UInt8>, at position: Int) -> UInt32? {
        guard position + 4 <= content.endIndex else { return nil }
        return content[position..<position + 4].reduce(UInt32?(0)) { unit, byte in
            guard let unit, let digit = PercentDecoding.hexValue(byte) else { return nil }
            return unit << 4 | UInt32(digit)
        }
    }

    /// Appends a string, escaping only the characters that RFC 8259 §7 requires.
    package static func write(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
            case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
            case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
            case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
            case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
            case 0..<0x20: bytes.append(contentsOf: ((byte < 0x10 ? #"\u000"# : #"\u00"#) + String(byte, radix: 16)).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
