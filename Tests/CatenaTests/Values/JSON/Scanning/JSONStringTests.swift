import Testing

@testable import Catena

@Suite("JSON, strings", .limitedParallelism)
struct JSONStringTests {
    @Test(
        "escapes are read",
        arguments: [
            (#""""#, ""), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\uD83D\uDE00""#, "😀"),
            (#""a\ud83d\ude00b""#, "a😀b"), (#""\uDBFF\uDFFF\uD800\uDC00""#, "\u{10FFFF}\u{10000}"), (#""\u0000""#, "\u{0}"),
            (#""\ufeff\uffff""#, "\u{FEFF}\u{FFFF}"),
            (#""0123456\n89abcdef\u0041""#, "0123456\n89abcdefA"), (#""é\té""#, "é\té"), (#""\\u0041""#, #"\u0041"#),
        ])
    func escapes(text: String, expected: String) throws {
        let value = try JSON(parsing: text.utf8)
        #expect(value.string == expected)
        #expect(try JSON(parsing: "{\(text): 1}".utf8)[expected].int == 1)
    }

    @Test("a run of plain characters ends correctly at each of the first 24 bytes")
    static func placesInAWordRows() {
        each(0..<24) { try Self().placesInAWord(length: $0) }
    }

    func placesInAWord(length: Int) throws {
        let run = String(repeating: "a", count: length)
        for (written, read) in [("", ""), (#"\n"#, "\n"), ("é", "é"), ("€", "€"), ("😀", "😀"), ("\u{7F}", "\u{7F}"), (" !#[]~", " !#[]~")] {
            #expect(try JSON(parsing: "[\"\(run)\(written)\(run)\",0]".utf8) == [.init(.string(run + read + run)), 0])
        }
        for byte in [0x00, 0x1F, 0x0A, 0x80, 0xC0, 0xFF] as [UInt8] {
            let bytes = Array("\"\(run)".utf8) + [byte] + Array("\(run)\"".utf8)
            #expect(throws: JSONSyntaxError.self) { try JSON(parsing: bytes) }
        }
    }

    @Test(
        "half of a surrogate pair is an error",
        arguments: [
            #""\ud800""#, #""\udc00""#, #""\ud800\ud800""#, #""\udc00\ud800""#, #""\udc00\udc00""#, #""\ud800\u0041""#, #""\ud800 \udc00""#,
            #""\ud800\n""#,
            #""\ud83d""#, #""\ud800\x""#,
        ])
    func loneSurrogate(text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSON(parsing: text.utf8) }
        #expect(reason(text) == "half of a surrogate pair stands alone")
        #expect(reason("{\(text):1}") == "half of a surrogate pair stands alone")
    }

    @Test(
        "an unknown or incomplete escape is an error",
        arguments: [#""\x""#, #""\u12""#, #""\u123g""#, #""\U0041""#, #""\'""#, #""\ ""#, #""\u00e""#, #""\u+041""#, "\"\\\u{0}\""])
    func wrongEscape(text: String) {
        #expect(reason(text) == "unknown escape in a string")
    }

    @Test("a control character has to be escaped")
    static func controlRows() {
        each(0..<0x20) { Self().control(byte: $0) }
    }

    func control(byte: Int) {
        #expect(reason("\"a\(Unicode.Scalar(UInt8(byte)))\"") == "a control character in a string has to be escaped")
    }

    @Test("the end inside a string is an error", arguments: ["\"", "\"a", "\"\\", "\"\\u", "\"\\u00", "\"abcdefgh", "\"\\\""])
    func unterminated(text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSON(parsing: text.utf8) }
    }

    static let wellFormed: [[UInt8]] = [
        [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF],
        [0xF0, 0x90, 0x80, 0x80], [0xF3, 0xBF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF],
    ]

    static let illFormed: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xC2, 0xC2], [0xE0, 0x9F, 0xBF], [0xE1, 0x80],
        [0xE1, 0x80, 0x41], [0xE1, 0xC0, 0x80],
        [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80], [0xF1, 0x80, 0x80, 0xC0],
        [0xF1, 0x80, 0x41, 0x80],
        [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xB5, 0xC4],
    ]

    @Test("well-formed UTF-8 is text", arguments: wellFormed)
    func validEncoding(bytes: [UInt8]) throws {
        #expect(try JSON(parsing: [0x22] + bytes + [0x22]).string == String(decoding: bytes, as: UTF8.self))
    }

    @Test("ill-formed UTF-8 is an error, also in values and keys that are not read")
    static func invalidEncodingRows() {
        each(illFormed) { try Self().invalidEncoding(bytes: $0) }
    }

    func invalidEncoding(bytes: [UInt8]) throws {
        let text = [0x22] + bytes + [0x22]
        for document in [text, Array(#"{"code":0,"unread":["#.utf8) + text + Array("]}".utf8), Array("{".utf8) + text + Array(":0}".utf8)] {
            #expect(throws: JSONSyntaxError.self) { try JSON(parsing: document) }
            #expect(throws: JSONSyntaxError.self) { try JSONScan(document, paths: [JSONPath("code")]) }
        }
    }

    @Test("a string is accepted exactly if Swift finds it valid UTF-8, whatever bytes follow the sequence")
    static func everyLeadRows() {
        each(UInt8(0x80)...0xFF) { Self().everyLead(lead: $0) }
    }

    func everyLead(lead: UInt8) {
        let edges: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        for second in edges {
            for third in edges {
                for rest in ["", "abcdefghij", "\u{80}bcdefghij"] {
                    let text = [lead, second, third] + Array(rest.utf8)
                    let isText = text.isUTF8
                    #expect(((try? JSON(parsing: [0x22] + text + [0x22])) != nil) == isText, "\(text)")
                }
            }
        }
    }

    @Test("text of many scripts is read whole", arguments: ["Привет, мир! ", "日本語のテキスト", "한국어 텍스트", "עברית", "😀🌍", "aé€😀"])
    func scripts(text: String) throws {
        for count in 0..<12 {
            let long = String(repeating: "x", count: count) + String(repeating: text, count: count)
            #expect(try JSON(parsing: "[\"\(long)\",\"\(long)\\n\"]".utf8) == [.init(.string(long)), .init(.string(long + "\n"))])
        }
    }

    @Test("written strings escape only the characters that JSON requires")
    func written() {
        let value = JSON(.string("a\"b\\c/d\u{8}\t\n\u{C}\r\u{1}\u{1F}\u{7F}é€😀\u{2028}"))
        #expect(value.text == #""a\"b\\c/d\b\t\n\f\r\u0001\u001f"# + "\u{7F}é€😀\u{2028}\"")
        #expect(JSON(members: [.init(key: "\"\n", value: 1)]).text == #"{"\"\n":1}"#)
    }

    private func reason(_ text: String) -> String? {
        do {
            _ = try JSON(parsing: text.utf8)
            return nil
        } catch {
            return error.reason
        }
    }
}
