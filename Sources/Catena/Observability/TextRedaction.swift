extension Redaction {
    /// Replaces the values of secrets in text of any kind: `token=…`, `"token": "…"`, `Authorization: Bearer …`.
    ///
    /// It goes by the names alone and rather hides too much; it is for what people read, not for what is sent.
    package func redact(text: String) -> String {
        var shown: [UInt8] = []
        let bytes = Array(text.utf8)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            shown.append(byte)
            position += 1
            let isNamed =
                (byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":")) && isSecret(name: Self.name(endingAt: shown.count - 1, in: shown))
            let isBearer = byte == UInt8(ascii: " ") && Self.word(endingAt: shown.count - 1, in: shown) == "bearer"
            guard isNamed || isBearer else { continue }
            let value = SecretValue(in: bytes, from: position)
            shown += bytes[position..<value.range.lowerBound]
            if !value.range.isEmpty { shown += Array(Self.mark.utf8) }
            position = value.range.upperBound
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// The name before a separator, with or without quotes around it.
    private static func name(endingAt end: Int, in bytes: [UInt8]) -> String {
        let end = bytes[..<end].lastIndex { !" \t\"'\\".utf8.contains($0) } ?? -1
        let name = String(decoding: bytes[...end].suffix(while: isNamePart), as: UTF8.self)
        return PercentDecoding.decode(name, plusIsSpace: true)
    }

    private static func word(endingAt end: Int, in bytes: [UInt8]) -> String {
        String(decoding: bytes[..<end].suffix(while: isNamePart), as: UTF8.self).lowercased()
    }

    /// Letters, digits and what joins them in the names of params, members and headers.
    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "_-.[]%".utf8.contains(byte)
        }
    }
}

extension Collection where Element == UInt8, Self: BidirectionalCollection {
    fileprivate func suffix(while isIncluded: (UInt8) -> Bool) -> SubSequence {
        let last = lastIndex { !isIncluded($0) }
        return self[(last.map { index(after: $0) } ?? startIndex)...]
    }
}

/// Where the value behind a secret's name is.
private struct SecretValue {
    /// Empty if there is none.
    let range: Range<Int>

    /// Words that say how what follows them is to be read (RFC 9110 §11.1); they are hidden with it.
    private static let schemes: Set<String> = ["bearer", "basic", "digest", "token", "apikey"]

    init(in bytes: [UInt8], from start: Int) {
        var start = start
        while start < bytes.count, bytes[start] == UInt8(ascii: " ") || bytes[start] == UInt8(ascii: "\\") { start += 1 }
        guard start < bytes.count else {
            range = start..<start
            return
        }
        switch bytes[start] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            range = (start + 1)..<Self.closing(bytes[start], in: bytes, from: start + 1)
        default:
            let end = Self.endOfWords(in: bytes, from: start)
            // Everything in brackets is a secret, as in `Optional("…")`, and they may not be closed.
            range = start..<(bytes[start..<end].contains { "([{".utf8.contains($0) } ? bytes.count : end)
        }
    }

    /// The place of the quote that ends a string; of the backslash before it if the whole text is in a string of its own.
    private static func closing(_ quote: UInt8, in bytes: [UInt8], from start: Int) -> Int {
        let isEscaped = start >= 2 && bytes[start - 2] == UInt8(ascii: "\\")
        var position = start
        while position < bytes.count, bytes[position] != quote {
            if bytes[position] == UInt8(ascii: "\\") {
                if isEscaped, position + 1 < bytes.count, bytes[position + 1] == quote { return position }
                position += 1
            }
            position += 1
        }
        return min(position, bytes.count)
    }

    private static func endOfWords(in bytes: [UInt8], from start: Int) -> Int {
        let end = endOfWord(in: bytes, from: start)
        let isScheme = schemes.contains(String(decoding: bytes[start..<end], as: UTF8.self).lowercased())
        return isScheme && end < bytes.count && bytes[end] == UInt8(ascii: " ") ? endOfWord(in: bytes, from: end + 1) : end
    }

    private static func endOfWord(in bytes: [UInt8], from start: Int) -> Int {
        bytes[start...].firstIndex { $0 <= 0x20 || ",;&}])\"'".utf8.contains($0) } ?? bytes.count
    }
}
