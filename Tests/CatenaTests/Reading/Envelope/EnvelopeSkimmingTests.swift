import Foundation
import TestSupport
import Testing

@testable import Catena

/// A call for the body or for no value checks only the part of the envelope that its verdict needs.
@Suite("Envelopes, skimmed", .limitedParallelism)
struct EnvelopeSkimmingTests {
    /// - Parameter isStrict: Whether the whole text is checked, as for a call that looks for errors of its own.
    private static func outcome(_ response: HTTPResponse, as decoded: Any.Type?, isStrict: Bool) -> String {
        var reader = EnvelopeReader(envelope: .standard, decoded: decoded)
        if isStrict { reader.ownError = { _ in nil } }
        do {
            let reading = try reader.verdict(on: response)
            return "success"
                + (reading.contents.suspectedFailure == nil ? "" : ", suspected: \(reading.contents.suspectedFailure.debugDescription)")
        } catch {
            return "\(error)"
        }
    }

    private static let bodies = [
        #"{"code":0,"msg":"ok","data":{"list":[1,{"a":"]}"}],"text":"\"quoted\" {["},"more":[[],{}]}"#,
        #"{"code":7,"msg":"no such room","data":{"list":[{"a":1}]}}"#,
        #"{"success":true,"data":[{"code":5,"error":"x"},[[]]],"error":null}"#,
        #"{"success":false,"data":[{"x":"é"}],"errors":[{"message":"日本"}]}"#,
        #"{"status":"error","error":{"code":"E1","message":"m","detail":{"a":[]}}}"#,
        #"[{"id":1,"tags":["a"]},{"id":2}]"#, #"{"id":1,"name":"n","tags":[["x"]],"status":"failed"}"#,
        #"{"data":{"code":3,"msg":"inside"},"meta":{"page":{"n":1}}}"#, #"{"errcode":40001,"errmsg":"m","hints":[1,2]}"#,
    ].map { Array($0.utf8) }

    @Test("damaged bodies have the verdict of a whole scan", arguments: 0..<4, [false, true])
    func verdicts(seed: UInt64, needsNothing: Bool) throws {
        let decoded: Any.Type? = needsNothing ? Void.self : nil
        var random = JSONFuzzTests.Generator(state: seed &* 31 &+ 2)
        var outcomes: [String: Int] = [:]
        let count = Thoroughness.count(whole: 2000, sample: 400)
        for _ in 0..<count {
            let body = JSONFuzzTests.mutate(Self.bodies.randomElement(using: &random) ?? [], &random)
            let response = try answer(Data(body), status: 200)
            let outcome = Self.outcome(response, as: decoded, isStrict: false)
            #expect(outcome == Self.outcome(response, as: decoded, isStrict: true), "\(String(decoding: body, as: UTF8.self))")
            outcomes[outcome.hasPrefix("success") ? "success" : "failure", default: 0] += 1
        }
        #expect(outcomes["success", default: 0] > count / 20)
        #expect(outcomes["failure", default: 0] > count / 20)
    }

    static let unread: [(body: String, fails: Bool)] = [
        // Valid in what the verdict needs.
        (#"{"code":0,"data":{"a":1,}}"#, false),
        (#"{"code":0,"data":[1 2]}"#, false),
        (#"{"code":0,"data":null,}"#, false),
        // Damage does not make a failure a success.
        (#"{"code":7,"data":{"a":1,}}"#, true),
        (#"{"code":7,"data":null,}"#, true),
        (#"{"code":7 "msg":"no comma"}"#, true),
        (#"{"code":7,"msg":"\ud800 \x"}"#, true),
        (#"{"code":7,"msg":"cut o"#, true),
        (#"{"code":7,"data":{"a":[1"#, true),
        (#"{"code":0,"msg":"cut o"#, false),
        (#"["code",7,}"#, false),
        (#"{"code":7,"data":{"a":1}}"#, true),
        (#"{"code":0,"data":{"a":1}} {"code":7}"#, false),
        (#"{"code":7,"data":{"a":1}} trailing"#, true),
        (#"{"code":0,"data":\#(String(repeating: "[", count: 600))\#(String(repeating: "]", count: 600))}"#, true),
        (#"{"code":0,"data":{"a":[1}}"#, false),
        (#"{"code":7,"data":{"a":[1}}"#, true),
    ]

    @Test("a failure whose message is in an undeclared encoding is a failure") func undeclaredEncoding() throws {
        let body = Data(#"{"errcode":40001,"errmsg":""#.utf8) + [0xC4, 0xE3] + Data(#""}"#.utf8)
        for decoded: Any.Type? in [nil, Void.self] {
            let reader = EnvelopeReader(envelope: .standard, decoded: decoded)
            let error = #expect(throws: APIError.self) { try reader.read(answer(body, status: 200)) }
            #expect(error?.code == 40001)
            #expect(error?.message.contains("\u{FFFD}") == true)
        }
    }

    @Test("bytes that the verdict does not need change nothing", arguments: unread)
    func unneeded(row: (body: String, fails: Bool)) throws {
        for decoded: Any.Type? in [nil, Void.self] {
            let response = try answer(Data(row.body.utf8), status: 200)
            #expect((Self.outcome(response, as: decoded, isStrict: false) != "success") == row.fails)
            #expect((Self.outcome(response, as: decoded, isStrict: true) != "success") == row.fails)
        }
    }
}
