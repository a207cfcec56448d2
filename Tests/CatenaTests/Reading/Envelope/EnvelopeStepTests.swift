import Foundation
import Testing

@testable import Catena

@Suite("Steps that extend an envelope, and steps that replace its parts", .limitedParallelism)
struct EnvelopeStepTests {
    typealias Row = (envelope: Envelope, body: String, outcome: EnvelopeShape.Outcome)

    static let rows: [Row] = [
        // Added places come after the existing ones.
        (.standard.addMessages("info"), #"{"code":5,"info":"i"}"#, .failure(5, "i")),
        (.standard.addMessages("info"), #"{"code":5,"info":"i","msg":"m"}"#, .failure(5, "m")),
        (.standard.message("info"), #"{"errcode":5,"info":"i","msg":"m"}"#, .failure(5, "i")),
        (.standard.message("info"), #"{"errcode":5,"msg":"m"}"#, .failure(5, "")),
        (.standard.addData("list"), #"{"code":0,"list":[1]}"#, .payload("[1]")),
        (.standard.addData("list"), #"{"code":0,"list":[1],"data":2}"#, .payload("2")),
        (.standard.data("list"), #"{"code":0,"list":[1],"data":2}"#, .payload("[1]")),
        (.standard.addFlags("isOK"), #"{"isOK":false,"msg":"m"}"#, .failure("false", "m")),
        (.standard.addFlags("isOK"), #"{"isOK":0,"name":"x","msg":"m"}"#, .failure("false", "m")),
        (.standard.addFlags("isOK"), #"{"success":false,"msg":"m"}"#, .failure("false", "m")),
        (.standard.flag("isOK"), #"{"isOK":"true","data":1}"#, .payload("1")),
        (.standard.flag("isOK"), #"{"success":false,"data":1}"#, .payload("1")),
        (.standard.addSuccess(20000), #"{"code":20000,"message":"ok","data":{"a":1}}"#, .payload(#"{"a":1}"#)),
        (.standard.addSuccess(20000), #"{"code":0,"data":1}"#, .payload("1")),
        (.standard.addSuccess("S"), #"{"code":"S","msg":"m","data":1}"#, .payload("1")),
        (.standard.success(20000), #"{"code":0,"data":1}"#, .failure(0, "")),
        (.standard.success(20000), #"{"code":"SUCCESS","msg":"","data":1}"#, .failure("SUCCESS", "")),
        (.standard.addFailure("problem"), #"{"problem":{"a":1}}"#, .failure("false", "")),
        (.standard.addFailure("problem"), #"{"error":"bad thing"}"#, .failure("false", "bad thing")),
        (.standard.failure("problem"), #"{"error":"bad thing"}"#, .whole),
        (.standard.addCodes("status"), #"{"status":311,"message":"key error"}"#, .failure(311, "key error")),
        (
            .standard.addCodes("Response.Error.Code").addMessages("Response.Error.Message"),
            #"{"Response":{"Error":{"Code":"AuthFailure","Message":"m"},"RequestId":"r"}}"#, .failure("AuthFailure", "m")
        ),
        // A number and its text are the same code.
        (.standard.success(0), #"{"errcode":"0","errmsg":"ok","data":1}"#, .payload("1")),
        (.standard.success("0"), #"{"errcode":0,"errmsg":"ok","data":1}"#, .payload("1")),
        (.standard.success(0), #"{"errcode":"00","errmsg":"ok","data":1}"#, .failure("00", "ok")),
        (.standard.success(0), #"{"errcode":false,"errmsg":"ok","data":1}"#, .payload("1")),
        (.standard.success(0).lenientNumbers(false), #"{"errcode":"0","errmsg":"ok","data":1}"#, .failure("0", "ok")),
        // A declared code decides.
        (.standard.codes("rc"), #"{"rc":7,"success":true}"#, .failure(7, "")),
        (.standard.codes("rc").flag("success"), #"{"rc":7,"success":true}"#, .whole),
        // A declared handling of missing payloads beats values beside the code.
        (.standard.missingPayload(.null), #"{"errcode":0,"name":"a"}"#, .payload("null")),
        (.standard.missingPayload(.body), #"{"code":0,"data":null}"#, .whole),
    ]

    @Test("each step does what its name says")
    static func stepRows() {
        each(rows.indices) { try Self().step(row: $0) }
    }

    func step(row: Int) throws {
        let (envelope, body, outcome) = Self.rows[row]
        let (found, _) = try EnvelopeShape.Outcome.of(answer(body), envelope)
        #expect(found == outcome)
    }

    @Test("a status other than 2xx can be declared a success, and its envelope is still read")
    func statuses() throws {
        let envelope = Envelope.standard.success(status: 304, 404)
        #expect(try EnvelopeShape.Outcome.of(answer(#"{"data":[1]}"#, status: 404), envelope).outcome == .payload("[1]"))
        #expect(try EnvelopeShape.Outcome.of(answer(#"{"code":5,"msg":"m"}"#, status: 404), envelope).outcome == .failure(5, "m"))
        #expect(try EnvelopeShape.Outcome.of(answer("", status: 304), envelope).outcome == .missing)
        #expect(try EnvelopeShape.Outcome.of(answer(#"{"data":[1]}"#, status: 403), envelope).outcome == .failure(403, ""))
        #expect(try EnvelopeShape.Outcome.of(answer("<p>", status: 404), envelope).outcome == .undecodable)
        let error = try #require(throws: APIError.self) { try envelope.read(answer(#"{"code":5}"#, status: 404)) }
        #expect(error.kind == .business && error.status == 404)
    }

    @Test(
        "with a declared status, signs of failure and the payload are found as with 200",
        arguments: [
            #"{"data":[1]}"#, #"{"code":5,"msg":"m"}"#, #"{"code":0,"msg":"ok","data":[1]}"#, #"{"response":{"code":5,"msg":"m"}}"#,
            #"{"response":{"success":false,"msg":"m"}}"#, #"{"a":{"error":{"code":5,"message":"m"}}}"#, #"[{"error":"m"}]"#,
        ])
    func declaredStatus(body: String) throws {
        let usual = try EnvelopeShape.Outcome.of(answer(body), .standard).outcome
        for status in [302, 404, 500] {
            #expect(try EnvelopeShape.Outcome.of(answer(body, status: status), .standard.success(status: status)).outcome == usual)
        }
    }

    @Test(
        "a code that repeats a declared status is a success, at any depth",
        arguments: [
            #"{"code":404,"msg":"Not found"}"#, #"{"response":{"code":404,"msg":"Not found"}}"#,
            #"{"meta":{"code":404,"msg":"Not found"},"user":null}"#,
        ])
    func repeatedStatus(body: String) throws {
        let envelope = Envelope.standard.success(status: 404)
        _ = try envelope.read(answer(body, status: 404))
        #expect(throws: APIError.self) { try envelope.read(answer(body)) }
    }

    @Test("the standard envelope also reads problem details, by their media type")
    func problems() throws {
        let headers: HTTPHeaders = ["Content-Type": "application/problem+json; charset=utf-8"]
        let body = #"{"type":"https://ex/p","title":"No credit","status":403,"detail":"50 short","instance":"/i"}"#
        let envelope = Envelope.standard.validation("https://ex/p").codes("rc")
        for status in [200, 403] {
            let error = try #require(throws: APIError.self) { try envelope.read(answer(body, status: status, headers: headers)) }
            #expect(error.code == (status == 200 ? "false" : 403))
            #expect(error.message == "50 short")
            #expect(error.traceID == "/i")
            #expect(error.category == .validation)
        }
    }
}
