import Testing

@testable import Catena

@Suite("JSON, errors", .limitedParallelism)
struct JSONSyntaxErrorTests {
    struct Row: Sendable {
        let text: String
        let reason: String
        let offset: Int
        var line = 1
        let column: Int
    }

    static let rows = [
        Row(text: "", reason: "the document ends too early", offset: 0, column: 1),
        Row(text: "[1,", reason: "the document ends too early", offset: 3, column: 4),
        Row(text: "\"abc", reason: "the document ends too early", offset: 4, column: 5),
        Row(text: "-", reason: "the document ends too early", offset: 1, column: 2),
        Row(text: "-x", reason: "a digit is expected", offset: 1, column: 2),
        Row(text: "[1.]", reason: "a digit is expected", offset: 3, column: 4),
        Row(text: "[01]", reason: "a number cannot begin with a zero", offset: 1, column: 2),
        Row(text: "<html>", reason: "a value is expected", offset: 0, column: 1),
        Row(text: "[tru]", reason: "a value is expected", offset: 1, column: 2),
        Row(text: "{a:1}", reason: "a key in double quotes is expected", offset: 1, column: 2),
        Row(text: #"{"a" 1}"#, reason: "a colon is expected after a key", offset: 5, column: 6),
        Row(text: "[1 2]", reason: "a comma or ] is expected after an element", offset: 3, column: 4),
        Row(text: #"{"a":1]"#, reason: "a comma or } is expected after a member", offset: 6, column: 7),
        Row(text: "[1,]", reason: "a comma before a closing bracket is not allowed", offset: 3, column: 4),
        Row(text: "[1] x", reason: "something follows the end of the document", offset: 4, column: 5),
        Row(text: "{\n  \"a\": 1,\n  \"b\": oops\n}", reason: "a value is expected", offset: 19, line: 3, column: 8),
        Row(text: "{\r\n\"a\":\r\n}", reason: "a value is expected", offset: 9, line: 3, column: 1),
        Row(text: "[\"é€😀\" 1]", reason: "a comma or ] is expected after an element", offset: 13, column: 8),
        Row(text: #"["\ud800"]"#, reason: "half of a surrogate pair stands alone", offset: 2, column: 3),
        Row(text: #"["ab\x"]"#, reason: "unknown escape in a string", offset: 4, column: 5),
    ]

    @Test("an error says what is wrong and where", arguments: rows)
    func position(row: Row) throws {
        let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: row.text.utf8) }
        #expect(error?.reason == row.reason)
        #expect(error?.offset == row.offset)
        #expect(error?.line == row.line)
        #expect(error?.column == row.column)
        #expect(throws: try #require(error)) { try JSONScan(row.text.utf8, paths: []) }
    }

    @Test("an error has the offset and column of a byte that is not UTF-8")
    func encoding() {
        let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: Array("[\"é".utf8) + [0xFF] + Array("\"]".utf8)) }
        #expect(error?.reason == "the text is not UTF-8")
        #expect(error?.offset == 4)
        #expect(error?.column == 4)
    }

    @Test("an error shows the text around its place, on one line")
    func excerpt() {
        let text = "[\"" + String(repeating: "a", count: 100) + "\",\n\t?, \"" + String(repeating: "b", count: 100) + "\"]"
        let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: text.utf8) }
        #expect(error?.excerpt == "aaaaaaaaaaaaaaaa\",  ?, \"bbbbbbbbbbbbbbbb")
        #expect(error?.description == "not valid JSON: a value is expected (line 2, column 2), near `\(error?.excerpt ?? "")`")
    }

    @Test("an excerpt has no partial characters", arguments: 0..<8)
    func excerptCharacters(shift: Int) {
        let text =
            "[\"" + String(repeating: "x", count: shift) + String(repeating: "😀", count: 40) + "\"? \"" + String(repeating: "€", count: 40)
        let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: text.utf8) }
        #expect(error?.excerpt.contains("\u{FFFD}") == false)
        #expect(error?.excerpt.contains("? ") == true)
        #expect((20...40).contains(error?.excerpt.count ?? 0))
    }

    @Test("an error of an empty document has no excerpt")
    func emptyExcerpt() {
        let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: []) }
        #expect(error?.description == "not valid JSON: the document ends too early (line 1, column 1)")
    }
}
