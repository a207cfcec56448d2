import CatenaPlatform

/// The range of the value that follows a secret's name.
struct SecretValue {
    /// The range of the value, empty if there is none.
    let range: Range<Int>

    /// Authentication schemes (RFC 9110 §11.1), which are hidden together with the credentials after them.
    private static let schemes: Set<String> = ["bearer", "basic", "digest", "token", "apikey", "hmac"]

    /// - Parameter endsWithLine: Whether an unquoted value ends only at the end of the line.
    init(in bytes: ArraySlice<UInt8>, from start: Int, endsWithLine: Bool) {
        // `=>`, `:=` and `==` separate names and values, too.
        let separated = bytes[start...].firstIndex { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">") } ?? bytes.endIndex
        let gap = bytes[separated...].firstIndex { $0 > 0x20 } ?? bytes.endIndex
        guard let next = Self.endOfComments(in: bytes, from: gap) else {
            // Hide everything after a comment that may not be closed.
            range = gap..<bytes.endIndex
            return
        }
        let breaksLine = bytes[separated..<gap].contains { $0 == 0x0A || $0 == 0x0D }
        let value = Self.value(in: bytes, from: next, breaksLine: breaksLine, endsWithLine: endsWithLine)
        // Comments may repeat the value, so they are hidden with it.
        range = next > gap ? gap..<value.upperBound : value
    }

    /// Returns the range of the value that begins behind a name and its comments.
    ///
    /// - Parameter breaksLine: Whether the value is on another line than its name.
    private static func value(in bytes: ArraySlice<UInt8>, from next: Int, breaksLine: Bool, endsWithLine: Bool) -> Range<Int> {
        var start = literal(in: bytes, from: next)
        while start < bytes.endIndex, bytes[start] == UInt8(ascii: "\\") || bytes[start] == UInt8(ascii: " ") { start += 1 }
        let escapes = start - (bytes[..<start].lastIndex { $0 != UInt8(ascii: "\\") }.map { $0 + 1 } ?? start)
        // A value on the next line belongs to the name only if it begins with a quote or bracket.
        guard start < bytes.endIndex, !breaksLine || "\"'{[".utf8.contains(bytes[start]) else {
            return next..<next
        }
        let isMarked = bytes[start...].starts(with: Redaction.mark.utf8)
        switch bytes[start] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let end = closing(bytes[start], in: bytes, from: start + 1, escapes: escapes)
            // Hide everything after a value that lacks its quote and has taken in the opening quote of another value.
            return (start + 1)..<(hasTakenInATag(bytes[(start + 1)..<end]) ? bytes.endIndex : end)
        // Hide everything after the bracket of printed bytes, `<0a 1b>`, because the bracket may not be closed.
        case UInt8(ascii: "<"):
            return start..<bytes.endIndex
        case _ where endsWithLine && !isMarked:
            return start..<(bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex)
        default:
            let end = endOfWords(in: bytes, from: start)
            // Hide everything after a bracket, as in `Optional("…")`, because the bracket may not be closed.
            return start..<(bytes[start..<end].contains { "([{".utf8.contains($0) } ? bytes.endIndex : end)
        }
    }

    /// The maximum length of a comment in bytes, which bounds the work for each name.
    private static let longestComment = 1024

    /// Returns the start of the text after comments: `/* … */ value`. Returns `nil` if one has no end.
    private static func endOfComments(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        var start = start
        while bytes[start...].starts(with: "/*".utf8) {
            guard let end = bytes[(start + 2)...].prefix(longestComment).firstIndex(ofBytes: Array("*/".utf8)) else { return nil }
            start = bytes[(end + 2)...].firstIndex { $0 > 0x20 } ?? bytes.endIndex
        }
        return start
    }

    /// Returns whether a quoted value contains the beginning of a tag and the equals sign before the value of one of its attributes.
    private static func hasTakenInATag(_ value: ArraySlice<UInt8>) -> Bool {
        value.last { $0 > 0x20 } == UInt8(ascii: "=") && value.contains(UInt8(ascii: "<"))
    }

    /// Returns the index of the closing quote, or of the backslashes before it if the whole text is itself inside a string.
    private static func closing(_ quote: UInt8, in bytes: ArraySlice<UInt8>, from start: Int, escapes: Int) -> Int {
        var run = 0
        for position in start..<bytes.endIndex {
            if bytes[position] == UInt8(ascii: "\\") {
                run += 1
                continue
            }
            // A quote with more backslashes than the opening quote is part of the string.
            if bytes[position] == quote, escapes == 0 ? run.isMultiple(of: 2) : run <= escapes {
                return escapes == 0 ? position : position - run
            }
            run = 0
        }
        return bytes.endIndex
    }

    /// Returns the start of a literal after the prefix that some languages put before its quote: `b'…'`, `u"…"`, `@"…"`, `N'…'`.
    private static func literal(in bytes: ArraySlice<UInt8>, from start: Int) -> Int {
        let prefix = bytes[start...].prefix(2).prefix { byte in
            switch byte {
            case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "@"), UInt8(ascii: "$"): true
            default: false
            }
        }
        guard !prefix.isEmpty, prefix.endIndex < bytes.endIndex, "\"'".utf8.contains(bytes[prefix.endIndex]) else { return start }
        return prefix.endIndex
    }

    private static func endOfWords(in bytes: ArraySlice<UInt8>, from start: Int) -> Int {
        let end = endOfWord(in: bytes, from: start)
        let isScheme = schemes.contains(String(decoding: bytes[start..<end].prefix(16), as: UTF8.self).lowercased())
        guard isScheme, let next = bytes[end...].firstIndex(where: { $0 != 0x20 && $0 != 0x09 }), next > end else { return end }
        guard bytes[next] == UInt8(ascii: "\"") || bytes[next] == UInt8(ascii: "'") else { return endOfWord(in: bytes, from: next) }
        return min(closing(bytes[next], in: bytes, from: next + 1, escapes: 0) + 1, bytes.endIndex)
    }

    private static func endOfWord(in bytes: ArraySlice<UInt8>, from start: Int) -> Int {
        bytes[start...].firstIndex { $0 <= 0x20 || ",;&}])\"'<".utf8.contains($0) } ?? bytes.endIndex
    }
}

