import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The reader compared with a plain implementation of the rules", .limitedParallelism)
struct EnvelopeDifferenceTests {
    private static let statuses = [200, 200, 200, 200, 200, 201, 400, 404, 500]

    @Test("random bodies have the same verdict, code, message and payload", arguments: 0..<20)
    func random(part: Int) throws {
        var body = PlainBody(random: SplitMix(state: UInt64(part) &* 7919 + 1))
        for _ in 0..<Thoroughness.count(whole: 1000, sample: 150) {
            let value = body.object()
            let status = Self.statuses.randomElement(using: &body.random) ?? 200
            let type = body.type(for: value)
            for want in [PlainWant.anything, .nothing, .type(type)] {
                let plain = PlainReading(value, status: status, want)
                let (given, look) = try read(value, status, want)
                let wanted = self.outcome(plain.outcome, want)
                let wantedLook = wanted == .missing || wanted == .undecodable ? nil : plain.look
                guard given != wanted || look != wantedLook else { continue }
                Issue.record(
                    "\(text(value)) \(status) \(want): \(text(given)) \(look ?? "-"), by the rules \(text(wanted)) \(wantedLook ?? "-")")
                return
            }
        }
    }

    private func text(_ value: JSON) -> String { String(decoding: value.encoded, as: UTF8.self) }

    private func text(_ outcome: PlainReading.Outcome) -> String {
        if case .gives(let value) = outcome { "gives \(text(value))" } else { "\(outcome)" }
    }

    /// Reduces the value to the part that a typed call sees.
    private func outcome(_ outcome: PlainReading.Outcome, _ want: PlainWant) -> PlainReading.Outcome {
        guard case .gives(let value) = outcome, case .type(let type) = want else { return outcome }
        return .gives(JSON(members: type.keys.sorted().map { JSONObject.Member(key: $0, value: value[$0]) }))
    }

    private func read(_ value: JSON, _ status: Int, _ want: PlainWant) throws -> (PlainReading.Outcome, look: String?) {
        let response = try answer(value.encoded, status: status)
        do {
            switch want {
            case .anything:
                let reading = try EnvelopeReader(envelope: .standard, decoded: JSON.self).read(response)
                return (.gives(try ResultDecoder<JSON>.json.value(reading) { JSONPayloadDecoder() }), reading.suspectedFailure?.place)
            case .nothing:
                let reading = try EnvelopeReader(envelope: .standard, decoded: Void.self).read(response)
                return (.nothing, reading.suspectedFailure?.place)
            case .type(let type):
                return try AskingModel.$keys.withValue(type) { try readTyped(response, type) }
            }
        } catch let error as APIError {
            switch error.kind {
            case .decoding: return (.undecodable, nil)
            case .missingPayload: return (.missing, nil)
            default: return (.fails(error.code, error.message), nil)
            }
        }
    }

    private func readTyped(_ response: HTTPResponse, _ type: PlainType) throws -> (PlainReading.Outcome, look: String?) {
        let decoder = JSONPayloadDecoder()
        var reader = EnvelopeReader(envelope: .standard, decoded: AskingModel.self)
        reader.fit = EnvelopeReader.fit(by: decoder)
        let reading = try reader.verdict(on: response)
        let model = try ResultDecoder<AskingModel>.decodable(AskingModel.self).value(reading) { decoder }
        let members = type.keys.sorted().map { JSONObject.Member(key: $0, value: model.values[$0] ?? .nullValue) }
        return (.gives(JSON(members: members)), reading.suspectedFailure?.place)
    }
}
