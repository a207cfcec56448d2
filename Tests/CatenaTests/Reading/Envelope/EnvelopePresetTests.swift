import Foundation
import Testing

@testable import Catena

@Suite("Envelopes of known formats", .limitedParallelism)
struct EnvelopePresetTests {
    private static let problem: HTTPHeaders = ["Content-Type": "application/problem+json; charset=utf-8"]

    @Test("problem details are recognized by their media type alone")
    func problemDetails() throws {
        let body = #"{"type":"https://example.com/out-of-credit","title":"t","status":403,"detail":"d","instance":"/log/7","balance":30}"#
        let error = try #require(throws: APIError.self) {
            try Envelope.problemDetails.read(answer(body, status: 403, headers: Self.problem))
        }
        #expect(error.kind == .status)
        #expect(error.code == 403)
        #expect(error.message == "d")
        #expect(error.traceID == "/log/7")
        #expect(try Verdict(answer(body, headers: ["Content-Type": "application/json"]), envelope: .problemDetails) == .whole)
        #expect(try Verdict(answer(body, status: 403), envelope: .problemDetails) == .status(403))
        let blank = try answer(#"{"type":"about:blank","title":"t"}"#, status: 404, headers: Self.problem)
        #expect(try Verdict(blank, envelope: .problemDetails) == .status(404, "t"))
        #expect(try Verdict(answer(#"{"title":"t"}"#, headers: Self.problem), envelope: .problemDetails) == .business("false", "t"))
        #expect(
            try Verdict(answer(#"{"code":"E7","type":"x"}"#, status: 400, headers: Self.problem), envelope: .problemDetails)
                == .status("E7"))
    }

    @Test(
        "problem details are a failure whatever their members and the status are",
        arguments: ["{}", #"{"errors":[{"a":1}]}"#, #"{"instance":"/i"}"#, #"{"type":"about:blank"}"#, #"{"status":200,"x":1}"#])
    func problemWithoutWords(body: String) throws {
        for envelope in [Envelope.problemDetails, .anyOf([.standard, .problemDetails])] {
            #expect(try Verdict(answer(body, headers: Self.problem), envelope: envelope) == .business("false"))
            #expect(try Verdict(answer(body, status: 503, headers: Self.problem), envelope: envelope) == .status(503))
        }
        #expect(
            Envelope.problemDetails.explain(Data(body.utf8), headers: Self.problem)
                .contains("envelope: failure, as is each response of the media type application/problem+json\n"))
        #expect(try Verdict(answer(body), envelope: .problemDetails) == .whole)
    }

    @Test(
        "a member of a problem that has another JSON type than RFC 9457 gives it is ignored",
        arguments: [
            // the members, the status, the failure
            (#""type":7,"title":"t""#, 400, .status(400, "t")), (#""type":{"code":"E7"},"detail":"d""#, 400, .status(400, "d")),
            (#""type":["E7"]"#, 400, .status(400)), (#""type":true"#, 400, .status(400)), (#""type":null,"code":"E7""#, 400, .status("E7")),
            (#""title":["t"],"detail":"d""#, 400, .status(400, "d")), (#""title":{"en":"t"}"#, 400, .status(400)),
            (#""detail":{"text":"d"},"title":"t""#, 400, .status(400, "t")), (#""detail":["d"],"title":"t""#, 200, .business("false", "t")),
            (#""detail":404,"title":"t""#, 404, .status(404, "t")), (#""detail":false"#, 404, .status(404)),
            (#""detail":null,"title":"t""#, 404, .status(404, "t")), (#""status":"200","title":"t""#, 503, .status(503, "t")),
            (#""status":{"code":0},"title":"t""#, 200, .business("false", "t")),
            (#""instance":{"id":7},"title":"t""#, 400, .status(400, "t")),
            // All of them at once, and beside members of the backend's own, which may have any type.
            (#""type":1,"title":2,"status":"3","detail":4,"instance":5"#, 500, .status(500)),
            (#""type":1,"title":2,"detail":4,"code":"E7","errors":"x""#, 500, .status("E7")),
        ] as [(String, Int, Verdict)])
    func problemOfWrongTypes(members: String, status: Int, expected: Verdict) throws {
        for envelope in [Envelope.problemDetails, .standard, .anyOf([.standard, .problemDetails])] {
            let response = try answer("{\(members)}", status: status, headers: Self.problem)
            #expect(try Verdict(response, envelope: envelope) == expected)
        }
    }

    @Test("an ignored member of a problem is no trace ID, and no explanation names it")
    func ignoredMembers() throws {
        let response = try answer(
            #"{"type":1,"title":"t","status":"403","detail":{},"instance":[7]}"#, status: 403, headers: Self.problem)
        let error = try #require(throws: APIError.self) { try Envelope.problemDetails.read(response) }
        #expect(error.traceID == nil)
        let explanation = Envelope.problemDetails.explain(response)
        #expect(explanation.contains("code: none at \"code\", \"type\""))
        #expect(explanation.contains("message: \"title\" is \"t\""))
    }

    @Test("Google's retry delay is found at any place among the first ten details", arguments: [0, 3, 9])
    func retryInfo(place: Int) throws {
        let details = (0...9).map { $0 == place ? #"{"@type":"RetryInfo","retryDelay":"3s"}"# : #"{"@type":"x"}"# }
        let busy = #"{"error":{"status":"UNAVAILABLE","details":[\#(details.joined(separator: ","))]}}"#
        let error = try #require(throws: APIError.self) { try Envelope.google.read(answer(busy, status: 503)) }
        #expect(error.retryAfter == .seconds(3))
    }

    typealias Row = (envelope: Envelope, status: Int, body: String, verdict: Verdict)

    static let rows: [Row] = [
        (.jsonAPI, 200, #"{"data":[1],"meta":{}}"#, .payload("[1]")),
        (.jsonAPI, 200, #"{"data":null}"#, .payload("null")),
        (.jsonAPI, 422, #"{"errors":[{"status":"422","code":"E1","title":"t","detail":"d"}]}"#, .status("E1", "d")),
        (.jsonAPI, 422, #"{"errors":[{"status":"422","title":"t"}]}"#, .status("422", "t")),
        (.jsonAPI, 200, #"{"errors":[{"title":"t"}]}"#, .business("false", "t")),
        (.google, 404, #"{"error":{"code":404,"message":"m","status":"NOT_FOUND"}}"#, .status("NOT_FOUND", "m")),
        (.google, 403, #"{"error":{"code":403,"message":"m"}}"#, .status(403, "m")),
        (.google, 200, #"{"name":"x","code":5,"data":1}"#, .whole),
        (.graphQL, 200, #"{"data":{"a":1}}"#, .payload(#"{"a":1}"#)),
        (.graphQL, 200, #"{"data":{"a":1},"errors":[]}"#, .payload(#"{"a":1}"#)),
        (.graphQL, 200, #"{"data":null,"errors":[{"message":"m","extensions":{"code":"E"}}]}"#, .business("E", "m")),
        (.graphQL, 200, #"{"data":{"a":1},"errors":[{"message":"m"}]}"#, .business("false", "m")),
        (.graphQL.allowPartialPayload(), 200, #"{"data":{"a":1},"errors":[{"message":"m"}]}"#, .payload(#"{"a":1}"#)),
        (.graphQL.allowPartialPayload(), 200, #"{"data":null,"errors":[{"message":"m"}]}"#, .business("false", "m")),
        (.jsonRPC, 200, #"{"jsonrpc":"2.0","id":1,"result":[1]}"#, .payload("[1]")),
        (.jsonRPC, 200, #"{"jsonrpc":"2.0","id":1,"result":null}"#, .payload("null")),
        (.jsonRPC, 200, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m"}}"#, .business(-32601, "m")),
        (.oauth, 400, #"{"error":"invalid_grant","error_description":"m"}"#, .status("invalid_grant", "m")),
        (.oauth, 200, #"{"access_token":"made-up","token_type":"bearer"}"#, .whole),
    ]

    @Test("each format is read by its own rules", arguments: rows.indices)
    func format(row: Int) throws {
        let (envelope, status, body, verdict) = Self.rows[row]
        #expect(try Verdict(body, status: status, envelope: envelope) == verdict)
    }

    /// Successes that look like a failure of their format, and failures that look like a success.
    static let lookAlikes: [Row] = [
        (
            .jsonAPI, 200, #"{"data":{"type":"errors","id":"1","attributes":{"code":"E1","detail":"d"}}}"#,
            .payload(#"{"type":"errors","id":"1","attributes":{"code":"E1","detail":"d"}}"#)
        ),
        (.jsonAPI, 200, #"{"data":[],"errors":[]}"#, .payload("[]")),
        (.jsonAPI, 200, #"{"data":[],"meta":{"errors":2,"code":7}}"#, .payload("[]")),
        (.jsonAPI, 200, #"{"errors":[{}],"data":[1]}"#, .business("false")),
        (.google, 200, #"{"error":null,"name":"x"}"#, .whole),
        (.google, 200, #"{"error":"none so far","name":"x"}"#, .business("false")),
        (.google, 200, #"{"status":"NOT_FOUND","message":"m"}"#, .whole),
        (.google, 200, #"{"done":true,"error":{"code":5,"message":"m"}}"#, .business(5, "m")),
        (.graphQL, 200, #"{"data":{"errors":[{"message":"m"}]}}"#, .payload(#"{"errors":[{"message":"m"}]}"#)),
        (.graphQL, 200, #"{"data":{"a":1},"errors":null}"#, .payload(#"{"a":1}"#)),
        (.graphQL, 200, #"{"data":{"a":1},"extensions":{"code":"E","message":"m"}}"#, .payload(#"{"a":1}"#)),
        (.graphQL, 200, #"{"errors":[{"message":"m"}]}"#, .business("false", "m")),
        (
            .jsonRPC, 200, #"{"jsonrpc":"2.0","id":1,"result":{"error":{"code":5,"message":"m"}}}"#,
            .payload(#"{"error":{"code":5,"message":"m"}}"#)
        ),
        (.jsonRPC, 200, #"{"jsonrpc":"2.0","id":1,"error":null,"result":1}"#, .payload("1")),
        (.jsonRPC, 200, #"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":-32000,"message":"m"}}"#, .business(-32000, "m")),
        (.oauth, 200, #"{"access_token":"made-up","scope":"error read","error_uri":null}"#, .whole),
        (.oauth, 200, #"{"error":"","access_token":"made-up"}"#, .whole),
        (
            .oauth, 200, #"{"error":"bad_verification_code","error_description":"m","error_uri":"u"}"#,
            .business("bad_verification_code", "m")
        ),
        (.problemDetails, 200, #"{"type":"https://example.com/room","title":"t","status":403,"detail":"d"}"#, .whole),
        (.raw, 200, #"{"code":5,"message":"m"}"#, .whole),
    ]

    @Test("a body that looks like the other outcome is read by the rules of its format")
    static func lookAlikeRows() {
        each(lookAlikes.indices) { try Self().lookAlike(row: $0) }
    }

    func lookAlike(row: Int) throws {
        let (envelope, status, body, verdict) = Self.lookAlikes[row]
        #expect(try Verdict(body, status: status, envelope: envelope) == verdict)
    }

    @Test("a preset gives its codes their classes and waits")
    func classes() throws {
        let busy = #"{"error":{"status":"UNAVAILABLE","details":[{"@type":"x"},{"@type":"RetryInfo","retryDelay":"3s"}]}}"#
        let error = try #require(throws: APIError.self) { try Envelope.google.read(answer(busy, status: 503)) }
        #expect(error.category == .retryable)
        #expect(error.retryAfter == .seconds(3))
        let denied = try #require(throws: APIError.self) { try Envelope.oauth.read(answer(#"{"error":"invalid_token"}"#, status: 401)) }
        #expect(denied.category == .authentication)
    }

    @Test("of several envelopes, the first that recognizes the response reads it")
    func anyOf() throws {
        let envelope = Envelope.anyOf([.problemDetails, .google, .standard])
        #expect(try Verdict(#"{"code":0,"data":1}"#, envelope: envelope) == .payload("1"))
        #expect(try Verdict(#"{"code":5,"msg":"m"}"#, envelope: envelope) == .business(5, "m"))
        #expect(
            try Verdict(#"{"error":{"status":"ABORTED","message":"m"},"code":0,"data":1}"#, envelope: envelope) == .business("ABORTED", "m")
        )
        #expect(try Verdict(answer(#"{"title":"t","code":0}"#, headers: Self.problem), envelope: envelope) == .business(0, "t"))
        #expect(try Verdict("[1]", envelope: envelope) == .whole)
        #expect(try Verdict(#"{"name":"x"}"#, envelope: envelope) == .whole)
        // If none recognizes an error response, the first message found is used.
        #expect(try Verdict(#"{"message":"m"}"#, status: 500, envelope: envelope) == .status(500, "m"))
        #expect(try Verdict("[1]", envelope: .anyOf([])) == .whole)
        #expect(try Verdict(#"{"code":5}"#, envelope: .anyOf([])) == .whole)
        #expect(try Verdict(#"{"code":5,"data":1}"#, envelope: envelope.success(5)) == .payload("1"))
    }
}
