public import CatenaPlatform

/// An error in a JSON text, with its position.
public struct JSONSyntaxError: Error, Equatable, LocalizedError, CustomStringConvertible {
    /// The reason, in English.
    public let reason: String
    /// The position in bytes, from 0.
    public let offset: Int
    /// The line, from 1.
    public let line: Int
    /// The column in code points, from 1.
    public let column: Int
    /// A part of the text around the position, on one line and without secrets.
    public private(set) var excerpt: String

    /// The error without an excerpt, for a document that is not text.
    var withoutExcerpt: JSONSyntaxError {
        var error = self
        error.excerpt = ""
        return error
    }

    public var description: String {
        "not valid JSON: \(reason) (line \(line), column \(column))" + (excerpt.isEmpty ? "" : ", near `\(excerpt)`")
    }

    public var errorDescription: String? { description }

    init(_ fault: JSONFault, in scanner: JSONScanner) {
        let before = 0..<min(fault.offset, scanner.end)
        let isLineFeed = { scanner.byte(at: $0) == UInt8(ascii: "\n") }
        let lineStart = before.last(where: isLineFeed).map { $0 + 1 } ?? 0
        reason = fault.reason.rawValue
        offset = before.upperBound
        line = 1 + before.count(where: isLineFeed)
        column = 1 + before[lineStart...].count { !Self.isContinuation(scanner.byte(at: $0)) }
        excerpt = Self.excerpt(around: offset, in: scanner)
    }

    /// The number of characters on each side.
    private static let excerptLength = 20
    /// The number of bytes before the excerpt that are searched for the name of a secret.
    private static let contextLength = 16 * 1024

    private static func excerpt(around offset: Int, in scanner: JSONScanner) -> String {
        let start = max(0, offset - contextLength)
        var end = min(scanner.end, offset + excerptLength)
        // Do not cut a character in two, because the excerpt would show an error that the document does not have.
        while end > offset, isContinuation(scanner.byte(at: end)) { end -= 1 }
        // Replace line breaks, because a log could take the rest for a new line.
        let bytes = (start..<end).map { offset in
            let byte = scanner.byte(at: offset)
            return byte < 0x20 || byte == 0x7F ? UInt8(ascii: " ") : byte
        }
        let before = Redaction.current.redact(text: String(decoding: bytes[..<(offset - start)], as: UTF8.self))
        let whole = Redaction.current.redact(text: String(decoding: bytes, as: UTF8.self))
        // If the position is inside a secret, hide what follows, because it is a part of the secret.
        let after = whole.hasPrefix(before) ? whole.dropFirst(before.count) : ""
        return String(before.suffix(excerptLength)) + after
    }

    private static func isContinuation(_ byte: UInt8) -> Bool {
        byte & 0xC0 == 0x80
    }
}

/// A `JSONSyntaxError` without line, column and excerpt.
package struct JSONFault: Error {
    enum Reason: String {
        case unexpectedEnd = "the document ends too early"
        case value = "a value is expected"
        case key = "a key in double quotes is expected"
        case colon = "a colon is expected after a key"
        case elementEnd = "a comma or ] is expected after an element"
        case memberEnd = "a comma or } is expected after a member"
        case trailingComma = "a comma before a closing bracket is not allowed"
        case trailingBytes = "something follows the end of the document"
        case controlCharacter = "a control character in a string has to be escaped"
        case escape = "unknown escape in a string"
        case loneSurrogate = "half of a surrogate pair stands alone"
        case encoding = "the text is not UTF-8"
        case leadingZero = "a number cannot begin with a zero"
        case digit = "a digit is expected"
        case depth = "arrays and objects are nested deeper than 512"
        case size = "the document has 2 GB or more"
    }

    let reason: Reason
    let offset: Int
}
