extension RedactionPass {
    /// Replaces the values of secrets in text of any kind: `token=…`, `"token": "…"`, `Authorization: Bearer …`, `//user:password@host`.
    ///
    /// It goes by the names alone and rather hides too much.
    mutating func text(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let shown = byRules(bytes)
        if patterns.isEmpty { return shown }
        var text = String(decoding: shown, as: UTF8.self)
        var hasChanged = false
        for pattern in patterns {
            let matches = text.matches(of: pattern)
            if matches.isEmpty { continue }
            hasChanged = true
            for match in matches { note(text[match.range].utf8) }
            text.replace(pattern, with: Redaction.mark)
        }
        return hasChanged ? Array(text.utf8) : shown
    }

    private mutating func byRules(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        // What has been read stands in `shown` as well, where it ends with what comes before the place.
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let byte = bytes[position]
            shown.append(byte)
            position += 1
            switch byte {
            case UInt8(ascii: "="), UInt8(ascii: ":"), 0x9A, 0x9D, UInt8(ascii: "D"), UInt8(ascii: "d"):
                guard let end = Self.endOfName(in: shown) else { continue }
                let name = TextName.before(shown[..<end])
                guard isSecret(name[...]) else { continue }
                let endsWithLine = byte == UInt8(ascii: ":") && TextName.isHeader(name)
                hide(SecretValue(in: bytes, from: position, endsWithLine: endsWithLine).range, in: bytes, &position, &shown)
            case UInt8(ascii: " "):
                guard let credentials = TextCredentials.range(in: bytes, from: position, scheme: TextName.word(before: shown.dropLast()))
                else {
                    continue
                }
                hide(credentials, in: bytes, &position, &shown)
            case UInt8(ascii: "/"):
                guard shown.hasSuffix("//"), let user = TextCredentials.userInformation(in: bytes, from: position) else { continue }
                hide(user, in: bytes, &position, &shown)
            default: break
            }
        }
        return shown
    }

    /// Where a name ends behind which a colon or a sign of equality stands: of ASCII, of full width, or percent-encoded as in an address
    /// within an address.
    private static func endOfName(in shown: [UInt8]) -> Int? {
        switch shown.last {
        case UInt8(ascii: "D"), UInt8(ascii: "d"):
            guard shown.dropLast().hasSuffix("3") else { return nil }
            let isTwice = shown.dropLast(2).hasSuffix("%25")
            return isTwice ? shown.count - 5 : shown.dropLast(2).hasSuffix("%") ? shown.count - 3 : nil
        case 0x9A, 0x9D: return shown.hasSuffix("：") || shown.hasSuffix("＝") ? shown.count - 3 : nil
        default: return shown.count - 1
        }
    }

    private mutating func hide(_ range: Range<Int>, in bytes: ArraySlice<UInt8>, _ position: inout Int, _ shown: inout [UInt8]) {
        shown += bytes[position..<range.lowerBound]
        if !range.isEmpty {
            note(bytes[range])
            shown += Redaction.mark.utf8
        }
        position = range.upperBound
    }
}

extension BidirectionalCollection<UInt8> {
    fileprivate func hasSuffix(_ end: String) -> Bool { suffix(end.utf8.count).elementsEqual(end.utf8) }
}

/// The name before a separator, with or without quotes around it.
enum TextName {
    /// In bytes. What is longer is no name.
    private static let longest = 128

    static func before(_ text: ArraySlice<UInt8>) -> [UInt8] {
        // However much there is, so much is looked at for each separator.
        let text = text.suffix(longest)
        guard let last = text.lastIndex(where: { !" \t\r\n\\".utf8.contains($0) }) else { return [] }
        let name: ArraySlice<UInt8>
        switch text[last] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let content = text[..<last]
            let start = content.lastIndex(of: text[last]).map { $0 + 1 } ?? text.startIndex
            // In a string within a string the quotes have a backslash.
            let end = content.lastIndex { $0 != UInt8(ascii: "\\") }.map { $0 + 1 } ?? start
            name = content[start..<max(start, end)]
        case UInt8(ascii: ")"):
            let open = text[..<last].lastIndex(of: UInt8(ascii: "(")) ?? text.startIndex
            name = unquoted(endingAt: open, in: text) + text[open...last]
        case 0x89 where text[...last].suffix(3).elementsEqual("）".utf8):
            let open = text[..<last].lastIndex(of: 0x88) ?? text.startIndex
            name = unquoted(endingAt: max(open - 2, text.startIndex), in: text) + text[open...last]
        default: name = unquoted(endingAt: last + 1, in: text)
        }
        return plain(name)
    }

    /// The word that ends before a place.
    static func word(before text: ArraySlice<UInt8>) -> String {
        String(decoding: text.suffix(32).suffixWhile(isPart), as: UTF8.self).lowercased()
    }

    /// Whether the value of a name goes to the end of its line, with commas and semicolons.
    static func isHeader(_ name: [UInt8]) -> Bool {
        let name = String(decoding: name, as: UTF8.self).lowercased()
        return name.hasSuffix("authorization") || name.hasSuffix("cookie")
    }

    private static func unquoted(endingAt end: Int, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let last = text[..<end].lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? text.startIndex
        return text[..<last].suffixWhile(isPart)
    }

    /// The name without the escapes of JSON and of addresses.
    private static func plain(_ name: ArraySlice<UInt8>) -> [UInt8] {
        let isEscaped = name.contains(UInt8(ascii: "\\"))
        let name = isEscaped ? JSONText.unescaped(name) : Array(name)
        guard name.contains(UInt8(ascii: "%")) else { return name }
        return Array(PercentDecoding.decode(String(decoding: name, as: UTF8.self), plusIsSpace: true).utf8)
    }

    /// Letters, digits and what joins them in the names of params, members and headers.
    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
        default: "_-.[]%".utf8.contains(byte)
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func suffixWhile(_ isIncluded: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        self[(lastIndex { !isIncluded($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
