import Foundation
import Testing

@testable import Catena

@Suite("The standard envelope", .limitedParallelism)
struct EnvelopeTests {
    typealias Row = (body: String, verdict: Verdict)

    static let codes: [Row] = [
        // Success: 0 and 200, as numbers or as text.
        (#"{"code":0,"data":1}"#, .payload("1")),
        (#"{"code":200,"data":1}"#, .payload("1")),
        (#"{"code":"0","data":1}"#, .payload("1")),
        (#"{"code":"200","data":1}"#, .payload("1")),
        (#"{"code":0.0,"data":1}"#, .payload("1")),
        (#"{"code":-0,"data":1}"#, .payload("1")),
        (#"{"code":2e2,"data":1}"#, .payload("1")),
        // No other value is taken for 0.
        (#"{"code":-1,"msg":"m"}"#, .business(-1, "m")),
        (#"{"code":1,"msg":"m"}"#, .business(1, "m")),
        (#"{"code":"E01","msg":"m"}"#, .business("E01", "m")),
        (#"{"code":"SUCCESS","data":1}"#, .payload("1")),
        (#"{"code":"12abc","data":1}"#, .business("12abc")),
        (#"{"code":"","data":1}"#, .payload("1")),
        (#"{"code":" 0","data":1}"#, .business(" 0")),
        (#"{"code":"00","data":1}"#, .payload("1")),
        (#"{"code":"0.0","data":1}"#, .business("0.0")),
        (#"{"code":0.5,"data":1}"#, .business("0.5")),
        // A boolean is not a code.
        (#"{"code":false,"data":1}"#, .payload("1")),
        (#"{"code":true,"data":1}"#, .payload("1")),
        // Arrays and objects are not codes.
        (#"{"code":{"a":1},"data":1}"#, .payload("1")),
        (#"{"code":[0],"data":1}"#, .payload("1")),
        (#"{"errcode":{},"x":1}"#, .whole),
        (#"{"code":{}}"#, .whole),
        // Codes of any size keep their value.
        (#"{"code":9007199254740993,"data":1}"#, .business(9_007_199_254_740_993)),
        (#"{"code":-9223372036854775808,"data":1}"#, .business(.integer(.min))),
        (#"{"code":18446744073709551616,"data":1}"#, .business("18446744073709551616")),
        (#"{"code":1e400,"data":1}"#, .business("1e400")),
    ]

    @Test("codes are compared by type and value")
    static func codeRows() {
        each(codes) { try Self().code(row: $0) }
    }

    func code(row: Row) throws {
        #expect(try Verdict(row.body) == row.verdict)
    }

    /// The verdicts for values of an unambiguous code, whichever its key.
    static let values: [(value: String, verdict: Verdict)] = [
        ("null", .whole), ("0", .whole), (#""0""#, .whole), ("0.0", .whole), ("200", .whole), (#""200""#, .whole), (#""Ok""#, .whole),
        ("true", .whole), ("-1", .business(-1)), (#""E01""#, .business("E01")),
        ("9007199254740993", .business(9_007_199_254_740_993)),
    ]

    static let spellings = [
        "errcode", "errCode", "ErrCode", "err_code", "Err-Code", "errorno", "errno", "error_code", "errorCode", "err_no", "ecode",
    ]

    @Test("every spelling of the code's key is read alike")
    static func spellingRows() {
        each(spellings, values) { try Self().spelling(key: $0, row: $1) }
    }

    func spelling(key: String, row: (value: String, verdict: Verdict)) throws {
        #expect(try Verdict("{\"\(key)\":\(row.value),\"name\":\"x\"}") == row.verdict)
    }

    static let detection: [Row] = [
        // `code` is too common a member to make an envelope on its own.
        (#"{"code":"US","name":"x"}"#, .whole),
        (#"{"code":86,"name":"China"}"#, .whole),
        (#"{"code":null,"data":1}"#, .payload("1")),
        (#"{"code":{"coding":[]},"name":"x"}"#, .whole),
        (#"{"code":0}"#, .missing),
        (#"{"code":500}"#, .business(500)),
        (#"{"code":0,"data":null}"#, .missing),
        (#"{"code":0,"msg":null,"name":"x"}"#, .whole),
        (#"{"code":7,"message":"m","name":"x"}"#, .business(7, "m")),
        (#"{"errcode":0,"name":"x"}"#, .whole),
        (#"{"errno":3,"name":"x"}"#, .business(3)),
        // Without a code, an object is an envelope if it has only an envelope's keys.
        (#"{"data":[1]}"#, .payload("[1]")),
        (#"{"msg":"m","data":[1]}"#, .payload("[1]")),
        (#"{"data":[1],"name":"x"}"#, .whole),
        (#"{"data":null}"#, .payload("null")),
        ("{}", .whole),
        ("[]", .whole),
        (#"[{"code":5,"msg":"m"}]"#, .business(5, "m")),
        ("7", .whole),
        (#""text""#, .whole),
        ("false", .whole),
        ("null", .missing),
        // Inner objects are searched if the outermost one has no sign.
        (#"{"user":{"errcode":5}}"#, .business(5)),
        (#"{"error":{"code":5,"message":"m"}}"#, .business(5, "m")),
        (#"{"error":{"code":5,"message":"m"},"name":"x"}"#, .business(5, "m")),
        (#"{"error":{"state":5},"name":"x"}"#, .whole),
        (#"{"code":0,"data":{"code":9,"msg":"inner"}}"#, .payload(#"{"code":9,"msg":"inner"}"#)),
    ]

    @Test("an object is an envelope if it has a clear sign or only an envelope's keys")
    static func isEnvelopeRows() {
        each(detection) { try Self().isEnvelope(row: $0) }
    }

    func isEnvelope(row: Row) throws {
        #expect(try Verdict(row.body) == row.verdict)
    }

    static let precedence: [Row] = [
        (#"{"code":500,"errcode":0,"data":1}"#, .payload("1")),
        (#"{"code":0,"errcode":500,"data":1}"#, .business(500)),
        (#"{"errcode":null,"code":5,"msg":"m"}"#, .business(5, "m")),
        (#"{"errorno":1,"code":0,"data":2}"#, .business(1)),
        (#"{"errCode":1,"errorno":2}"#, .business(1)),
        (#"{"code":1,"msg":"b","errmsg":"a"}"#, .business(1, "b")),
        (#"{"code":1,"message":"c","errMsg":"d","msg":null}"#, .business(1, "c")),
        (#"{"code":1,"message":"c"}"#, .business(1, "c")),
        (#"{"code":1,"msg":"","message":"c"}"#, .business(1, "c")),
        (#"{"code":0,"data":"","ret":2}"#, .payload("2")),
        (#"{"code":0,"data":"","ret":null}"#, .payload(#""""#)),
        (#"{"code":0,"ret":2,"data":1}"#, .payload("1")),
        (#"{"code":0,"data":null,"ret":{}}"#, .payload("{}")),
        (#"{"code":0,"data":null,"ret":null,"result":3}"#, .payload("3")),
        // The first of two equal keys counts, for the verdict as for the payload.
        (#"{"code":0,"code":1,"data":1,"data":2}"#, .payload("1")),
        (#"{"code":1,"code":0,"data":1}"#, .business(1)),
        (#"{"\u0063ode":7,"msg":"m"}"#, .business(7, "m")),
    ]

    @Test("the first place that exists and is not null counts", arguments: precedence)
    func firstPlace(row: Row) throws {
        #expect(try Verdict(row.body) == row.verdict)
    }

    static let flags: [Row] = [
        (#"{"success":true,"data":1}"#, .payload("1")),
        (#"{"success":true}"#, .missing),
        (#"{"success":false}"#, .business("false")),
        (#"{"success":false,"code":0,"data":1,"msg":"m"}"#, .business("false", "m")),
        (#"{"success":false,"code":31,"msg":"m"}"#, .business(31, "m")),
        (#"{"success":true,"code":31,"msg":"m"}"#, .missing),
        (#"{"success":true,"code":0,"data":1}"#, .payload("1")),
        (#"{"success":0,"data":1}"#, .business("false")),
        (#"{"success":"0","data":1}"#, .business("false")),
        (#"{"success":"False","data":1}"#, .business("false")),
        (#"{"success":"false","data":1,"name":"x"}"#, .business("false")),
        (#"{"success":null,"data":1}"#, .payload("1")),
        // Flags count beside other keys, too.
        (#"{"success":0,"data":1,"name":"x"}"#, .business("false")),
        (#"{"success":false,"name":"x"}"#, .business("false")),
        (#"{"success":3,"data":1}"#, .payload("1")),
        (#"{"status":false,"msg":"m"}"#, .business("false", "m")),
        (#"{"status":"false","msg":"m"}"#, .business("false", "m")),
    ]

    @Test("a flag decides, whatever the code says")
    func flag() {
        each(Self.flags) { row in
            let verdict = try Verdict(row.body)
            #expect(verdict == row.verdict)
        }
    }

    static let payloads = ["[]", "{}", "0", "false", #""""#, #""[1]""#, "[1, 2 ]", "1e400", #"{"a": "\u00e9"}"#]

    @Test("any value but null is a payload, byte for byte", arguments: payloads)
    func payload(text: String) throws {
        #expect(try Verdict(" {\n\"data\" : \(text) , \"code\":0}") == .payload(text))
    }

    static let messages: [(json: String, message: String)] = [
        (#""m""#, "m"), (#""a\n\u4f60""#, "a\n你"), ("null", ""), ("7", "7"), ("false", ""), (#"{"en": "m"}"#, #"{"en":"m"}"#),
        (#"["a"]"#, "a"), (#"["a","b"]"#, "a"),
    ]

    @Test("a message that is no string is its JSON text, and of a list its first words", arguments: messages)
    func message(row: (json: String, message: String)) throws {
        #expect(try Verdict("{\"code\":1,\"msg\":\(row.json)}") == .business(1, row.message))
    }

    @Test("a success has its code and message")
    func success() throws {
        let reader = EnvelopeReader(envelope: .standard, decoded: JSON.self)
        let reading = try reader.read(answer(#"{"code":"200","msg":"done","data":1}"#))
        #expect(reading.code == "200")
        #expect(reading.message == "done")
        let plain = try reader.read(answer(#"{"code":"US","name":"x"}"#))
        #expect(plain.code == nil)
        #expect(plain.message == "")
    }
}

@Suite("Guesses of the standard envelope", .limitedParallelism)
struct EnvelopeGuessTests {
    typealias Row = (body: String, status: Int, verdict: Verdict)

    static let rows: [Row] = [
        // `ret` is a code beside a message, a payload elsewhere.
        (#"{"ret":-1,"msg":"m"}"#, 200, .business(-1, "m")),
        (#"{"ret":0,"msg":"m","data":1}"#, 200, .payload("1")),
        (#"{"ret":0,"msg":"m"}"#, 200, .missing),
        (#"{"ret":7,"code":0,"msg":"m"}"#, 200, .payload("7")),
        (#"{"ret":"7","msg":"m"}"#, 200, .payload(#""7""#)),
        (#"{"ret":1.5,"msg":"m"}"#, 200, .payload("1.5")),
        (#"{"ret":7}"#, 200, .payload("7")),
        // Numbers in `error` and `status`.
        (#"{"error":0,"data":1}"#, 200, .payload("1")),
        (#"{"error":5,"msg":"m"}"#, 200, .business(5, "m")),
        (#"{"error":5,"name":"x"}"#, 200, .whole),
        (#"{"error":"0","data":1}"#, 200, .payload("1")),
        (#"{"status":0,"data":1}"#, 200, .payload("1")),
        (#"{"status":3,"data":null,"msg":"m"}"#, 200, .business(3, "m")),
        (#"{"status":3,"msg":"m"}"#, 200, .business(3, "m")),
        // Values of `error` as markers.
        (#"{"error":true}"#, 200, .business("false")),
        (#"{"error":true,"name":"x"}"#, 200, .whole),
        (#"{"error":"some words","name":"x"}"#, 200, .business("false", "some words")),
        (#"{"error":{"code":null,"message":null},"name":"x"}"#, 200, .whole),
        (#"{"error":{},"data":1}"#, 200, .payload("1")),
        (#"{"errors":{},"data":1}"#, 200, .payload("1")),
        (#"{"errors":"words"}"#, 200, .business("false", "words")),
        (#"{"errors":["words"]}"#, 200, .business("false", "words")),
        (#"{"errors":["words"],"name":"x"}"#, 200, .whole),
        (#"{"code":0,"error":{"message":"m"},"data":1}"#, 200, .payload("1")),
        (#"{"success":true,"error":{"message":"m"},"data":1}"#, 200, .payload("1")),
        (#"{"status":"ok","error":{"message":"m"},"data":1}"#, 200, .business("false", "m")),
        // Words at `status`.
        (#"{"status":"Failed","msg":"m"}"#, 200, .business("Failed", "m")),
        (#"{"status":"FAIL","code":0,"data":1}"#, 200, .payload("1")),
        (#"{"status":"pending","data":1}"#, 200, .payload("1")),
        // A payload that is only guessed.
        (#"{"result":1,"jsonrpc":"2.0","id":7}"#, 200, .payload("1")),
        (#"{"result":1,"id":7}"#, 200, .whole),
        (#"{"result":1,"msg":""}"#, 200, .whole),
        (#"{"result":1,"success":true}"#, 200, .payload("1")),
        (#"{"data":1,"total":7,"page":1,"trace_id":"t"}"#, 200, .payload("1")),
        // Code and message of a failure.
        (#"{"error":"invalid_grant"}"#, 400, .status("invalid_grant", "invalid_grant")),
        (#"{"error":"Invalid grant"}"#, 400, .status(400, "Invalid grant")),
        (#"{"error":"参数错误"}"#, 400, .status(400, "参数错误")),
        (#"{"error":{"type":"t"},"detail":"d"}"#, 400, .status("t", "d")),
        (#"{"detail":[{"msg":"m"}]}"#, 422, .status(422, "m")),
        (#"{"title":"t","description":"d"}"#, 400, .status(400, "d")),
        (#"{"errors":[{"title":"t"}]}"#, 400, .status(400, "t")),
        (#"{"errors":[{"extensions":{"code":"E"},"message":"m"}]}"#, 200, .business("E", "m")),
        (#"{"code":0,"error":{"code":"E"}}"#, 500, .status("E")),
        (#"{"status":"error"}"#, 500, .status(500)),
    ]

    @Test("each ambiguous body has one outcome")
    static func guessRows() {
        each(Self.rows) { try Self().guess(row: $0) }
    }

    func guess(row: Row) throws {
        #expect(try Verdict(row.body, status: row.status) == row.verdict)
    }

    @Test("escaped keys are equal to plain ones, and the first of two equal keys counts")
    func spelling() throws {
        #expect(try Verdict(#"{"\u0073uccess":false,"m\u0073g":"m"}"#) == .business("false", "m"))
        #expect(try Verdict(#"{"data":1,"data":2,"\u006eame":"x"}"#) == .whole)
        #expect(try Verdict(#"{"error":null,"error":{"code":5}}"#) == .missing)
    }
}
