extension JSONScanner {
    /// Scans a string (RFC 8259 §7) that begins at the current position. The token is plain if it has no escapes.
    package mutating func string() throws(JSONFault) -> JSONToken {
        let start = position
        var isPlain = true
        position += 1
        while true {
            skipText()
            switch byte(at: position) {
            case UInt8(ascii: "\""):
                position += 1
                return JSONToken(kind: .string, range: start..<position, isPlain: isPlain)
            case UInt8(ascii: "\\"):
                isPlain = false
                try skipEscape()
            case 0x80...: throw fault(.encoding)
            default: throw fault(.controlCharacter)
            }
        }
    }

    /// Skips plain text, up to a quote, a backslash, a control character or a malformed sequence.
    @inline(__always)
    private mutating func skipText() {
        // Most strings are short.
        for _ in 0..<2 {
            guard let word = word(at: position) else { break }
            let special = Self.special(in: word)
            position += special.trailingZeroBitCount / 8
            if special == 0 { continue }
            if byte(at: position) < 0x80 { return }
            break
        }
        position = textEnd(from: position)
    }

    /// Returns the text of a string token, without quotes and escapes.
    package func string(_ token: JSONToken) -> String {
        token.isPlain ? text(token.range.lowerBound + 1..<token.range.upperBound - 1) : String(decoding: unescaped(token), as: UTF8.self)
    }

    /// Returns the text of a string token in UTF-8, without quotes and escapes.
    func unescaped(_ token: JSONToken) -> [UInt8] {
        let end = token.range.upperBound - 1
        var bytes: [UInt8] = []
        bytes.reserveCapacity(token.range.count)
        var copied = token.range.lowerBound + 1
        var offset = copied
        while offset < end {
            guard byte(at: offset) == UInt8(ascii: "\\") else {
                offset += 1
                continue
            }
            copy(copied..<offset, to: &bytes)
            let escape = byte(at: offset + 1)
            offset += 2
            switch escape {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"):
                let (scalar, length) = scalar(at: offset - 2)
                bytes.append(contentsOf: String(scalar).utf8)
                offset += length - 2
            default: bytes.append(escape)
            }
            copied = offset
        }
        copy(copied..<end, to: &bytes)
        return bytes
    }

    /// Marks the high bit of each byte that ends a run of plain ASCII: quotes, backslashes, control characters and non-ASCII bytes.
    ///
    /// The subtraction borrows from the next byte, so marks above the lowest one can be false. The lowest one is always correct.
    @inline(__always)
    private static func special(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones * 0x22)
        let backslash = word ^ (ones * 0x5C)
        // `low` only matters in the marks' own bits, and a byte with that bit set is special anyway because it is not ASCII.
        let low = (quote &- ones) | (backslash &- ones) | (word &- ones * 0x20)
        return (low | word) & (ones * 0x80)
    }

    private mutating func skipEscape() throws(JSONFault) {
        switch byte(at: position + 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            guard let unit = codeUnit(at: position) else { throw fault(.escape) }
            if UTF16.isSurrogate(unit) {
                guard UTF16.isLeadSurrogate(unit), byte(at: position + 6) == UInt8(ascii: "\\"),
                    byte(at: position + 7) == UInt8(ascii: "u"),
                    let trail = codeUnit(at: position + 6), UTF16.isTrailSurrogate(trail)
                else { throw fault(.loneSurrogate) }
                position += 6
            }
            position += 6
        default: throw fault(.escape)
        }
    }

    /// Returns the character of the `\uXXXX`, or pair of them, at an offset, and the length in bytes.
    private func scalar(at offset: Int) -> (Unicode.Scalar, length: Int) {
        // The string has been scanned before, so the fallback values are never used.
        let lead = UInt32(codeUnit(at: offset) ?? 0xFFFD)
        if let scalar = Unicode.Scalar(lead) { return (scalar, 6) }
        let trail = UInt32(codeUnit(at: offset + 6) ?? 0xDC00)
        return (Unicode.Scalar(0x1_0000 + (lead & 0x3FF) << 10 + trail & 0x3FF) ?? "\u{FFFD}", 12)
    }

    /// Returns the number of the `\uXXXX` at an offset.
    private func codeUnit(at offset: Int) -> UInt16? {
        var unit: UInt16 = 0
        for place in offset + 2..<offset + 6 {
            let byte = byte(at: place)
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "A") + 10)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return unit
    }
}
