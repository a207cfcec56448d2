import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Responses that pass and look like failures", .limitedParallelism)
struct FailureLookTests {
    /// A failure that passes, the place that looks like a failure, the steps that would reject it, and a success of the same backend.
    struct Row: Sendable, CustomTestStringConvertible {
        let body: String
        let place: String
        let steps: String
        let success: String

        init(_ body: String, _ place: String, _ steps: String, success: String) {
            self.body = body
            self.place = place
            self.steps = steps
            self.success = success
        }

        var testDescription: String { body }
    }

    static let rows: [Row] = [
        // Zero at `status`.
        Row(
            #"{"status":"0","info":"INVALID_USER_KEY","infocode":"10001"}"#, "status", #".addFlags("status")"#,
            success: #"{"status":"1","info":"OK","infocode":"10000","pois":[1]}"#),
        Row(#"{"status":0,"msg":"no such user","x":1}"#, "status", #".addFlags("status")"#, success: #"{"status":1,"msg":"","x":1}"#),
        Row(#"{"Status":"0","reason":"bad key","n":1}"#, "Status", #".addFlags("Status")"#, success: #"{"Status":"1","n":1}"#),
        // Numbers at `result`.
        Row(
            #"{"result":10302,"desc":"bad sign"}"#, "result", #".addCodes("result")"#, success: #"{"result":0,"desc":"done","taskId":"t"}"#),
        Row(#"{"result":-5,"info":"no order","n":1}"#, "result", #".addCodes("result")"#, success: #"{"result":0,"n":1}"#),
        // Words at `status` and `result`.
        Row(#"{"status":"Failed","job":1}"#, "status", #".addFlags("status")"#, success: #"{"status":"completed","job":1}"#),
        Row(#"{"status":"error","kind":"x"}"#, "status", #".addFlags("status")"#, success: #"{"status":"ready","kind":"x"}"#),
        Row(#"{"result":"fail","n":1,"m":2}"#, "result", #".addFlags("result")"#, success: #"{"result":"pass","n":1,"m":2}"#),
        Row(#"{"code":0,"status":"failed","data":1}"#, "status", #".addFlags("status")"#, success: #"{"code":0,"status":"done","data":1}"#),
        // Codes beside other members.
        Row(#"{"code":10001,"note":"x"}"#, "code", #".addCodes("code")"#, success: #"{"code":0,"note":"x"}"#),
        Row(#"{"code":10001,"a":1,"b":0}"#, "code", #".addCodes("code")"#, success: #"{"code":200,"a":1,"b":0}"#),
        Row(#"{"status":500,"x":1}"#, "status", #".addCodes("status")"#, success: #"{"status":200,"x":1}"#),
        // Signs in resources.
        Row(
            #"{"errcode":7,"errmsg":"m","a":1,"b":2,"c":3}"#, "errcode", #".addCodes("errcode")"#,
            success: #"{"errcode":0,"errmsg":"ok","a":1,"b":2,"c":3}"#),
        Row(
            #"{"errorCode":7,"sid":"s","to":"t","from":"f"}"#, "errorCode", #".addCodes("errorCode")"#,
            success: #"{"errorCode":null,"sid":"s","to":"t","from":"f"}"#),
        Row(
            #"{"error":"partly","a":1,"b":2,"c":3}"#, "error", #".addFailure("error").addMessages("error")"#,
            success: #"{"error":null,"a":1,"b":2,"c":3}"#),
        Row(
            #"{"error":{"code":5,"message":"m"},"a":1,"b":2,"c":3}"#, "error",
            #".addFailure("error").addCodes("error.code").addMessages("error.message")"#, success: #"{"error":{},"a":1,"b":2,"c":3}"#),
        Row(
            #"{"errorInfo":{"type":"t","text":"m"},"a":1,"b":2,"c":3}"#, "errorInfo", #".addFailure("errorInfo")"#,
            success: #"{"errorInfo":null,"a":1,"b":2,"c":3}"#),
        Row(#"{"ok":false,"a":1,"b":2,"c":3}"#, "ok", #".addFlags("ok")"#, success: #"{"ok":true,"a":1,"b":2,"c":3}"#),
        Row(#"{"success":0,"a":1,"b":2,"c":3}"#, "success", #".addFlags("success")"#, success: #"{"success":1,"a":1,"b":2,"c":3}"#),
        Row(
            #"{"errmsg":"bad","a":1,"b":2,"c":3}"#, "errmsg", #".addFailure("errmsg")"#, success: #"{"errmsg":"","a":1,"b":2,"c":3}"#),
        // Weak flags and errors.
        Row(#"{"valid":false,"ok":0}"#, "ok", #".addFlags("ok")"#, success: #"{"valid":true,"ok":1}"#),
        Row(#"{"error":true,"name":"x"}"#, "error", #".addFailure("error")"#, success: #"{"error":false,"name":"x"}"#),
        // Errors beside a good code or flag.
        Row(
            #"{"code":0,"error":"partly","data":1}"#, "error", #".addFailure("error").addMessages("error")"#,
            success: #"{"code":0,"error":"","data":1}"#),
        Row(
            #"{"success":true,"errors":["x"],"data":1}"#, "errors", #".addFailure("errors")"#,
            success: #"{"success":true,"errors":[],"data":1}"#),
        Row(
            #"{"code":0,"error":{"message":"m"},"data":1}"#, "error", #".addFailure("error").addMessages("error.message")"#,
            success: #"{"code":0,"error":{},"data":1}"#),
        // Lists of errors only.
        Row(
            #"{"results":[{"error":"x"},{"error":"y"}]}"#, "results", #".addFailure("results[0].error")"#,
            success: #"{"results":[{"value":1}]}"#),
        Row(
            #"{"items":[{"error":{"code":1}}],"n":1}"#, "items", #".addFailure("items[0].error")"#, success: #"{"items":[],"n":0}"#),
        Row(
            #"{"code":0,"message":"failed","data":1}"#, "message", #".addFlags("message")"#,
            success: #"{"code":0,"message":"done","data":1}"#),
        // Values without success at keys that usually judge, beside words.
        Row(#"{"stat":"E7","info":"denied"}"#, "stat", #".addCodes("stat")"#, success: #"{"stat":"ok","info":"done"}"#),
        Row(
            #"{"answer":{"ack":"E7","text":"denied"}}"#, "answer.ack", #".addCodes("answer.ack")"#,
            success: #"{"answer":{"ack":0,"text":"done"}}"#),
        Row(
            #"{"list":[{"rc2Stat":"E7","reason":"denied"}]}"#, "list[0].rc2Stat", #".addCodes("list[0].rc2Stat")"#,
            success: #"{"list":[]}"#),
    ]

    /// Failures that pass for a type.
    private static let typed: [(keys: String, body: String, place: String)] = [
        ("name ok battery", #"{"name":"door","ok":false,"battery":11}"#, "ok"),
        ("code msg cost node zone", #"{"code":10086,"msg":"closed","cost":3,"node":"a","zone":"z"}"#, "code"),
        ("name", #"{"name":"x","stat":"E7","info":"denied"}"#, "stat"),
    ]

    @Test("what a type alone lets pass is reported, and the line that the report names settles it", arguments: typed)
    func types(row: (keys: String, body: String, place: String)) throws {
        let type = RuleRow.Want.type(AskedType(keys: row.keys))
        let outcome = RuleOutcome(try answer(row.body), .standard, type)
        #expect(outcome.kind == "ok")
        #expect(outcome.isReported)
        let steps: (Envelope) -> Envelope = { row.place == "ok" ? $0.addFlags("ok") : $0.addCodes(row.place) }
        #expect(RuleOutcome(try answer(row.body), steps(.standard), type).kind.hasPrefix("fail"))
        #expect(!RuleOutcome(try answer(row.body), .raw, type).isReported)
    }

    @Test("a failure whose body fits the type says so once, and the step that it names makes it a success")
    func fittingFailure() async throws {
        struct Status: Decodable, Sendable { let code: Int; let message: String; let severity: String }
        let events = Recorder<DiagnosticEvent>()
        let client = Client(transport: ClosureTransport { _ in .json(#"{"code":1044,"message":"Battery low","severity":"warn"}"#) })
        client.defaultHost = "https://maps.example.com"
        client.onDiagnostic { events.note($0) }
        for _ in 0..<2 {
            let error = await #expect(throws: APIError.self) { try await client.get("/a").value(as: Status.self) }
            #expect(error?.code == 1044)
            #expect(error?.explanation?.contains("fits Status") == true)
        }
        #expect(events.events.map(\.kind) == [.unrecognizedSuccess])
        #expect(events.events.first?.message.contains(".envelope(.raw)") == true)
        #expect(try await client.get("/a").envelope(.raw).value(as: Status.self).code == 1044)
    }

    @Test("the report of a response that looks like a failure names the place and the steps that would reject it")
    func look() {
        each(Self.rows) { row in
            let reading = try Envelope.standard.read(answer(row.body))
            #expect(reading.contents.suspectedFailure?.place == row.place)
            #expect(reading.contents.suspectedFailure?.steps == row.steps)
        }
    }

    @Test("the advised steps reject the failure and accept a success of the same backend")
    func advice() {
        each(Self.rows) { row in
            let envelope = row.steps.matches(of: /\.add(Codes|Failure|Messages|Flags)\("(.*?)"\)/).reduce(Envelope.standard) {
                envelope, match in
                let place = String(match.output.2)
                return switch match.output.1 {
                case "Codes": envelope.addCodes(place)
                case "Failure": envelope.addFailure(place)
                case "Flags": envelope.addFlags(place)
                default: envelope.addMessages(place)
                }
            }
            #expect(throws: APIError.self) { try envelope.read(answer(row.body)) }
            #expect(throws: Never.self) { try envelope.read(answer(row.success)) }
        }
    }

    @Test(
        "an empty error, a count or a success does not look like a failure",
        arguments: [
            #"{"error":null,"a":1}"#, #"{"error":false,"a":1}"#, #"{"error":0,"a":1}"#, #"{"errors":[],"a":1}"#, #"{"error":{},"a":1}"#,
            #"{"error":"","a":1}"#, #"{"error_count":3}"#, #"{"errors":3,"a":1}"#, #"{"x":{"errorTotal":9}}"#, #"{"errorCode":"0","a":1}"#,
            #"{"data":{"error_code":0,"error_msg":"success"},"extra":1}"#, #"{"status":200,"message":"m"}"#,
            #"{"status":"running","a":1}"#, #"{"a":[{"error":1}]}"#, #"{"terror":"x"}"#, #"{"errorCode":0,"errorMessage":"成功"}"#,
            #"{"code":0,"errorCode":0,"data":1}"#, #"{"errorcode":200,"errmsg":"ok"}"#, #"{"success":true,"code":1000}"#,
        ])
    func innocent(body: String) throws {
        #expect(try Envelope.standard.read(answer(body)).contents.suspectedFailure == nil)
    }

    private struct Job: Decodable, Sendable { let status: String; let job: Int }

    @Test("a response is not reported to a call whose type has the suspicious key")
    func fitting() async throws {
        let events = Recorder<DiagnosticEvent>()
        let client = Client(transport: ClosureTransport { _ in .json(#"{"status":"failed","job":1}"#) })
        client.defaultHost = "https://maps.example.com"
        client.onDiagnostic { events.note($0) }
        #expect(try await client.get("/a").value(as: Job.self).status == "failed")
        #expect(events.events.isEmpty)
        _ = try await client.get("/a").value()
        #expect(events.events.map(\.kind) == [.unrecognizedFailure])
    }

    @Test("a response is not reported if the call has another envelope than the standard one")
    func described() throws {
        #expect(try Envelope.raw.read(answer(#"{"error":"x"}"#)).contents.suspectedFailure == nil)
        #expect(try Envelope.google.read(answer(#"{"data":{"error_code":7}}"#)).contents.suspectedFailure == nil)
    }

    @Test("a response that looks like a failure is reported once for each tag, and explained by explain()")
    func reported() async throws {
        let events = Recorder<DiagnosticEvent>()
        let client = Client(transport: ClosureTransport { _ in .json(#"{"status":"0","info":"bad key"}"#) })
        client.defaultHost = "https://maps.example.com"
        client.onDiagnostic { events.note($0) }
        client.configure("maps") { $0.timeout = .seconds(1) }
        for _ in 0..<3 {
            _ = try await client.get("/a").value()
            _ = try await client.tag("maps").get("/a").execute(.data).value
        }
        #expect(events.events.map(\.kind) == [.unrecognizedFailure, .unrecognizedFailure])
        #expect(events.events.last?.message.contains(#"the tag "maps""#) == true)
        #expect(events.events.last?.message.contains(#"envelope = .standard.addFlags("status")"#) == true)
        #expect(
            Envelope.standard.explain(Data(#"{"status":"0","info":"bad key"}"#.utf8)).contains(
                #"suspicious: There is something at "status""#))
    }

    private struct Hopeful: Decodable, Sendable {
        var nickname: String?
        var level: Int?
    }

    @Test("a type of optionals that finds none of its keys is reported once")
    func unfound() async throws {
        let events = Recorder<DiagnosticEvent>()
        let client = Client(transport: ClosureTransport { _ in .json(#"{"code":0,"data":{"name":"a"}}"#) })
        client.defaultHost = "https://forum.example.com"
        client.onDiagnostic { events.note($0) }
        for _ in 0..<3 { #expect(try await client.get("/a").value(as: Hopeful.self).nickname == nil) }
        #expect(events.events.map(\.kind) == [.noKeysFound])
        #expect(events.events.first?.message.contains("Hopeful") == true)
    }
}