/// Finds credentials that can be recognised without a name.
enum TextCredentials {
    /// Returns the range after an authentication scheme (RFC 9110 §11.4), or `nil` if the text there looks like prose.
    static func range(in bytes: ArraySlice<UInt8>, from start: Int, scheme: String) -> Range<Int>? {
        guard let kind = Kind(scheme),
            var first = bytes[start...].firstIndex(where: { $0 > 0x20 || kind != .bearer && $0 != 0x20 && $0 != 0x09 })
        else { return nil }
        if bytes[first] == UInt8(ascii: "\"") || bytes[first] == UInt8(ascii: "'") { first += 1 }
        let end = bytes[first...].firstIndex { $0 <= 0x20 || ",;&}])\"'<".utf8.contains($0) } ?? bytes.endIndex
        let word = bytes[first..<end]
        guard !word.isEmpty, !word.elementsEqual(Redaction.mark.utf8) else { return nil }
        if kind == .bearer { return first..<end }
        // Matches `name=value`, but not base64 padding.
        if let equals = word.firstIndex(of: UInt8(ascii: "=")),
            bytes[equals...].dropFirst().first.map({ $0 != UInt8(ascii: "=") && $0 > 0x20 }) == true
        {
            return first..<endOfParameters(in: bytes, from: first)
        }
        return looksSecret(word, kind) ? first..<end : nil
    }

    private enum Kind {
        case bearer, basic, other

        init?(_ scheme: String) {
            switch scheme {
            case "bearer": self = .bearer
            case "basic": self = .basic
            case "digest", "hawk", "negotiate", "ntlm", "dpop", "apikey", "token", "signature": self = .other
            default:
                guard scheme.hasPrefix("hmac") || scheme.contains("-hmac") else { return nil }
                self = .other
            }
        }
    }

    private static func looksSecret(_ word: ArraySlice<UInt8>, _ kind: Kind) -> Bool {
        let text = String(decoding: word, as: UTF8.self)
        // RFC 7617: a Basic credential is the base64 of a name and a password.
        if kind == .basic, let pair = Data(base64Encoded: text) { return pair.contains(UInt8(ascii: ":")) || pair.count >= 12 }
        return word.count >= 8 && word.contains { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ":") }
    }

    /// Returns the end of the line, because commas, spaces and quotes are all part of a list of parameters.
    private static func endOfParameters(in bytes: ArraySlice<UInt8>, from start: Int) -> Int {
        bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex
    }

    /// Returns the end of a JWT (RFC 7519 §3) whose letters `ey` stand before `start`, or `nil` if it is no JWT.
    static func endOfJWT(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        var (end, dots) = (start, 0)
        while end < bytes.endIndex {
            if bytes[end] == UInt8(ascii: ".") { dots += 1 } else if !isBase64URL(bytes[end]) { break }
            end += 1
        }
        while end > start, bytes[end - 1] == UInt8(ascii: ".") { (end, dots) = (end - 1, dots - 1) }
        // A short text with only one dot might be a name.
        return dots >= 2 || dots == 1 && end - start > 40 ? end : nil
    }

    static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Returns the content of a private key (RFC 7468 §10) after its `-----BEGIN `, without the first and the last line.
    static func privateKey(in bytes: ArraySlice<UInt8>, from start: Int) -> Range<Int>? {
        // The label is shown, so it must not contain anything that could be a name and a value.
        let label = bytes[start...].prefix(64).prefix { $0 == 0x20 || isBase64URL($0) }
        guard let dashes = label.firstIndex(ofBytes: Array("-----".utf8)),
            String(decoding: label[..<dashes], as: UTF8.self).contains("PRIVATE KEY")
        else { return nil }
        let first = dashes + 5
        return first..<(bytes[first...].firstIndex(ofBytes: Array("-----END".utf8)) ?? bytes.endIndex)
    }

    /// Returns the range of user information in an address (RFC 3986 §3.2.1), which begins after two slashes and ends before the `@`.
    static func userInformation(in bytes: ArraySlice<UInt8>, from start: Int) -> Range<Int>? {
        let authority = bytes[start...].prefix { $0 > 0x20 && !"/?#\"'<>\\".utf8.contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")), !authority[..<at].elementsEqual(Redaction.mark.utf8), at > start else {
            return nil
        }
        return start..<at
    }
}
