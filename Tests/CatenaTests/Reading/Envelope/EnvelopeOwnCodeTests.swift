import Foundation
import Testing

@testable import Catena

@Suite("Presets whose codes no rule can know", .limitedParallelism)
struct EnvelopeOwnCodeTests {
    /// A success, a failure, or a body that only looks like one of them.
    typealias Row = (envelope: Envelope, body: String, outcome: EnvelopeShape.Outcome)

    static let rows: [Row] = [
        (.amap, #"{"status":"1","info":"OK","infocode":"10000","pois":[1]}"#, .whole),
        (.amap, #"{"status":"0","info":"INVALID_USER_KEY","infocode":"10001"}"#, .failure("10001", "INVALID_USER_KEY")),
        (.amap, #"{"errcode":30001,"errmsg":"bad"}"#, .failure(30001, "bad")),
        (.amap, #"{"status":"0","name":"a road","code":7}"#, .whole),
        (.fastAdmin, #"{"code":1,"msg":"","time":"1","data":{"a":1}}"#, .payload(#"{"a":1}"#)),
        (.fastAdmin, #"{"code":0,"msg":"no","time":"1","data":null}"#, .failure(0, "no")),
        (.fastAdmin, #"{"code":0,"name":"x"}"#, .failure(0, "")),
        (.kuCoin, #"{"code":"200000","data":{"a":1}}"#, .payload(#"{"a":1}"#)),
        (.kuCoin, #"{"code":"400100","msg":"bad"}"#, .failure("400100", "bad")),
        (.kuCoin, #"{"currency":"BTC","name":"x"}"#, .unrecognized),
        (.huaweiPush, #"{"code":"80000000","msg":"Success","requestId":"r"}"#, .whole),
        (.huaweiPush, #"{"code":"80300007","msg":"bad","requestId":"r"}"#, .failure("80300007", "bad")),
        (.huaweiPush, #"{"access_token":"made-up"}"#, .unrecognized),
        (.doudian, #"{"code":10000,"msg":"success","sub_code":"","sub_msg":"","log_id":"l","data":{"page":0}}"#, .payload(#"{"page":0}"#)),
        (.doudian, #"{"code":40003,"msg":"bad","sub_code":"isv.x","sub_msg":"no such shop"}"#, .failure(40003, "no such shop")),
        (.doudian, #"{"order":{"code":5}}"#, .unrecognized),
        (.vivoPush, #"{"result":0,"desc":"done","taskId":"t"}"#, .whole),
        (.vivoPush, #"{"result":10302,"desc":"bad"}"#, .failure(10302, "bad")),
        (.vivoPush, #"{"desc":"a road","id":7}"#, .unrecognized),
        (.influx, #"{"results":[{"statement_id":0,"series":[]}]}"#, .whole),
        (.influx, #"{"results":[{"statement_id":0},{"statement_id":1,"error":"no database"}]}"#, .failure("false", "no database")),
        (.influx, #"{"error":"bad query"}"#, .failure("false", "bad query")),
        (.influx, #"{"results":[{"statement_id":0,"series":[{"name":"error"}]}]}"#, .whole),
        (
            .nextcloud, #"{"ocs":{"meta":{"status":"ok","statuscode":100,"message":"OK"},"data":{"a":1}}}"#, .payload(#"{"a":1}"#)
        ),
        (.nextcloud, #"{"ocs":{"meta":{"status":"failure","statuscode":997,"message":"bad"},"data":[]}}"#, .failure(997, "bad")),
        (.nextcloud, #"{"statuscode":997,"message":"a note"}"#, .unrecognized),
        (.xAPI, #"{"code":0,"data":null,"ret":[1]}"#, .payload("[1]")),
        (.xAPI, #"{"errcode":40001,"errmsg":"m","code":0}"#, .failure(40001, "m")),
        (.xAPI, #"{"code":"ERR","data":1}"#, .payload("1")),
        (.xAPI, #"{"success":false,"message":"m","error":"x"}"#, .whole),
    ]

    @Test("each preset recognizes its successes and failures, and bodies that only look like them")
    static func presetsRows() {
        each(rows.indices) { try Self().presets(row: $0) }
    }

    func presets(row: Int) throws {
        let (envelope, body, outcome) = Self.rows[row]
        #expect(try EnvelopeShape.Outcome.of(answer(body), envelope).outcome == outcome)
    }

    @Test("a message can mean success")
    func messages() throws {
        let envelope = Envelope.standard.success(whereMessageIs: "ok", "success")
        #expect(try Verdict(#"{"code":10000,"msg":"Success","data":1}"#, envelope: envelope) == .payload("1"))
        #expect(try Verdict(#"{"code":10001,"msg":"success not","data":1}"#, envelope: envelope) == .business(10001, "success not"))
        #expect(try Verdict(#"{"code":10001,"msg":"ok"}"#, status: 500, envelope: envelope) == .status(10001, "ok"))
        #expect(
            try Verdict(#"{"success":false,"msg":"登录成功","data":1}"#, envelope: .standard.success(whereMessageIs: "登录成功")) == .payload("1"))
        #expect(try Verdict(#"{"code":5,"data":1}"#, envelope: envelope) == .business(5))
    }

    @Test("a place may begin in a root array")
    func arrays() throws {
        let envelope = Envelope.standard.addCodes("[0].code").addMessages("[0].message")
        #expect(try Verdict(#"[{"code":7,"message":"m"}]"#, envelope: envelope) == .business(7, "m"))
        #expect(try Verdict(#"[{"code":0},{"id":1}]"#, envelope: envelope) == .whole)
        #expect(try Verdict(#"[{"id":1}]"#, envelope: envelope) == .whole)
        #expect(try Verdict(#"[{"code":7,"message":"m"}]"#, envelope: .raw.codes("[0].code").success(0)) == .business(7))
    }
}

@Suite("The preset of xAPI compared with its rules", .limitedParallelism)
struct XAPITests {
    private enum Outcome: Equatable {
        case gives(JSON)
        case fails(Int, String)
    }

    private static let codes = ["errcode", "code", "errorno", "errCode"]
    private static let messages = ["errmsg", "msg", "errormsg", "errMsg"]
    private static let values: [JSON] = [
        nil, 0, 200, 1, -1, 40001, 0.5, -1.5, 12.9, true, false, "", "0", "200", "ERR", "12abc", " 7", "-3", "+4", "99999999999999999999",
        "x y",
    ]

    @Test("20,000 random bodies are read as xAPI reads them")
    func random() throws {
        var random = SplitMix(state: 7)
        for _ in 0..<20_000 {
            let keys = (Self.codes + Self.messages + ["data", "ret", "message", "name"]).shuffled(using: &random)
            let members = keys.prefix(Int.random(in: 0...6, using: &random)).map { key in
                JSONObject.Member(key: key, value: Self.values.randomElement(using: &random) ?? nil)
            }
            let body = JSON(members: members)
            let status = [200, 200, 200, 404, 500].randomElement(using: &random) ?? 200
            let given = try read(body, status)
            let wanted = Self.byTheRules(body, status)
            #expect(given == wanted, "\(String(decoding: body.encoded, as: UTF8.self)) \(status)")
            if given != wanted { return }
        }
    }

    private func read(_ body: JSON, _ status: Int) throws -> Outcome {
        do {
            let reading = try Envelope.xAPI.read(answer(body.encoded, status: status))
            return .gives(try ResultDecoder<JSON>.json.value(reading) { JSONPayloadDecoder() })
        } catch let error as APIError {
            return .fails(error.code.integer ?? .min, error.message)
        }
    }

    /// The first value that is not null decides; a body's code that is neither 0 nor 200 goes before the status.
    private static func byTheRules(_ body: JSON, _ status: Int) -> Outcome {
        let code = codes.lazy.map { body[$0] }.first { !$0.isNull }.map(integerValue) ?? 0
        let message =
            messages.lazy.map { body[$0] }.first { !$0.isNull }.map { $0.string ?? String(decoding: $0.encoded, as: UTF8.self) } ?? ""
        if code != 0, code != 200 { return .fails(code, message) }
        if status != 200 { return .fails(status, message) }
        return .gives(["data", "ret"].lazy.map { body[$0] }.first { !$0.isNull } ?? body)
    }

    private static func integerValue(_ value: JSON) -> Int {
        if let bool = value.bool { return bool ? 1 : 0 }
        if let double = value.double { return Int(double) }
        guard let match = (value.string ?? "").firstMatch(of: /^\s*([+-]?[0-9]+)/) else { return 0 }
        return Int(match.1) ?? (match.1.hasPrefix("-") ? .min : .max)
    }
}
