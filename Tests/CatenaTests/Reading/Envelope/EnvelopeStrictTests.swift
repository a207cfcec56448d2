import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The strict envelope", .limitedParallelism)
struct EnvelopeStrictTests {
    /// A response of a backend, and the outcomes without a type, as a type with the key `id`, of `void()` and of `data()`.
    struct Row: Sendable, CustomStringConvertible {
        let backend: String
        let status: Int
        let body: String
        let outcomes: [String]

        init(_ backend: String, _ status: Int, _ body: String, _ outcomes: String...) {
            (self.backend, self.status, self.body) = (backend, status, body)
            self.outcomes = outcomes.count == 1 ? Array(repeating: outcomes[0], count: 4) : outcomes
        }

        var description: String { "\(backend) \(status) \(body)" }
    }

    private static let backends: [String: Envelope] = [
        "wallet": Envelope(code: "code", success: 0, message: "msg", data: "data"),
        "bank": Envelope(code: "head.code", success: "0000", 200, message: "head.text", data: "body"),
        "rooms": Envelope(flag: "ok", message: "error", data: "result"),
        "mini": Envelope(code: "errcode", success: 0, message: "errmsg").missingCode(.succeed),
        "list": Envelope(code: "state", success: "OK", message: "why", data: "items[0]").success(status: 204, 404).authentication("OUT"),
    ]

