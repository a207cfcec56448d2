import Foundation
import Testing

@testable import Catena

@Suite("Character sets of bodies", .limitedParallelism)
struct BodyTextTests {
    static let json = #"{"code":7,"msg":"é"}"#

    static let unicode: [(name: String, mark: [UInt8], encoding: String.Encoding)] = [
        ("UTF-16LE", [], .utf16LittleEndian), ("UTF-16BE", [], .utf16BigEndian),
        ("UTF-32LE", [], .utf32LittleEndian), ("UTF-32BE", [], .utf32BigEndian),
        ("UTF-16LE with a mark", [0xFF, 0xFE], .utf16LittleEndian), ("UTF-16BE with a mark", [0xFE, 0xFF], .utf16BigEndian),
        ("UTF-32LE with a mark", [0xFF, 0xFE, 0, 0], .utf32LittleEndian), ("UTF-32BE with a mark", [0, 0, 0xFE, 0xFF], .utf32BigEndian),
        ("UTF-8 with a mark", [0xEF, 0xBB, 0xBF], .utf8), ("UTF-8", [], .utf8),
    ]

    @Test("JSON in any form of Unicode is read without being told", arguments: unicode)
    func recognised(row: (name: String, mark: [UInt8], encoding: String.Encoding)) throws {
        let body = Data(row.mark) + (try #require(Self.json.data(using: row.encoding)))
        #expect(try Verdict(answer(body)) == .business(7, "é"))
        #expect(try Verdict(answer(body), decoded: nil) == .business(7, "é"))
    }

    static let declared: [(contentType: String, message: [UInt8], expected: String)] = [
        ("application/json; charset=GBK", [0xC4, 0xE3, 0xBA, 0xC3], "你好"),
        ("application/json;charset=\"gb2312\"", [0xC4, 0xE3, 0xBA, 0xC3], "你好"),
        // These two bytes are valid UTF-8 by accident.
        ("text/html; q=1; Charset = gb18030", [0xC4, 0xA3], "模"),
        ("application/json; charset=Big5", [0xA7, 0x41, 0xA6, 0x6E], "你好"),
        ("application/json; charset=Shift_JIS", [0x93, 0xFA], "日"),
        ("application/json; charset=EUC-KR", [0xC7, 0xD1], "한"),
        ("application/json; charset=ISO-8859-1", [0xE9], "é"),
        ("application/json; charset=windows-1252", [0x80], "€"),
        // Said of everything by default, so that what is UTF-8 is left alone.
        ("application/json; charset=ISO-8859-1", [0xC3, 0xA9], "é"),
        ("application/json; charset=x-unknown", [0xC3, 0xA9], "é"),
        ("application/json; charset", [0xC3, 0xA9], "é"),
        ("application/json", [0xC3, 0xA9], "é"),
    ]

    @Test("a declared charset is followed", arguments: declared.indices)
    func followed(row: Int) throws {
        let (contentType, message, expected) = Self.declared[row]
        let body = Data(#"{"code":7,"msg":""#.utf8) + Data(message) + Data(#""}"#.utf8)
        #expect(try Verdict(answer(body, headers: ["Content-Type": contentType])) == .business(7, expected))
        #expect(try Verdict(answer(body, status: 500, headers: ["Content-Type": contentType])) == .status(7, expected))
    }

    @Test("text that its charset does not fit stays as it is")
    func unfit() throws {
        let body = Data(#"{"code":0,"data":""#.utf8) + [0xFF, 0xFF] + Data(#""}"#.utf8)
        #expect(try Verdict(answer(body, headers: ["Content-Type": "application/json; charset=shift_jis"])) == .notJSON)
        #expect(try Verdict(answer(body)) == .notJSON)
    }

    @Test("short bodies are not mistaken for anything", arguments: ["", "1", "{}", "[]", "[1]"])
    func short(body: String) throws {
        #expect(try BodyText.utf8(of: answer(body)) == Data(body.utf8))
    }
}
