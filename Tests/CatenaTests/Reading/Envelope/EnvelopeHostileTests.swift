import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Envelopes of damaged bodies", .limitedParallelism)
struct EnvelopeHostileTests {
    /// SplitMix64, so that each run has the same bodies.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    private static let envelopes: [Envelope] = [
        .standard, .alipay, .jsend, .graphQL, .standard.codes("a[3].b").addFlags("*_ok").missingPayload(.body).payloadInText(),
        .anyOf([.tencentCloud, .standard]),
    ]

    @Test("each damaged body has a verdict, and the same one each time", arguments: 0..<8)
    func anything(seed: UInt64) throws {
        var random = Generator(state: seed)
        let seeds = (UsualShapes.all + PublicShapes.all).map { Array($0.body.utf8) }
        let pieces = ["\"error\":", "\"code\":0,", "null", "{", "}", "[", "]", "\"", "\\u0065rror", ",", "1e999", "true", "\"\""].map {
            Array($0.utf8)
        }
        for _ in 0..<Thoroughness.count(whole: 400, sample: 80) {
            var bytes = seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.removeSubrange(place...)
                default: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
                }
            }
            let status = [200, 201, 400, 404, 500].randomElement(using: &random) ?? 200
            let response = try answer(Data(bytes), status: status)
            for envelope in Self.envelopes {
                let first = try EnvelopeShape.Outcome.of(response, envelope)
                #expect(try EnvelopeShape.Outcome.of(response, envelope) == first)
                _ = envelope.explain(response)
                // Neither an error status nor a body that is not JSON is a success.
                let isSuccess = if case .failure = first.outcome { false } else { first.outcome != .undecodable }
                if status >= 400 { #expect(!isSuccess) }
                if isSuccess, first.outcome != .missing { #expect(throws: Never.self) { try JSON(parsing: BodyText.utf8(of: response)) } }
            }
        }
    }

    @Test("numbers beyond any integer keep their digits", arguments: ["99999999999999999999", "-99999999999999999999", "1e400", "0.1"])
    func numbers(digits: String) throws {
        #expect(try EnvelopeShape.Outcome.of(answer(#"{"errcode":\#(digits),"msg":"m"}"#)).outcome == .failure(.string(digits), "m"))
        #expect(try EnvelopeShape.Outcome.of(answer(#"{"code":0,"data":\#(digits)}"#)).outcome == .payload(digits))
        #expect(try EnvelopeShape.Outcome.of(answer(#"{"error":{"code":\#(digits)}}"#)).outcome == .failure(.string(digits), ""))
    }

    @Test("a document of very many members, or with one member many times, is read in one pass")
    func many() throws {
        let many = "{" + (0..<50_000).map { "\"key\($0)\":\($0)" }.joined(separator: ",") + #","code":5,"msg":"m"}"#
        // An object with that many other members is a model.
        #expect(try EnvelopeShape.Outcome.of(answer(many)).outcome == .whole)
        let alike =
            "{"
            + (0..<10_000).map { String(repeating: "_", count: $0 % 50) + "Err-C_ode\($0 % 2 == 0 ? "" : "x")" }.map { "\"\($0)\":7" }
            .joined(separator: ",") + "}"
        #expect(try EnvelopeShape.Outcome.of(answer(alike)).outcome == .failure(7, ""))
        let contradicting = #"{"err_code":0,"errCode":5,"Err-Code":"E","data":1}"#
        #expect(try EnvelopeShape.Outcome.of(answer(contradicting)).outcome == .payload("1"))
        let errors = "{" + (0..<50_000).map { "\"error\($0)\":{}" }.joined(separator: ",") + "}"
        #expect(try EnvelopeShape.Outcome.of(answer(errors)).outcome == .whole)
        let same = #"{"code":0,"data":1"# + String(repeating: #","code":5,"data":2"#, count: 50_000) + "}"
        #expect(try EnvelopeShape.Outcome.of(answer(same)).outcome == .payload("1"))
    }
}
