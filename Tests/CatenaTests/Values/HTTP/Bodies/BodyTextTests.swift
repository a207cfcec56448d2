import CatenaTesting
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

    @Test("JSON in any Unicode encoding is read without a declared charset", arguments: unicode)
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
        // Some servers declare this charset for everything by default, so that valid UTF-8 stays unchanged.
        ("application/json; charset=ISO-8859-1", [0xC3, 0xA9], "é"),
        ("application/json; charset=x-unknown", [0xC3, 0xA9], "é"),
        ("application/json; charset", [0xC3, 0xA9], "é"),
        (#"application/json; title="a;charset=gbk""#, [0xC3, 0xA9], "é"),
        (#"application/json; title="a\";charset=gbk;\"""#, [0xC3, 0xA9], "é"),
        (#"application/json; title="a;b"; charset="gbk""#, [0xC4, 0xE3, 0xBA, 0xC3], "你好"),
        ("application/json; charset='gbk'", [0xC4, 0xE3, 0xBA, 0xC3], "你好"),
        (#"application/json; charset="g\bk""#, [0xC4, 0xE3, 0xBA, 0xC3], "你好"),
        ("application/json", [0xC3, 0xA9], "é"),
    ]

    @Test("a declared charset is used to decode the body", arguments: declared.indices)
    func followed(row: Int) throws {
        let (contentType, message, expected) = Self.declared[row]
        let body = Data(#"{"code":7,"msg":""#.utf8) + Data(message) + Data(#""}"#.utf8)
        #expect(try Verdict(answer(body, headers: ["Content-Type": contentType])) == .business(7, expected))
        #expect(try Verdict(answer(body, status: 500, headers: ["Content-Type": contentType])) == .status(7, expected))
    }

    @Test(
        "a byte that is invalid in the charset makes JSON invalid, and in text replaces no other character",
        arguments: ["gbk", "gb18030", "shift_jis"])
    func oneBadByte(charset: String) async throws {
        let name = String(repeating: "abc, ", count: 40)
        let text = Data("{\"name\":\"\(name)".utf8) + [0xA7, 0x41, 0xFF] + Data("\", \"rest\": 1}".utf8)
        let client = Client(
            transport: ClosureTransport { _ in
                TransportResponse(status: 200, headers: ["Content-Type": "text/plain; charset=\(charset)"], body: TransportBody(text))
            })
        client.defaultHost = "https://example.com"
        let string = try await client.get("/").execute(.string).value
        #expect(string.hasPrefix("{\"name\":\"\(name)"))
        #expect(string.hasSuffix("\u{FFFD}\", \"rest\": 1}"))
        #expect(string.count(where: { $0 == "\u{FFFD}" }) == 1)
        let headers: HTTPHeaders = ["Content-Type": "application/json; charset=\(charset)"]
        #expect(try Verdict(answer(text, headers: headers)) == .notJSON)
    }

    @Test("decoding text that is not in its charset takes bounded time, and leaves the bytes after a thousand invalid ones unchanged")
    func anotherEncoding() throws {
        let body = Data(repeating: 0xFF, count: 1_000_000)
        #expect(try BodyText.utf8(of: answer(body, headers: ["Content-Type": "text/plain; charset=gbk"])) == body)
        let long = Data(repeating: 0x41, count: 1_000_000) + [0xFF] + Data(repeating: 0x42, count: 1_000_000)
        #expect(try BodyText.utf8(of: answer(long, headers: ["Content-Type": "text/plain; charset=gbk"])) == long)
    }

    static let labels: [(label: String, bytes: [UInt8], text: String)] = [
        ("cp936", [0xC4, 0xE3], "你"), ("x-gbk", [0xC4, 0xE3], "你"), ("gb_2312-80", [0xC4, 0xE3], "你"),
        ("gb18030", [0x81, 0x30, 0x84, 0x36], "¥"),
        ("big5-hkscs", [0xA7, 0x41], "你"), ("ks_c_5601-1987", [0xC7, 0xD1], "한"), ("sjis", [0x93, 0xFA], "日"),
        ("windows-31j", [0x87, 0x40], "①"),
        ("MS_Kanji", [0x93, 0xFA], "日"), ("euc-jp", [0xC6, 0xFC, 0x8E, 0xB1, 0x41, 0xA4, 0xA2, 0xA5, 0xF6], "日ｱAあヶ"),
        ("euc-jp", [0xFF, 0xC6, 0xFC], "\u{FFFD}日"),
        ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
        ("iso-8859-2", [0xB1], "ą"), ("latin2", [0xB1], "ą"), ("iso-8859-5", [0xB1], "Б"), ("iso-8859-15", [0xA4], "€"),
        ("windows-1250", [0x8A], "Š"),
        ("windows-1251", [0xCF], "П"), ("cp1251", [0xCF], "П"), ("koi8-r", [0xF0], "П"), ("cp1252", [0x80], "€"), ("latin1", [0x80], "€"),
        ("windows-874", [0xA1], "ก"), ("ibm866", [0x8F], "П"), ("macintosh", [0x80], "Ä"), ("windows-1256", [0xC7], "ا"),
        ("utf-16be", [0x4F, 0x60], "你"),
        ("gbk", [0x80, 0xC4, 0xE3], "€你"), ("gbk", [0xA2, 0xE3], "€"),
        ("big5", [0xA1, 0xFE, 0xA2, 0x40, 0xA3, 0xE1, 0xA1, 0x45, 0xA2, 0x44], "／＼€‧￥"),
        ("big5-hkscs", [0x88, 0x62, 0xA7, 0x41], "\u{CA}\u{304}你"),
        ("iso-2022-jp", [0x1B, 0x28, 0x49, 0x31, 0x1B, 0x28, 0x42, 0x31], "ｱ1"), ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x2D, 0x21], "①"),
        ("iso-2022-jp", [0x1B, 0x28, 0x4A, 0x41, 0x0A, 0x1B, 0x24, 0x40, 0x46, 0x7C, 0x0A], "A\n日\n"),
        // In none of these can decoding go on behind an invalid byte.
        ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46], "\u{1B}$BF"), ("iso-2022-jp", [0x1B, 0x24], "\u{1B}$"),
        ("iso-2022-jp", [0x41, 0x0E], "A\u{E}"),
        // Vietnamese joins a letter and the accent behind it.
        ("windows-1258", [0x61, 0xCC], "à"), ("windows-1258", [0x61], "a"), ("cp949", [0x41, 0xFF, 0xB0, 0xA1], "A\u{FFFD}가"),
    ]

    @Test("a charset is recognized by each of its labels in the WHATWG Encoding Standard")
    static func labelledRows() {
        each(labels.indices) { try Self().labelled(row: $0) }
    }

    func labelled(row: Int) throws {
        let (label, bytes, text) = Self.labels[row]
        var response = try answer(Data(bytes), headers: ["Content-Type": "text/plain; charset=\(label)"])
        #expect(String(decoding: BodyText.utf8(of: response), as: UTF8.self) == text)
        response = try answer(Data(bytes))
        response.assumedCharset = label
        #expect(String(decoding: BodyText.utf8(of: response), as: UTF8.self) == text)
    }

    @Test("a tag's charset applies to responses that declare none")
    func assumed() async throws {
        let gbk = Data(#"{"code":0,"data":{"name":""#.utf8) + [0xC4, 0xE3, 0xBA, 0xC3] + Data(#""}}"#.utf8)
        let bodies = [
            "/gbk": (gbk, "application/json"), "/utf8": (Data(#"{"code":0,"data":{"name":"你好"}}"#.utf8), "application/json; charset=utf-8"),
        ]
        let client = Client(
            transport: ClosureTransport { request in
                let (body, type) = bodies[request.url.path] ?? (Data(), "")
                return TransportResponse(status: 200, headers: ["Content-Type": type], body: TransportBody(body))
            })
        client.configure("old") { old in
            old.host = "https://example.com"
            old.charset = "GBK"
        }
        for path in bodies.keys {
            #expect(try await client.tag("old").get(path).value().name.string == "你好")
            var lines: [String] = []
            for try await line in client.tag("old").get(path).lines() { lines.append(line) }
            #expect(lines.first?.contains("你好") == true)
        }
    }

    @Test("text is delivered without its byte order mark")
    func mark() async throws {
        let client = Client(transport: ClosureTransport { _ in .text("\u{FEFF}abc") })
        client.defaultHost = "https://example.com"
        #expect(try await client.get("/").execute(.string).value == "abc")
    }

    @Test("JSON with bytes that are invalid in its charset is refused")
    func unfit() throws {
        let body = Data(#"{"code":0,"data":""#.utf8) + [0xFF, 0xFF] + Data(#""}"#.utf8)
        #expect(try Verdict(answer(body, headers: ["Content-Type": "application/json; charset=shift_jis"])) == .notJSON)
        #expect(try Verdict(answer(body)) == .notJSON)
    }

    @Test("short bodies are not taken for another encoding", arguments: ["", "1", "{}", "[]", "[1]"])
    func short(body: String) throws {
        #expect(try BodyText.utf8(of: answer(body)) == Data(body.utf8))
    }
}
