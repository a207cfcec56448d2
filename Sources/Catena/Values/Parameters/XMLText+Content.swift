extension XMLText {
    /// Returns a text as the content of an element. Compares scalars, because a sign and a following combining accent form one character.
    ///
    /// - Throws: A ``ParameterError`` for the control characters that XML 1.0 §2.2 does not allow, even escaped.
    static func content(_ text: String) throws(ParameterError) -> String {
        var content = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": content += "&amp;"
            case "<": content += "&lt;"
            case ">": content += "&gt;"
            // An unescaped carriage return would be read as a line feed (XML 1.0 §2.11).
            case "\r": content += "&#13;"
            case "\n", "\t": content.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": throw ParameterError("it has a character that XML cannot hold (XML 1.0 §2.2)")
            default: content.unicodeScalars.append(scalar)
            }
        }
        return content
    }
}
