import Foundation
import Testing

@testable import CatenaTesting

@Suite("Multipart bodies", .limitedParallelism) struct MultipartBodyTests {
    @Test(
        "a parsed multipart body is encoded to the same bytes, also with parts without headers",
        arguments: [
            "--x\r\n\r\n\r\n--x--\r\n", "--x\r\n\r\na\r\n--x--\r\n",
            "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--x\r\n\r\nc\r\n--x--\r\n",
        ])
    func encoded(_ text: String) throws {
        let body = try #require(MultipartBody(Data(text.utf8), contentType: "multipart/form-data; boundary=x"))
        #expect(String(decoding: body.encoded, as: UTF8.self) == text)
    }

    @Test("the name of a part is the text between the quotes", arguments: ["a", "a b", "名", "\u{301}a", "a\u{301}", "%22"])
    func name(_ name: String) throws {
        let text = "--x\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"b\"\r\n\r\nc\r\n--x--\r\n"
        let body = try #require(MultipartBody(Data(text.utf8), contentType: "multipart/form-data; boundary=x"))
        #expect(body.parts.map(\.name) == [name])
    }
}
