import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Responses that pass and look like failures", .limitedParallelism)
struct FailureLookTests {
    /// A body, the place that looks like a failure, and the steps that make it one.
    static let suspicious: [(body: String, place: String, steps: String)] = [
        (#"{"Response":{"Error":{"Code":"AuthFailure","Message":"m"}}}"#, "Response.Error", ".tencentCloud"),
        (#"{"error_response":{"code":15,"msg":"m"}}"#, "error_response", ".taobao"),
        (#"{"data":{"error_code":10008},"extra":1}"#, "data.error_code", #".addCodes("data.error_code")"#),
        (#"{"Error":"Movie not found!","Response":"False"}"#, "Error", #".addFailure("Error").addMessages("Error")"#),
        (
            #"{"x":{"errorInfo":{"type":"t","text":"m"}}}"#, "x.errorInfo",
            #".addFailure("x.errorInfo").addCodes("x.errorInfo.type").addMessages("x.errorInfo.text")"#
        ),
        (#"{"status":"error","err-code":"x"}"#, "status", #".addCodes("status")"#),
        (#"{"status":"Failed","job":1}"#, "status", #".addCodes("status")"#),
        (#"{"status":311,"message":"m"}"#, "status", #".addCodes("status")"#),
        (#"{"code":0,"error":"partly","data":1}"#, "error", #".addFailure("error").addMessages("error")"#),
        (#"{"ERRORS":["x"],"a":1}"#, "ERRORS", #".addFailure("ERRORS")"#),
    ]

    @Test("what looks like one is told with its place and with the steps that would help", arguments: suspicious)
    func look(row: (body: String, place: String, steps: String)) throws {
        let reading = try Envelope.standard.read(answer(row.body))
        #expect(reading.failureLook?.place == row.place)
        #expect(reading.failureLook?.steps == row.steps)
    }

    @Test("what is advised makes it a failure, wherever that is possible", arguments: suspicious.dropLast(2))
    func advice(row: (body: String, place: String, steps: String)) throws {
        let envelope: Envelope =
            switch row.steps {
            case ".tencentCloud": .tencentCloud
            case ".taobao": .taobao
            default:
                row.steps.matches(of: /\.add(Codes|Failure|Messages)\("(.*?)"\)/).reduce(.standard) { envelope, match in
                    let place = String(match.output.2)
                    return switch match.output.1 {
                    case "Codes": envelope.addCodes(place)
                    case "Failure": envelope.addFailure(place)
                    default: envelope.addMessages(place)
                    }
                }
            }
        #expect(throws: APIError.self) { try envelope.read(answer(row.body)) }
    }

    @Test(
        "what is nothing, a count or a success does not",
        arguments: [
            #"{"error":null,"a":1}"#, #"{"error":false,"a":1}"#, #"{"error":0,"a":1}"#, #"{"errors":[],"a":1}"#, #"{"error":{},"a":1}"#,
            #"{"error":"","a":1}"#, #"{"error_count":3}"#, #"{"errors":3,"a":1}"#, #"{"x":{"errorTotal":9}}"#, #"{"errorCode":"0","a":1}"#,
            #"{"data":{"error_code":0,"error_msg":"success"},"extra":1}"#, #"{"status":200,"message":"m"}"#, #"{"status":311,"name":"x"}"#,
            #"{"status":"running","a":1}"#, #"{"a":{"b":{"error":1}}}"#, #"{"a":[{"error":1}]}"#, #"[{"error":"x"}]"#, #"{"terror":"x"}"#,
            #"{"err":"x"}"#, #"{"code":0,"errorCode":0,"data":1}"#, #"{"errorcode":200,"errmsg":"ok"}"#,
        ])
    func innocent(body: String) throws {
        #expect(try Envelope.standard.read(answer(body)).failureLook == nil)
    }

    @Test("an envelope that somebody has described is not suspected")
    func described() throws {
        #expect(try Envelope.raw.read(answer(#"{"error":"x"}"#)).failureLook == nil)
        #expect(try Envelope.google.read(answer(#"{"data":{"error_code":7}}"#)).failureLook == nil)
    }

    @Test("it is reported once for each tag, and told by explain()")
    func reported() async throws {
        let events = Recorder<DiagnosticEvent>()
        let client = Client(transport: StubTransport { _ in .json(#"{"status":311,"message":"key error"}"#) })
        client.defaultHost = "https://maps.example.com"
        client.onDiagnostic { events.note($0) }
        client.configure("maps") { $0.timeout = .seconds(1) }
        for _ in 0..<3 {
            _ = try await client.get("/a").value()
            _ = try await client.tag("maps").get("/a").data().value
        }
        #expect(events.events.map(\.kind) == [.unrecognizedFailure, .unrecognizedFailure])
        #expect(events.events.last?.message.contains(#"the tag "maps""#) == true)
        #expect(events.events.last?.message.contains(#"envelope = .standard.addCodes("status")"#) == true)
        #expect(
            Envelope.standard.explain(Data(#"{"status":311,"message":"key error"}"#.utf8)).contains(
                #"suspicious: There is something at "status""#))
    }
}
