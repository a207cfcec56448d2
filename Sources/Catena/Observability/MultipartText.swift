/// A multipart body as text, of which a log shows the fields (RFC 7578 §4.2).
struct MultipartText {
    private let delimiter: Substring
    private let parts: [Substring]

    /// `nil` if the text is no such body.
    init?(_ text: String) {
        guard text.hasPrefix("--"), let end = text.firstIndex(where: \.isNewline), text.contains("name=\"") else { return nil }
        delimiter = text[..<end]
        parts = text.split(separator: delimiter, omittingEmptySubsequences: false)
    }

    /// The text with other contents, by the name of the field.
    func changed(_ content: (_ name: String, _ content: String) -> String) -> String {
        parts.map { part -> String in
            guard let blank = part.firstRange(of: "\r\n\r\n"), let mark = part[..<blank.lowerBound].firstRange(of: " name=\"") else {
                return content("", String(part))
            }
            let name = part[mark.upperBound..<blank.lowerBound].prefix { $0 != "\"" }
            let hasEnd = part.hasSuffix("\r\n")
            let value = part[blank.upperBound...].dropLast(hasEnd ? 1 : 0)
            return content("", String(part[..<blank.upperBound])) + content(String(name), String(value)) + (hasEnd ? "\r\n" : "")
        }.joined(separator: String(delimiter))
    }
}
