extension RedactionPass {
    /// Replaces the values of secrets in text of any kind: `token=…`, `"token": "…"`, `Authorization: Bearer …`, `//user:password@host`.
    ///
    /// Decides by names alone, and hides too much rather than too little.
    ///
    /// - Parameter beginning: The end of the redacted text before `bytes`, which may end with the name of a secret.
    mutating func text(_ bytes: ArraySlice<UInt8>, behind beginning: ArraySlice<UInt8> = []) -> [UInt8] {
        let shown = byRules(bytes, behind: beginning.suffix(TextName.longest))
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

    /// Returns whether the rules below may find a secret in a text, perhaps after its escapes are resolved, so that most texts need no further
    /// reading.
    ///
    /// Each rule needs one of these bytes, or the beginning of a JWT.
    static func mayTell(_ text: ArraySlice<UInt8>) -> Bool {
        text.withUnsafeBufferPointer { bytes in
            bytes.indices.contains { index in
                switch bytes[index] {
                // A space or a tab follows the scheme of credentials. 0xEF begins a colon or an equals sign in full width.
                case 0...0x20, UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "<"), UInt8(ascii: "@"), UInt8(ascii: "\\"),
                    UInt8(ascii: "%"), 0xEF:
                    true
                case UInt8(ascii: "J"): index >= 2 && bytes[index - 1] == UInt8(ascii: "y") && bytes[index - 2] == UInt8(ascii: "e")
                default: false
                }
            }
        }
    }

    private mutating func byRules(_ bytes: ArraySlice<UInt8>, behind beginning: ArraySlice<UInt8>) -> [UInt8] {
        var shown = Array(beginning)
        shown.reserveCapacity(beginning.count + bytes.count)
        // `shown` ends with the text before `position`, so names are looked up there.
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
            case UInt8(ascii: " ") where shown.hasSuffix("-----BEGIN "):
                guard let key = TextCredentials.privateKey(in: bytes, from: position),
                    !bytes[key].elementsEqual(Redaction.mark.utf8)
                else { continue }
                hide(key, in: bytes, &position, &shown)
            // A JWT begins with the base64url of `{"`.
            case UInt8(ascii: "y") where shown.hasSuffix("ey"):
                guard bytes[position...].first == UInt8(ascii: "J"), shown.dropLast(2).last.map(TextCredentials.isBase64URL) != true,
                    let end = TextCredentials.endOfJWT(in: bytes, from: position)
                else { continue }
                shown.removeLast(2)
                note(bytes[(position - 2)..<end])
                shown += Redaction.mark.utf8
                position = end
            case UInt8(ascii: " "), 0x09, 0x0A, 0x0D:
                guard let credentials = TextCredentials.range(in: bytes, from: position, scheme: TextName.word(before: shown.dropLast()))
                else {
                    continue
                }
                hide(credentials, in: bytes, &position, &shown)
            case UInt8(ascii: "/"):
                guard shown.hasSuffix("//"), let user = TextCredentials.userInformation(in: bytes, from: position) else { continue }
                hide(user, in: bytes, &position, &shown)
            case UInt8(ascii: ">"):
                guard let name = TextName.element(endingIn: shown), isSecret(name), let content = Self.content(in: bytes, from: position)
                else { continue }
                hide(content, in: bytes, &position, &shown)
            default: break
            }
        }
        shown.removeSubrange(..<beginning.count)
        return shown
    }

    /// Returns the end of a name before a colon or an equals sign: in ASCII, in full width, or percent-encoded as in an address inside an address.
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

    /// Returns the content of an XML element, or `nil` if the element does not end, as in prose with a word in angle brackets.
    private static func content(in bytes: ArraySlice<UInt8>, from start: Int) -> Range<Int>? {
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "<")), bytes[end...].dropFirst().first == UInt8(ascii: "/") else {
            return nil
        }
        return start..<end
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

/// Finds the name before a separator, with or without quotes around it.
enum TextName {
    /// The maximum length of a name in bytes.
    fileprivate static let longest = 128

