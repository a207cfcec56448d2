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
        // Nothing else is taken for 0.
        (#"{"code":-1,"msg":"m"}"#, .business(-1, "m")),
        (#"{"code":1,"msg":"m"}"#, .business(1, "m")),
        (#"{"code":"E01","msg":"m"}"#, .business("E01", "m")),
        (#"{"code":"SUCCESS","data":1}"#, .business("SUCCESS")),
        (#"{"code":"12abc","data":1}"#, .business("12abc")),
        (#"{"code":"","data":1}"#, .business("")),
        (#"{"code":" 0","data":1}"#, .business(" 0")),
        (#"{"code":"00","data":1}"#, .business("00")),
        (#"{"code":"0.0","data":1}"#, .business("0.0")),
        (#"{"code":0.5,"data":1}"#, .business("0.5")),
        (#"{"code":false,"data":1}"#, .business("false")),
        (#"{"code":true,"data":1}"#, .business("true")),
        (#"{"code":{"a":1},"data":1}"#, .business(#"{"a":1}"#)),
        (#"{"code":[0],"data":1}"#, .business("[0]")),
        (#"{"errcode":{},"x":1}"#, .business("{}")),
        (#"{"code":{}}"#, .business("{}")),
        // Codes keep their value whatever their size.
        (#"{"code":9007199254740993,"data":1}"#, .business(9_007_199_254_740_993)),
        (#"{"code":-9223372036854775808,"data":1}"#, .business(.integer(.min))),
        (#"{"code":18446744073709551616,"data":1}"#, .business("18446744073709551616")),
        (#"{"code":1e400,"data":1}"#, .business("1e400")),
    ]

    @Test("codes are typed", arguments: codes)
    func code(row: Row) throws {
        #expect(try Verdict(row.body) == row.verdict)
    }

    /// What an unambiguous code, whichever it is called, makes of a value.
    static let values: [(value: String, verdict: Verdict)] = [
        ("null", .whole), ("0", .missing), (#""0""#, .missing), ("0.0", .missing), ("200", .missing), (#""200""#, .missing),
        ("true", .business("true")), ("-1", .business(-1)), (#""E01""#, .business("E01")),
        ("9007199254740993", .business(9_007_199_254_740_993)),
    ]

    @Test("every spelling of the code is read alike", arguments: ["errcode", "errCode", "errorno", "errno", "error_code"], values)
    func spelling(key: String, row: (value: String, verdict: Verdict)) throws {
        #expect(try Verdict("{\"\(key)\":\(row.value),\"name\":\"x\"}") == row.verdict)
    }

    static let detection: [Row] = [
        // `code` is too common a member to make an envelope on its own.
        (#"{"code":"US","name":"x"}"#, .whole),
        (#"{"code":86,"name":"China"}"#, .whole),
        (#"{"code":null,"data":1}"#, .whole),
        (#"{"code":{"coding":[]},"name":"x"}"#, .whole),
        (#"{"code":0}"#, .missing),
        (#"{"code":500}"#, .business(500)),
        (#"{"code":0,"data":null}"#, .missing),
        (#"{"code":0,"msg":null,"name":"x"}"#, .missing),
        (#"{"code":7,"message":"m","name":"x"}"#, .business(7, "m")),
        (#"{"errcode":0,"name":"x"}"#, .missing),
        (#"{"errno":3,"name":"x"}"#, .business(3)),
        // No code, no envelope.
        (#"{"data":[1]}"#, .whole),
        (#"{"msg":"m","data":[1]}"#, .whole),
        ("{}", .whole),
        ("[]", .whole),
        (#"[{"code":5,"msg":"m"}]"#, .whole),
        ("7", .whole),
        (#""text""#, .whole),
        ("false", .whole),
        ("null", .missing),
        // Only the outermost object is looked at.
        (#"{"user":{"errcode":5}}"#, .whole),
        (#"{"error":{"code":5,"message":"m"}}"#, .whole),
        (#"{"code":0,"data":{"code":9,"msg":"inner"}}"#, .payload(#"{"code":9,"msg":"inner"}"#)),
    ]

    @Test("an object is an envelope when it says so", arguments: detection)
    func isEnvelope(row: Row) throws {
        #expect(try Verdict(row.body) == row.verdict)
    }

    static let precedence: [Row] = [
        (#"{"code":500,"errcode":0,"data":1}"#, .payload("1")),
        (#"{"code":0,"errcode":500,"data":1}"#, .business(500)),
        (#"{"errcode":null,"code":5,"msg":"m"}"#, .business(5, "m")),
        (#"{"errorno":1,"code":0,"data":2}"#, .payload("2")),
        (#"{"errCode":1,"errorno":2}"#, .business(2)),
        (#"{"code":1,"msg":"b","errmsg":"a"}"#, .business(1, "a")),
        (#"{"code":1,"message":"c","errMsg":"d","msg":null}"#, .business(1, "d")),
        (#"{"code":1,"message":"c"}"#, .business(1, "c")),
        (#"{"code":1,"msg":"","message":"c"}"#, .business(1, "")),
        (#"{"code":0,"ret":2,"data":1}"#, .payload("1")),
        (#"{"code":0,"data":null,"ret":{}}"#, .payload("{}")),
        (#"{"code":0,"data":null,"ret":null,"result":3}"#, .payload("3")),
        // Of a key that comes twice the first counts, for the verdict as for the payload.
        (#"{"code":0,"code":1,"data":1,"data":2}"#, .payload("1")),
        (#"{"code":1,"code":0,"data":1}"#, .business(1)),
        (#"{"\u0063ode":7,"msg":"m"}"#, .business(7, "m")),
    ]

    @Test("the first place that is there and not null counts", arguments: precedence)
    func firstPlace(row: Row) throws {
        #expect(try Verdict(row.body) == row.verdict)
    }

    static let flags: [Row] = [
        (#"{"success":true,"data":1}"#, .payload("1")),
        (#"{"success":true}"#, .missing),
        (#"{"success":false}"#, .business(-1)),
        (#"{"success":false,"code":0,"data":1,"msg":"m"}"#, .business(-1, "m")),
        (#"{"success":false,"code":31,"msg":"m"}"#, .business(31, "m")),
        (#"{"success":true,"code":31,"msg":"m"}"#, .business(31, "m")),
        (#"{"success":true,"code":0,"data":1}"#, .payload("1")),
        // Only a boolean is a flag.
        (#"{"success":0,"data":1}"#, .whole),
        (#"{"success":"false","data":1}"#, .whole),
        (#"{"success":null,"data":1}"#, .whole),
    ]

    @Test("`success: false` fails whatever the code says", arguments: flags)
    func flag(row: Row) throws {
        #expect(try Verdict(row.body) == row.verdict)
    }

    static let payloads = ["[]", "{}", "0", "false", #""""#, #""[1]""#, "[1, 2 ]", "1e400", #"{"a": "\u00e9"}"#]

    @Test("what is there and not null is a payload, byte for byte", arguments: payloads)
    func payload(text: String) throws {
        #expect(try Verdict(" {\n\"data\" : \(text) , \"code\":0}") == .payload(text))
    }

    static let messages: [(json: String, message: String)] = [
        (#""m""#, "m"), (#""a\n\u4f60""#, "a\n你"), ("null", ""), ("7", "7"), ("false", "false"), (#"{"en": "m"}"#, #"{"en": "m"}"#),
        (#"["a","b"]"#, #"["a","b"]"#),
    ]

    @Test("a message that is not a string is its JSON text", arguments: messages)
    func message(row: (json: String, message: String)) throws {
        #expect(try Verdict("{\"code\":1,\"msg\":\(row.json)}") == .business(1, row.message))
    }

    @Test("code and message of a success are kept")
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
