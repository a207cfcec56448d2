import Foundation
import Testing

@testable import Catena

/// The verdicts for responses that other clients read differently.
@Suite("The truth table of responses", .limitedParallelism)
struct EnvelopeTruthTableTests {
    typealias Row = (status: Int, body: String, verdict: Verdict)

    static let table: [Row] = [
        (200, #"{"code":0,"data":"X"}"#, .payload(#""X""#)),
        (200, #"{"code":200,"data":"X"}"#, .payload(#""X""#)),
        (200, #"{"code":"0","data":"X"}"#, .payload(#""X""#)),
        (200, #"{"code":"200","data":"X"}"#, .payload(#""X""#)),
        (200, #"{"code":0,"data":null,"ret":"Y"}"#, .payload(#""Y""#)),
        (200, #"{"code":0}"#, .missing),
        (200, #"{"code":0,"data":null}"#, .missing),
        (200, #"{"data":[],"code":0}"#, .payload("[]")),
        (200, #"{"data":0,"code":0}"#, .payload("0")),
        (200, #"{"data":false,"code":0}"#, .payload("false")),
        (200, #"{"data":"","code":0}"#, .payload(#""""#)),
        (200, "[1,2]", .whole),
        (200, #"{"errcode":0,"code":500}"#, .missing),
        (200, #"{"errcode":null,"code":5,"msg":"m"}"#, .business(5, "m")),
        (200, #"{"code":-1,"msg":"m"}"#, .business(-1, "m")),
        (200, #"{"code":"ERR_TOKEN"}"#, .business("ERR_TOKEN")),
        (200, #"{"code":"ERR_TOKEN","msg":null}"#, .business("ERR_TOKEN")),
        (200, #"{"code":"12abc","data":null}"#, .business("12abc")),
        (200, #"{"code":0.5}"#, .business("0.5")),
        (200, #"{"code":true,"msg":""}"#, .whole),
        (200, #"{"code":{"a":1},"msg":"m"}"#, .whole),
        (200, #"{"code":[1],"msg":"m"}"#, .whole),
        (200, #"{"code":86,"name":"China"}"#, .whole),
        (200, "", .empty),
        (200, " ", .empty),
        (200, #"{"code":"#, .notJSON),
        (200, #""fragment""#, .whole),
        (201, #"{"code":0,"data":"X"}"#, .payload(#""X""#)),
        (202, #"{"code":0,"data":"X"}"#, .payload(#""X""#)),
        (206, #"{"code":0,"data":"X"}"#, .payload(#""X""#)),
        (204, "", .empty),
        (401, #"{"errcode":40001,"errmsg":"m"}"#, .status(40001, "m")),
        (500, #"{"code":0,"msg":"m"}"#, .status(500, "m")),
        (500, #"{"code":200}"#, .status(500)),
        (404, "<html>", .status(404)),
    ]

    @Test("every row of the table has one outcome")
    static func tableRowRows() {
        each(table) { try Self().tableRow(row: $0) }
    }

    func tableRow(row: Row) throws {
        #expect(try Verdict(row.body, status: row.status) == row.verdict)
    }

    @Test(
        "JSON is read even if its media type says otherwise", arguments: ["text/html", "text/plain", "application/octet-stream"])
    func contentType(contentType: String) throws {
        let response = try answer(#"{"code":5,"msg":"m"}"#, headers: ["Content-Type": contentType])
        #expect(try Verdict(response) == .business(5, "m"))
    }

    /// Responses that other clients are known to misread.
    static let traps: [Row] = [
        // Negative codes and unknown words are failures.
        (200, #"{"code":-7,"data":1}"#, .business(-7)),
        (200, #"{"code":"SUCCESSFUL","data":1}"#, .business("SUCCESSFUL")),
        (200, #"{"code":"E1001","data":1}"#, .business("E1001")),
        (200, #"{"code":"abc","data":1}"#, .business("abc")),
        // `message` is read as a message.
        (200, #"{"code":7,"message":"m"}"#, .business(7, "m")),
        // A missing code is not 0.
        (200, #"{"msg":"m","data":1}"#, .payload("1")),
        // "0", 0 and 0.0 are the same code. A boolean is not a code.
        (200, #"{"code":"0","data":1}"#, .payload("1")),
        (200, #"{"code":0.0,"data":1}"#, .payload("1")),
        (200, #"{"code":false,"data":1}"#, .payload("1")),
        (200, #"{"code":true,"data":1}"#, .payload("1")),
        // Empty arrays and empty text are payloads.
        (200, #"{"code":0,"data":[]}"#, .payload("[]")),
        (200, #"{"code":0,"data":""}"#, .payload(#""""#)),
        (200, #"{"code":0,"data":"{\"a\":1}"}"#, .payload(#""{\"a\":1}""#)),
        // A message of another type is its JSON text, or the text within an array.
        (200, #"{"code":1,"msg":{"en":"m"}}"#, .business(1, #"{"en":"m"}"#)),
        (200, #"{"code":1,"msg":["a"]}"#, .business(1, "a")),
        (200, #"{"error":{"code":5,"message":"m"}}"#, .business(5, "m")),
        (200, #"{"code":"US","name":"United States"}"#, .whole),
        (200, #"[{"code":5,"msg":"m"}]"#, .business(5, "m")),
        (200, #"{"success":false,"code":0,"msg":"m"}"#, .business("false", "m")),
        (200, #"{"code":500,"errcode":0,"data":1}"#, .payload("1")),
        (200, #"{"code":9007199254740993,"data":1}"#, .business(9_007_199_254_740_993)),
        (200, #"{"code":18446744073709551615,"data":1}"#, .business("18446744073709551615")),
        // All calls read alike: the first of two equal keys counts, and invalid JSON is always refused.
        (200, #"{"code":0,"code":1,"data":1}"#, .payload("1")),
        (200, #"{"code":0,"data":1,}"#, .notJSON),
        (200, #"{"code":0,"data":1} trailing"#, .notJSON),
        (200, #"{"code":0,"data":"\ud800"}"#, .notJSON),
        // A number out of every range does not matter where it is not read.
        (200, #"{"code":0,"data":1,"unread":1e400}"#, .payload("1")),
    ]

    @Test("every response that others misread has one outcome")
    static func trapRows() {
        each(traps) { try Self().trap(row: $0) }
    }

    func trap(row: Row) throws {
        #expect(try Verdict(row.body, status: row.status) == row.verdict)
    }

    @Test("a byte that is invalid in UTF-8 is refused, even in a member that is not read")
    func invalidText() throws {
        let body = Data(#"{"code":0,"data":1,"x":""#.utf8) + [0xFF] + Data(#""}"#.utf8)
        #expect(try Verdict(answer(body)) == .notJSON)
    }

    @Test("a message in GBK is read")
    func charset() throws {
        let body = Data(#"{"code":1,"msg":""#.utf8) + [0xC4, 0xE3] + Data(#""}"#.utf8)
        #expect(try Verdict(answer(body, headers: ["Content-Type": "application/json; charset=gbk"])) == .business(1, "你"))
    }
}