    static func before(_ text: ArraySlice<UInt8>) -> [UInt8] {
        // Bounds the work for each separator.
        let text = withoutComments(text.suffix(longest))
        guard let last = text.lastIndex(where: { !" \t\r\n\\".utf8.contains($0) }) else { return [] }
        let name: ArraySlice<UInt8>
        switch text[last] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let content = text[..<last]
            let start = content.lastIndex(of: text[last]).map { $0 + 1 } ?? text.startIndex
            // Quotes of a string inside a string follow a backslash.
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

    /// Returns a text without the comments at its end: `"name" /* … */`.
    private static func withoutComments(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while let last = text.lastIndex(where: { $0 > 0x20 }), text[...last].hasSuffix("*/"),
            let start = text[..<(last - 1)].lastIndex(of: UInt8(ascii: "*")), start > text.startIndex, text[start - 1] == UInt8(ascii: "/")
        {
            text = text[..<(start - 1)]
        }
        return text
    }

    /// Returns the name of the XML element whose tag ends the text.
    static func element(endingIn text: [UInt8]) -> ArraySlice<UInt8>? {
        let tag = text.suffix(longest)
        guard let start = tag.lastIndex(of: UInt8(ascii: "<")), tag.dropLast().last != UInt8(ascii: "/") else { return nil }
        return XMLName.local(of: tag[(start + 1)...])[...]
    }

    /// Returns the last word of a text in lower case.
    static func word(before text: ArraySlice<UInt8>) -> String {
        String(decoding: text.suffix(32).suffixWhile(isPart), as: UTF8.self).lowercased()
    }

    /// Returns whether the value of a name extends to the end of its line, including commas and semicolons.
    static func isHeader(_ name: [UInt8]) -> Bool {
        let name = String(decoding: name, as: UTF8.self).lowercased()
        return name.hasSuffix("authorization") || name.hasSuffix("cookie")
    }

    private static func unquoted(endingAt end: Int, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let last = text[..<end].lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? text.startIndex
        return text[..<last].suffixWhile(isPart)
    }

    /// Removes the escapes of JSON and of addresses from a name.
    fileprivate static func plain(_ name: ArraySlice<UInt8>) -> [UInt8] {
        let isEscaped = name.contains(UInt8(ascii: "\\"))
        let name = isEscaped ? JSONText.unescaped(name) : Array(name)
        // Decodes as often as servers and addresses inside addresses may have encoded it.
        return (0..<6).reduce(name) { name, _ in
            guard name.contains(UInt8(ascii: "%")) else { return name }
            return Array(PercentDecoding.decode(String(decoding: name, as: UTF8.self), plusIsSpace: true).utf8)
        }
    }

    /// Returns whether a byte is a letter, a digit or a character that joins words in names of params, members and headers.
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

extension RedactionPass {
    /// Redacts the values of secrets in a form (WHATWG URL §5) and leaves the rest unchanged.
    mutating func form(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
            output += pair(bytes[start..<end])
            if end < bytes.endIndex { output.append(UInt8(ascii: "&")) }
            start = end + 1
        }
        return output
    }

    private mutating func pair(_ pair: ArraySlice<UInt8>) -> [UInt8] {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
            return nested(Self.decoded(pair)) == nil ? Array(pair) : Array(Redaction.mark.utf8)
        }
        let name = TextName.plain(pair[..<equals])
        let value = Self.decoded(pair[(equals + 1)...])
        // The name and the value may each be an address or an object that contains secrets.
        let shownName = nested(name) == nil ? Array(pair[...equals]) : Array("\(Redaction.mark)=".utf8)
        if isSecret(name[...]) { note(value) } else if nested(value) == nil { return shownName + pair[(equals + 1)...] }
        return shownName + Redaction.mark.utf8
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return Array(bytes) }
        return Array(PercentDecoding.decode(String(decoding: bytes, as: UTF8.self), plusIsSpace: true).utf8)
    }

    /// Redacts server-sent events. The data of an event is one document; its lines stay unchanged unless they contain a secret.
    mutating func events(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        // The lines and the data of the current event.
        var lines: [UInt8] = []
        var data: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D }
            let next = end.map { bytes[$0...].starts(with: "\r\n".utf8) ? $0 + 2 : $0 + 1 } ?? bytes.count
            let line = bytes[start..<(end ?? bytes.count)]
            let isData = line.starts(with: "data:".utf8)
            if isData {
                lines += bytes[start..<next]
                data += line.dropFirst(5).drop { $0 == 0x20 } + [0x0A]
            }
            if !isData || next == bytes.count {
                output += event(data.dropLast(), lines: lines, lineEnd: bytes[(end ?? bytes.count)..<next])
                (lines, data) = ([], [])
            }
            if !isData { output += (nested(Array(line)) ?? Array(line)) + bytes[(end ?? bytes.count)..<next] }
            start = next
        }
        return output
    }

    private mutating func event(_ data: ArraySlice<UInt8>, lines: [UInt8], lineEnd: ArraySlice<UInt8>) -> [UInt8] {
        guard let shown = nested(Array(data)) else { return lines }
        let lineEnd = lineEnd.isEmpty ? ArraySlice("\n".utf8) : lineEnd
        return shown.split(separator: 0x0A, omittingEmptySubsequences: false).flatMap { "data: ".utf8 + $0 + lineEnd }
    }
}
