import Foundation
import Testing

@testable import Catena

@Suite("What is declared counts in any order of the steps", .limitedParallelism)
struct EnvelopeOrderTests {
    private static let steps: [(name: String, apply: @Sendable (Envelope) -> Envelope)] = [
        ("codes", { $0.codes("head.code") }), ("addCodes", { $0.addCodes("sub") }), ("flag", { $0.flag("fine") }),
        ("addFlags", { $0.addFlags("good") }), ("failure", { $0.failure("problem") }), ("addFailure", { $0.addFailure("fault") }),
        ("message", { $0.message("head.text") }), ("addMessages", { $0.addMessages("note") }), ("data", { $0.data("body") }),
        ("addData", { $0.addData("list") }), ("success", { $0.success(0, "S") }), ("addSuccess", { $0.addSuccess(20000) }),
        ("where", { $0.success { $0 == 7 } }), ("status", { $0.success(status: 404) }), ("authentication", { $0.authentication(10001) }),
        ("retryable", { $0.retryable(10001, "BUSY", after: .seconds(1)) }), ("validation", { $0.validation(422, "BUSY") }),
        ("maintenance", { $0.maintenance("CLOSED") }), ("message is", { $0.success(whereMessageIs: "fine") }),
        ("missingPayload", { $0.missingPayload(.null) }),
    ]

    private static let bodies = [
        #"{"head":{"code":5,"text":"m"}}"#, #"{"sub":"E7","note":"n"}"#, #"{"fine":false}"#, #"{"good":0,"list":[1]}"#,
        #"{"problem":{"code":1},"body":1}"#, #"{"fault":"f"}"#, #"{"head":{"code":20000},"list":[1],"body":2}"#, #"{"head":{"code":7}}"#,
        #"{"code":10001,"msg":"m"}"#, #"{"head":{"code":10001}}"#, #"{"sub":"BUSY"}"#, #"{"sub":"CLOSED"}"#,
        #"{"success":false,"msg":"m"}"#,
        #"{"status":"failed","message":"m"}"#, #"{"error":{"code":10001}}"#, #"{"head":{"code":200,"text":"fine"}}"#,
        #"{"data":1,"list":2}"#,
    ]

    @Test("300 random orders of steps of each envelope give one reading of each response")
    func orders() throws {
        var random = SplitMix(state: 51)
        for _ in 0..<300 {
            let chosen = Self.steps.shuffled(using: &random).prefix(Int.random(in: 2...8, using: &random))
            let base = Bool.random(using: &random) ? Envelope.standard : .raw
            let readings = try [Array(chosen), chosen.shuffled(using: &random), chosen.reversed()].map { steps in
                let envelope = steps.reduce(base) { $1.apply($0) }
                return try Self.bodies.map { body in
                    let outcome = RuleOutcome(try answer(body), envelope, .untyped)
                    let value = outcome.value.map { String(decoding: $0.encoded, as: UTF8.self) } ?? ""
                    return "\(outcome.kind) \(outcome.message) \(value) \(outcome.error?.category.map { "\($0)" } ?? "")"
                }
            }
            #expect(readings[0] == readings[1] && readings[0] == readings[2], "\(chosen.map(\.name))")
        }
    }

    @Test(
        "a code of a class fails wherever it stands, for any type",
        arguments: [
            #"{"code":10001,"name":"x"}"#, #"{"error_code":10001,"name":"x","a":1,"b":2}"#, #"{"result":{"code":10001},"a":1}"#,
        ])
    func classes(body: String) throws {
        for want in [RuleRow.Want.untyped, .void, .type(AskedType(optional: ["code", "name"]))] {
            let outcome = RuleOutcome(try answer(body), .standard.authentication(10001), want)
            #expect(outcome.kind == "fail 10001")
            #expect(outcome.error?.category == .authentication)
        }
    }

    @Test("GraphQL: the code of an excused error does not fail the call, and the codes of all errors are read for the class")
    func partial() throws {
        let body =
            #"{"data":{"a":1},"errors":[{"message":"m","extensions":{"code":"NOT_FOUND"}},{"extensions":{"code":"UNAUTHENTICATED"}}]}"#
        let envelope = Envelope.graphQL
        #expect(RuleOutcome(try answer(body), envelope.allowPartialPayload(), .untyped).value == (try JSON(parsing: #"{"a":1}"#.utf8)))
        let outcome = RuleOutcome(try answer(body), envelope, .untyped)
        #expect(outcome.kind == "fail NOT_FOUND")
        #expect(outcome.error?.category == .authentication)
        let absent = body.replacing(#"{"a":1}"#, with: "null")
        #expect(RuleOutcome(try answer(absent), envelope.allowPartialPayload(), .untyped).kind == "fail NOT_FOUND")
    }
}
