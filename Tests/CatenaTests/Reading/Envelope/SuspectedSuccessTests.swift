import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Failures that read like a success", .limitedParallelism)
struct SuspectedSuccessTests {
    private static func look(_ body: String, _ envelope: Envelope = .standard, status: Int = 200) throws -> String? {
        let error = try #require(throws: APIError.self) { try envelope.read(answer(body, status: status)) }
        return SuspectedSuccess(error, by: envelope)?.code
    }

    @Test(
        "the message is one of a few words of success, and the code is advised",
        arguments: [
            (#"{"code":1,"msg":"ok"}"#, "1"), (#"{"code":1,"msg":"OK!"}"#, "1"), (#"{"code":-1,"msg":"Success."}"#, "-1"),
            (#"{"code":1,"message":"操作成功"}"#, "1"), (#"{"errcode":1000,"errmsg":"请求成功！"}"#, "1000"),
            (#"{"code":"A1","msg":"succeeded"}"#, #""A1""#), (#"{"code":1,"msg":"ok","data":{"id":7}}"#, "1"),
        ])
    func words(body: String, code: String) throws {
        #expect(try Self.look(body) == code)
    }

    @Test(
        "no other failure is suspected",
        arguments: [
            #"{"code":1,"msg":"not ok"}"#, #"{"code":1,"msg":"登录不成功"}"#, #"{"code":1}"#, #"{"code":1,"msg":""}"#,
            #"{"success":false,"msg":"ok"}"#, #"{"code":"\u{7}","msg":"ok"}"#,
            #"{"code":"\#(String(repeating: "A", count: 40))","msg":"ok"}"#,
        ])
    func others(body: String) throws {
        #expect(try Self.look(body) == nil)
    }

    @Test("neither is one whose code the envelope knows, nor one with an error status")
    func known() throws {
        let body = #"{"code":1,"msg":"ok"}"#
        #expect(try Self.look(body, .standard.authentication(1)) == nil)
        #expect(try Self.look(body, status: 500) == nil)
        #expect(throws: Never.self) { try Envelope.standard.addSuccess(1).read(answer(body)) }
    }

    @Test("it is reported once for each tag, and told by the error and by explain()")
    func told() async throws {
        let events = Recorder<DiagnosticEvent>()
        let stubs = Stubs()
        let client = Client(testing: stubs)
        client.onDiagnostic { events.note($0) }
        stubs.get("/a").reply(json: ["code": 1, "msg": "ok"])
        for _ in 0..<2 {
            let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
            #expect(error?.explanation?.contains(".standard.addSuccess(1)") == true)
        }
        #expect(events.events.map(\.kind) == [.unrecognizedSuccess])
        #expect(events.events.first?.message.contains(".standard.addSuccess(1)") == true)
        #expect(Envelope.standard.explain(Data(#"{"code":1,"msg":"ok"}"#.utf8)).contains("suspicious: The message reads like a success"))
    }
}
