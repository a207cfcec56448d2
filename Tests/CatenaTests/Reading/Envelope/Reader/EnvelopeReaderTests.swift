import Foundation
import Testing

@testable import Catena

@Suite("Reading responses", .limitedParallelism)
struct EnvelopeReaderTests {
    static let html = "<html><body>502 Bad Gateway</body></html>"

    static let statuses: [(status: Int, body: String, verdict: Verdict)] = [
        (201, #"{"code":0,"data":1}"#, .payload("1")),
        (202, #"{"code":0,"data":1}"#, .payload("1")),
        (206, #"{"code":0,"data":1}"#, .payload("1")),
        (299, "[1]", .whole),
        (200, "", .empty),
        (204, "", .empty),
        (401, #"{"errcode":40001,"errmsg":"m"}"#, .status(40001, "m")),
        (400, #"{"code":"E01","message":"m"}"#, .status("E01", "m")),
        (500, #"{"code":0,"msg":"m"}"#, .status(500, "m")),
        (500, #"{"code":200}"#, .status(500)),
        (500, #"{"success":false,"code":0}"#, .status(500)),
        (422, #"{"message":"m"}"#, .status(422, "m")),
        (422, #"{"code":"US","name":"x"}"#, .status("US")),
        (200, " \r\n\t", .empty),
        (404, html, .status(404)),
        (404, "", .status(404)),
        (500, #"{"code":"#, .status(500)),
        (503, "[1]", .status(503)),
        (503, "null", .status(503)),
        (304, "", .status(304)),
    ]

    @Test("2xx succeeds, and an error status fails with the business code if there is one")
    static func statusRows() {
        each(statuses) { try Self().status(row: $0) }
    }

    func status(row: (status: Int, body: String, verdict: Verdict)) throws {
        #expect(try Verdict(row.body, status: row.status) == row.verdict)
        // A call for the bytes fails as well.
        if row.status >= 300 { #expect(try Verdict(row.body, status: row.status, decoded: nil) == row.verdict) }
    }

    static let faulty: [String] = [
        "{", #"{"code":0"#, #"{"code":0,}"#, "[1,]", #"{"code":0} x"#, "NaN", html, "ok", "\u{FEFF}", "01",
        #"{"code":0,"data":"\ud800"}"#,
    ]

    @Test("a body that is not JSON is a decoding error where JSON is needed, and only there", arguments: faulty)
    func notJSON(body: String) throws {
        #expect(try Verdict(body) == .notJSON)
        #expect(try Verdict(body, envelope: .raw) == .notJSON)
        #expect(try Verdict(body, decoded: nil) == .whole)
    }

    @Test("invalid UTF-8 is refused, even in a member that is not read")
    func encoding() throws {
        let body = Data(#"{"code":0,"data":1,"unread":""#.utf8) + [0xC3, 0x28] + Data(#""}"#.utf8)
        #expect(try Verdict(answer(body)) == .notJSON)
    }

    @Test("nesting of 100,000 levels is an error, not a crash")
    func depth() throws {
        let brackets = String(repeating: "[", count: 100_000)
        #expect(try Verdict(brackets) == .notJSON)
        #expect(try Verdict(#"{"code":0,"data":"# + brackets) == .notJSON)
    }

    @Test("an error of invalid JSON says what is wrong and where, and shows the first bytes")
    func explanation() throws {
        let reader = EnvelopeReader(envelope: .standard, decoded: JSON.self)
        let error = try #require(throws: APIError.self) {
            try reader.read(answer("<html>\n<p>", headers: ["Content-Type": "application/json"]))
        }
        #expect(
            error.message
                == "Cannot decode JSON: the response is not valid JSON: a value is expected (line 1, column 1), near `<html> <p>`. It begins: <html> <p>"
        )
        #expect(error.status == 200)
        #expect(error.response?.headers["content-type"] == "application/json")
        #expect(error.body == Data("<html>\n<p>".utf8))
    }

    @Test("a call for bytes finds a JSON envelope, and takes no other body for one")
    func anyBody() throws {
        #expect(try Verdict(#"{"code":5,"msg":"m"}"#, decoded: nil) == .business(5, "m"))
        #expect(try Verdict("\n\t {\"code\":5,\"msg\":\"m\"}", decoded: nil) == .business(5, "m"))
        #expect(try Verdict("\u{FEFF}{\"code\":5,\"msg\":\"m\"}", decoded: nil) == .business(5, "m"))
        #expect(try Verdict(answer(Data([0x89, 0x50, 0x4E, 0x47])), decoded: nil) == .whole)
        #expect(try Verdict("code=5", decoded: nil) == .whole)
    }

    @Test("a byte order mark does not move the payload")
    func byteOrderMark() throws {
        #expect(try Verdict("\u{FEFF}{\"code\":0,\"data\":[1]}") == .payload("[1]"))
    }

    @Test("a slice of a larger buffer is read within its own bounds")
    func slice() throws {
        let padded = Data("xxxx{\"code\":0,\"data\":[1]}".utf8)
        #expect(try Verdict(answer(padded.dropFirst(4))) == .payload("[1]"))
        #expect(try Verdict(answer(padded.dropFirst(4)), decoded: nil) == .payload("[1]"))
    }

    @Test("an error keeps the beginning of the body and no more")
    func boundedBody() throws {
        let body = String(repeating: "x", count: 200_000)
        let error = try #require(throws: APIError.self) {
            try EnvelopeReader(envelope: .standard, decoded: nil).read(answer(body, status: 500))
        }
        #expect(error.body?.count == 65_536)
        #expect(error.body?.startIndex == 0)
    }
}
