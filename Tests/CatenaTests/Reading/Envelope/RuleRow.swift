import Foundation
import Testing

@testable import Catena

/// A response, what the call wants, and the outcome by the rules.
struct RuleRow: Decodable, Sendable, CustomStringConvertible {
    enum Want: Decodable, Sendable {
        case untyped, void, data
        case type(AskedType)

        init(from decoder: any Decoder) throws {
            guard let name = try? decoder.singleValueContainer().decode(String.self) else {
                self = .type(try AskedType(from: decoder))
                return
            }
            self = name == "void" ? .void : name == "data" ? .data : .untyped
        }
    }

    /// The steps of `.standard`.
    struct Steps: Decodable, Sendable {
        var success, addSuccess, known: [RowCode]?
        var codes, flags, data, addCodes, addFlags: [String]?

        var envelope: Envelope {
            Envelope.standard.changed { rules in
                if let success { rules.successes.set = success.map(\.code) }
                rules.successes.added = (addSuccess ?? []).map(\.code)
                if let known { rules.classify(known.map(\.code), .authentication) }
                if let codes { rules.codes.set = codes }
                if let flags { rules.flags.set = flags }
                if let data { rules.payloads.set = data }
                rules.codes.added = addCodes ?? []
                rules.flags.added = addFlags ?? []
            }
        }
    }

    struct Strict: Decodable, Sendable {
        let code, flag, message, data: String?
        let success: [RowCode]

        var envelope: Envelope {
            if let flag { return Envelope(flag: flag, message: message, data: data) }
            return Envelope(code: code ?? "", success: 0, message: message, data: data).changed {
                $0.successes.set = success.map(\.code)
            }
        }
    }

    let name: String?
    let body: String
    let status: Int?
    let want: Want?
    let config: Steps?
    let strict: Strict?
    /// `ok`, `ok` with the JSON of the value, `missing`, `decoding`, `fail`, or `fail` with the code.
    let outcome: String
    let message: String?
    let place: String?
    let value: String?
    let reported: Bool?

    var description: String { "\(name ?? "") \(body) \(status ?? 200) \(want.map { "\($0)" } ?? "")" }

    var envelope: Envelope { strict?.envelope ?? config?.envelope ?? .standard }

    static func all(_ name: String) throws -> [RuleRow] {
        let file = URL.packageRoot.appending(path: "Tests/EnvelopeShapes/\(name).json")
        return try JSONDecoder().decode([RuleRow].self, from: Data(contentsOf: file))
    }
}

/// A code of a row: a number or text.
struct RowCode: Decodable, Sendable {
    let code: ErrorCode

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            code = .integer(number)
        } else {
            code = .string(try container.decode(String.self))
        }
    }
}

/// The outcome of a response for a call.
struct RuleOutcome {
    /// `ok`, `missing`, `decoding`, or `fail` with the code.
    var kind: String
    var message = ""
    /// The decoded value. Of a type, only the keys that it asks for.
    var value: JSON?
    var isReported = false
    var error: APIError?

    init(_ response: HTTPResponse, _ envelope: Envelope, _ want: RuleRow.Want?) {
        kind = "ok"
        do {
            switch want ?? .untyped {
            case .untyped: try read(response, envelope, .json) { $0 }
            case .void: try read(response, envelope, .void) { _ in nil }
            case .data: try read(response, envelope, .data) { try? JSON(parsing: $0) }
            case .type(let type):
                try AskingModel.$keys.withValue(type) {
                    switch type.scalar {
                    case "bool"?: try read(response, envelope, .decodable(Bool.self)) { JSON(.bool($0)) }
                    case "number"?: try read(response, envelope, .decodable(Double.self)) { try? JSON(parsing: "\($0)".utf8) }
                    case "string"?: try read(response, envelope, .decodable(String.self)) { JSON(.string($0)) }
                    default:
                        if type.isOptional == true {
                            try read(response, envelope, .decodable(AskingModel?.self)) { $0.flatMap(Self.members) }
                        } else {
                            try read(response, envelope, .decodable(AskingModel.self), Self.members)
                        }
                    }
                }
            }
        } catch let error as APIError {
            self.error = error
            message = error.message
            switch error.kind {
            case .decoding: kind = "decoding"
            case .missingPayload: kind = "missing"
            case .unrecognizedResponse: kind = "fail unrecognized"
            default: kind = "fail \(error.code)"
            }
        } catch {
            kind = "\(error)"
        }
    }

    private static func members(of model: AskingModel) -> JSON? {
        JSON(members: AskingModel.keys.keys.map { JSONObject.Member(key: $0, value: model.values[$0] ?? .nullValue) })
    }

    private mutating func read<Value: Sendable>(
        _ response: HTTPResponse, _ envelope: Envelope, _ target: ResultDecoder<Value>, _ json: (Value) -> JSON?
    ) throws {
        let decoder = JSONPayloadDecoder()
        var reader = EnvelopeReader(envelope: envelope, decoded: target.decoded)
        reader.fit = EnvelopeReader.fit(by: decoder)
        let reading = try reader.read(response)
        isReported = reading.contents.suspectedFailure != nil
        value = json(try target.value(reading) { decoder })
    }

    /// Whether this is the outcome of a row.
    func meets(_ row: RuleRow) -> Bool {
        if row.outcome == kind || row.outcome == "fail" && kind.hasPrefix("fail") {
            guard kind == "ok", let place = row.place, place != "nil" else { return row.message.map { $0 == message } ?? true }
            return isValue(row.value ?? row.body, row)
        }
        guard kind == "ok", row.outcome.hasPrefix("ok ") else { return false }
        let wanted = String(row.outcome.dropFirst(3))
        return wanted == "None" ? value == nil : isValue(wanted, row)
    }

    private func isValue(_ text: String, _ row: RuleRow) -> Bool {
        guard
            let wanted = try? JSON(
                parsing: text.lowercased() == "true" || text.lowercased() == "false" ? text.lowercased().utf8 : text.utf8)
        else { return false }
        guard case .type(let type)? = row.want, type.scalar == nil else { return value == wanted }
        return value == JSON(members: type.keys.map { JSONObject.Member(key: $0, value: wanted[$0]) })
    }
}