    static let rows = [
        Row("wallet", 200, #"{"code":0,"msg":"","data":{"id":1}}"#, "ok", "ok", "ok", "ok"),
        Row("wallet", 200, #"{"code":"0","data":{"id":1}}"#, "ok", "ok", "ok", "ok"),
        Row("wallet", 200, #"{"code":0.0,"data":{"id":1}}"#, "ok", "ok", "ok", "ok"),
        Row("wallet", 200, #"{"code":"00","data":{"id":1}}"#, "fail 00"),
        Row("wallet", 200, #"{"code":0.5,"data":{"id":1}}"#, "fail 0.5"),
        Row("wallet", 200, #"{"code":200,"data":{"id":1}}"#, "fail 200"),
        Row("wallet", 200, #"{"code":7,"msg":"no","data":{"id":1}}"#, "fail 7"),
        Row("wallet", 200, #"{"code":7,"msg":"no","id":1}"#, "fail 7"),
        Row("wallet", 200, #"{"code":false,"data":{"id":1}}"#, "fail unrecognized"),
        Row("wallet", 200, #"{"code":null,"data":{"id":1}}"#, "fail unrecognized"),
        Row("wallet", 200, #"{"code":"","data":{"id":1}}"#, "fail unrecognized"),
        Row("wallet", 200, #"{"code":{"a":0},"data":{"id":1}}"#, "fail unrecognized"),
        Row("wallet", 200, #"{"Code":0,"data":{"id":1}}"#, "fail unrecognized"),
        Row("wallet", 200, #"{"data":{"id":1}}"#, "fail unrecognized"),
        Row("wallet", 200, #"[{"code":0}]"#, "fail unrecognized"),
        Row("wallet", 200, "0", "fail unrecognized"),
        Row("wallet", 200, "null", "fail unrecognized"),
        Row("wallet", 200, "", "fail unrecognized"),
        Row("wallet", 200, " \r\n\t", "fail unrecognized"),
        Row("wallet", 200, "<html>Sign in</html>", "fail unrecognized"),
        Row("wallet", 200, #"{"code":0,"data":{"id":1}"#, "fail unrecognized"),
        Row("wallet", 200, #"{"code":0,"success":false,"error":"e","data":{"id":1,"error_code":5}}"#, "ok", "ok", "ok", "ok"),
        Row("wallet", 200, #"{"code":0,"id":1}"#, "missing", "missing", "ok", "ok"),
        Row("wallet", 200, #"{"code":0,"id":1,"data":null}"#, "missing", "missing", "ok", "ok"),
        Row("wallet", 200, #"{"code":0,"id":1,"data":{"name":"x"}}"#, "ok", "decoding", "ok", "ok"),
        Row("wallet", 500, #"{"code":7,"msg":"no"}"#, "fail 7"),
        Row("wallet", 500, #"{"code":0,"data":{"id":1}}"#, "fail 500"),
        Row("wallet", 502, "<html>Bad gateway</html>", "fail 502"),
        Row("bank", 200, #"{"head":{"code":"0000"},"body":{"id":1}}"#, "ok", "ok", "ok", "ok"),
        Row("bank", 200, #"{"head":{"code":"200"},"body":{"id":1}}"#, "ok", "ok", "ok", "ok"),
        Row("bank", 200, #"{"head":{"code":0,"text":"no"},"body":{"id":1}}"#, "fail 0"),
        Row("rooms", 200, #"{"ok":true,"result":{"id":1}}"#, "ok", "ok", "ok", "ok"),
        Row("rooms", 200, #"{"ok":false,"error":"no","result":{"id":1}}"#, "fail false"),
        Row("rooms", 200, #"{"ok":1,"result":{"id":1}}"#, "fail unrecognized"),
        Row("mini", 200, #"{"id":1}"#, "ok", "ok", "ok", "ok"),
        Row("mini", 200, #"{"errcode":40029,"errmsg":"no","id":1}"#, "fail 40029"),
        Row("list", 204, "", "missing", "missing", "ok", "ok"),
    ]

    @Test("37 responses of five backends have the outcomes of the table, whatever the call wants")
    func table() {
        #expect(Self.rows.count == 37)
        each(Self.rows) { row in
            let envelope = try #require(Self.backends[row.backend])
            let wants: [RuleRow.Want] = [.untyped, .type(AskedType(required: ["id"])), .void, .data]
            let given = try wants.map { RuleOutcome(try answer(row.body, status: row.status), envelope, $0).kind }
            #expect(given == row.outcomes)
        }
    }

    @Test("a failure has the text at the place of the message, or its JSON, or none")
    func message() throws {
        for (body, message) in [
            (#"{"code":7,"msg":"no"}"#, "no"), (#"{"code":7,"msg":{"a":1}}"#, #"{"a":1}"#), (#"{"code":7,"message":"no"}"#, ""),
        ] {
            #expect(RuleOutcome(try answer(body), Self.backends["wallet"] ?? .raw, .untyped).message == message)
        }
    }

    @Test(
        "an error names the place that was read and what stood there",
        arguments: [
            (#"{"code":false,"data":1}"#, #""code", which is false"#), (#"{"Code":0}"#, #"it was looked for at "code"."#),
            ("", "the body is empty"), ("<p>", "the body is no JSON"),
        ])
    func words(body: String, words: String) throws {
        let outcome = RuleOutcome(try answer(body), Self.backends["wallet"] ?? .raw, .untyped)
        #expect(outcome.message.contains(words), "\(outcome.message)")
        #expect(outcome.error?.explanation?.contains("verdict: failure, unrecognizedResponse") == true)
    }

    @Test("the classes of codes follow the strict form")
    func classes() throws {
        let outcome = RuleOutcome(try answer(#"{"state":"OUT"}"#), Self.backends["list"] ?? .raw, .untyped)
        #expect(outcome.error?.category == .authentication)
    }

    @Test("a response to HEAD has no body to judge")
    func head() async throws {
        let client = Client(transport: ClosureTransport { _ in TransportResponse(status: 200, headers: [:], body: TransportBody(Data())) })
        client.defaultHost = "https://wallet.example.com"
        client.configure("wallet") { $0.envelope = Envelope(code: "code", success: 0) }
        try await client.tag("wallet").head("/a").execute(.void).value
        let error = await #expect(throws: APIError.self) { try await client.tag("wallet").get("/a").execute(.void).value }
        #expect(error?.kind == .unrecognizedResponse)
    }

    @Test("no response of a strict envelope is reported")
    func silence() throws {
        let outcome = RuleOutcome(
            try answer(#"{"code":0,"error":"e","data":{"stat":"E7","info":"denied"}}"#), Self.backends["wallet"] ?? .raw, .untyped)
        #expect(!outcome.isReported)
    }
}
