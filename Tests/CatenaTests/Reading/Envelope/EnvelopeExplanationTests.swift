import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Explaining how a response is read", .limitedParallelism)
struct EnvelopeExplanationTests {
    @Test("a success names the keys and what is decoded")
    func success() {
        let body = Data(#"{"errno":0,"msg":"ok","ret":{"name":"a"}}"#.utf8)
        #expect(
            Envelope.standard.explain(body, headers: ["Content-Type": "application/json"]) == """
                response: status 200, application/json, 41 bytes
                found: "errno" is 0: success, clear
                found: "msg" is "ok": success, clear
                beside them: a message, a payload
                message: "ok"
                payload: "ret" is 12 bytes
                envelope: success, since the code means success
                verdict: success, status 200 and code 0
                decoded: bytes 28..<40 of the body: {"name":"a"}
                """)
    }

    static let rows: [(envelope: Envelope, body: String, status: Int, lines: [String])] = [
        (
            .standard, #"{"code":86,"name":"China"}"#, 200,
            [
                "found: \"code\" is 86: failure, weak, does not count", "beside them: other members",
                "envelope: none, since no sign counts in what may be a model: the object is taken as it is",
                "decoded: the whole body: {\"code\":86,\"name\":\"China\"}",
            ]
        ),
        (.standard, #"{"name":"x"}"#, 200, ["envelope: none, since nothing says how the call went: the object is taken as it is"]),
        (Envelope(code: "rc", success: 0), #"{"name":"x"}"#, 200, ["envelope: none, since there is no code where the envelope says"]),
        (
            .standard, #"{"code":5,"msg":"m"}"#, 200,
            ["envelope: failure, since the code is none of those that mean success", "verdict: failure, business 5: m"]
        ),
        (
            .standard, #"{"success":false}"#, 200,
            ["found: \"success\" is false: failure, clear", "envelope: failure, since a flag says that it failed"]
        ),
        (
            .google, #"{"error":{"code":5}}"#, 404,
            ["envelope: failure, since there is something at \"error\"", "verdict: failure, status 5"]
        ),
        (.standard, #"{"code":0,"data":1}"#, 500, ["envelope: success, since the code means success", "verdict: failure, status 500"]),
        (
            .standard, #"{"success":true}"#, 200,
            ["envelope: success, since a flag says so", "decoded: nothing: there is no payload"]
        ),
        (
            .standard, #"{"code":"0","msg":"m","data":"1"}"#, 200,
            [
                #"found: "code" is "0": success, clear"#, #"message: "m""#, #"verdict: success, status 200 and code "0""#,
                #"decoded: bytes 29..<32 of the body: "1""#,
            ]
        ),
        (.standard, #"{"errcode":"E1"}"#, 200, [#"verdict: failure, business "E1""#]),
        (.standard, "[1]", 200, ["envelope: none, the body is no object but of kind array", "decoded: the whole body: [1]"]),
        (.standard, "", 200, ["decoded: nothing: the body is empty"]),
        (.standard.codes("a..b"), "{}", 200, [#"envelope: "a..b" is not a path: a key is empty"#]),
        (.problemDetails, "{}", 200, ["envelope: none for this media type"]),
        (.standard.payloadInText(), #"{"code":0,"data":"[1]"}"#, 200, ["decoded: what the envelope makes of the body: [1]"]),
    ]

    @Test("an explanation gives the reason of its verdict", arguments: rows.indices)
    func why(row: Int) {
        let (envelope, body, status, expected) = Self.rows[row]
        let lines = envelope.explain(Data(body.utf8), status: status).split(separator: "\n").map(String.init)
        for line in expected { #expect(lines.contains(line), "\(lines)") }
    }

    private struct Country: Decodable {
        let code: Int
        let name: String
    }
    private struct Name: Decodable { let name: String }
    private struct Other: Decodable { let size: Int }

    static let typedRows: [(type: Any.Type, body: String, lines: [String])] = [
        (
            Country.self, #"{"code":86,"name":"China","message":"m"}"#,
            [
                #"found: "code" is 86: failure, clear"#, "type: Country fits the whole body", "verdict: failure, business 86: m",
                "suspicious: The whole body fits Country. If it is a Country and no failure, the call needs .envelope(.raw).",
            ]
        ),
        (
            Country.self, #"{"code":0,"name":"China"}"#,
            [
                #"found: "code" is 0: success, weak, does not count"#,
                "envelope: none, since no sign counts in what may be a model: the object is taken as it is",
                #"decoded: the whole body: {"code":0,"name":"China"}"#,
            ]
        ),
        (
            Name.self, #"{"code":0,"data":{"name":"x"}}"#,
            [#"found: "code" is 0: success, clear"#, "type: Name fits the payload", #"decoded: bytes 17..<29 of the body: {"name":"x"}"#]
        ),
        (
            Name.self, #"{"data":{"a":1},"name":"x"}"#,
            ["type: Name fits the whole body", #"decoded: the whole body: {"data":{"a":1},"name":"x"}"#]
        ),
        (Name.self, #"{"code":7,"message":"m"}"#, ["type: Name does not fit the body", "verdict: failure, business 7: m"]),
        (Other.self, #"{"code":0,"data":{"name":"x"}}"#, ["type: Other fits neither the payload nor the whole body"]),
        (Void.self, #"{"code":7,"size":1}"#, [#"found: "code" is 7: failure, weak, does not count"#, "verdict: success, status 200"]),
        (JSON.self, #"{"code":7,"size":1}"#, [#"found: "code" is 7: failure, weak, does not count"#]),
        ([String: JSON].self, #"{"code":0,"data":{"name":"x"}}"#, ["type: Dictionary<String, JSON> fits the payload"]),
        ((any Sendable).self, #"{"code":0,"data":1}"#, ["decoded: bytes 17..<18 of the body: 1"]),
    ]

    @Test("the explanation for a type has the signs and the part that fits")
    func country() {
        #expect(
            Envelope.standard.explain(Data(#"{"code":86,"name":"China"}"#.utf8), as: Country.self) == """
                response: status 200, no content type, 26 bytes
                found: "code" is 86: failure, weak, does not count
                beside them: other members
                type: Country fits the whole body
                envelope: none, since no sign counts in what may be a model: the object is taken as it is
                verdict: success, status 200
                decoded: the whole body: {"code":86,"name":"China"}
                """)
    }

    @Test("an explanation names the keys that the type keeps, the part it fits and the decoded bytes", arguments: typedRows.indices)
    func typed(row: Int) {
        let (type, body, expected) = Self.typedRows[row]
        let lines = Envelope.standard.explain(Data(body.utf8), as: type).split(separator: "\n").map(String.init)
        for line in expected { #expect(lines.contains(line), "\(lines)") }
    }

    @Test("an explanation says where a body is not valid JSON")
    func malformed() {
        let text = Envelope.standard.explain(Data("{\"code\":0,}".utf8))
        #expect(text.contains("JSON: not valid JSON"))
        #expect(text.contains("verdict: failure, decoding -2: Cannot decode JSON: the response is not valid JSON"))
    }

    @Test("an explanation hides secrets and is bounded")
    func bounded() {
        let body = #"{"code":0,"data":{"token":"made-up"},"msg":""# + String(repeating: "m", count: 100_000) + #""}"#
        let text = Envelope.standard.explain(Data(body.utf8))
        #expect(!text.contains("made-up"))
        #expect(text.utf8.count < 8_000)
    }

    @Test(
        "a decoding error carries the explanation, other errors do not",
        arguments: [
            (#"{"code":0,"data":"x"}"#, "decoded: bytes 17..<20"), (#"{"code":0}"#, "decoded: nothing"), ("<html>", "JSON: not valid JSON"),
        ])
    func inErrors(row: (body: String, part: String)) async throws {
        let request = Client(transport: ClosureTransport { _ in .json(row.body) }).absoluteURL("https://forum.example.com/x")
        let error = try #require(await #expect(throws: APIError.self) { try await request.value(as: Int.self) })
        #expect(error.explanation?.contains(row.part) == true)
        let business = Client(transport: ClosureTransport { _ in .json(#"{"code":5}"#) }).absoluteURL("https://forum.example.com/x")
        #expect(await #expect(throws: APIError.self) { try await business.value(as: Int.self) }?.explanation == nil)
    }
}
