/// What is wrong with a document, and where.
struct JSONSyntaxError: Error, Equatable, CustomStringConvertible {
    let reason: String
    /// In bytes, from 0.
    let offset: Int
    /// From 1.
    let line: Int
    /// In code points, from 1.
    let column: Int
    /// The text around the place on one line, never more than `excerptLength` bytes of the document.
    let excerpt: String

    var description: String {
        "not valid JSON: \(reason) (line \(line), column \(column))" + (excerpt.isEmpty ? "" : ", near `\(excerpt)`")
    }

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

    private static let excerptLength = 40

    private static func excerpt(around offset: Int, in scanner: JSONScanner) -> String {
        var start = max(0, offset - excerptLength / 2)
        var end = min(scanner.end, start + excerptLength)
        // A character that is cut in two would look like one that the document has wrong.
        while start < offset, isContinuation(scanner.byte(at: start)) { start += 1 }
        while end > offset, isContinuation(scanner.byte(at: end)) { end -= 1 }
        // A line break in a message could be taken for the next line of a log.
        let shown = (start..<end).map { offset in
            let byte = scanner.byte(at: offset)
            return byte < 0x20 || byte == 0x7F ? UInt8(ascii: " ") : byte
        }
        return String(decoding: shown, as: UTF8.self)
    }

    private static func isContinuation(_ byte: UInt8) -> Bool {
        byte & 0xC0 == 0x80
    }
}

/// A `JSONSyntaxError` before its line, column and excerpt are looked up.
struct JSONFault: Error {
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
    }

    let reason: Reason
    let offset: Int
}
