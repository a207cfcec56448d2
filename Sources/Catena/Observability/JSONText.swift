/// The text of JSON strings, in which something may be wrong or missing.
enum JSONText {
    /// What is between the quotes of a string, without its escapes; one that is cut is left out.
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
}
