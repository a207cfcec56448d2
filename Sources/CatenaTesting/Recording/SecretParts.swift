/// The parts of a hidden text that are secrets by themselves: words, and the values of `name=value` lists (RFC 9110 §11.4).
enum SecretParts {
    /// The params of Digest authentication that are no secrets (RFC 7616). The server sends most of them, in its challenge or with its response.
    private static let harmless: Set<String> = [
        "username", "username*", "realm", "uri", "nonce", "nextnonce", "cnonce", "nc", "algorithm", "qop", "opaque",
    ]

    /// Returns the parts of a text, without the names of its params and without the values of harmless ones.
    static func all(in text: String) -> [String] {
        pieces(of: text).flatMap { piece -> [String] in
            let name = piece.prefix { $0 != "=" }
            let value = piece[name.endIndex...].dropFirst()
            // The padding of base64 is no value.
            guard !name.isEmpty, value.contains(where: { $0 != "=" }) else { return [unquoted(piece), String(name)] }
            return harmless.contains(name.lowercased()) ? [] : [unquoted(value)]
        }
    }

    /// Splits a text at spaces, semicolons and commas outside quotes.
    private static func pieces(of text: String) -> [Substring] {
        var pieces: [Substring] = []
        var start = text.startIndex
        var (isQuoted, isEscaped) = (false, false)
        for index in text.unicodeScalars.indices {
            let scalar = text.unicodeScalars[index]
            if isEscaped {
                isEscaped = false
            } else if scalar == "\"" {
                isQuoted.toggle()
            } else if isQuoted {
                isEscaped = scalar == "\\"
            } else if " ;,".unicodeScalars.contains(scalar) {
                pieces.append(text[start..<index])
                start = text.unicodeScalars.index(after: index)
            }
        }
        pieces.append(text[start...])
        return pieces.filter { !$0.isEmpty }
    }

    /// Returns the content of a quoted string (RFC 9110 §5.6.4), or a text without quotes unchanged.
    private static func unquoted(_ text: Substring) -> String {
        guard text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") else { return String(text) }
        var content = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { content.append(character) }
        }
        return content
    }
}
