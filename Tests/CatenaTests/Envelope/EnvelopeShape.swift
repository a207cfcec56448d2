import Foundation
import Testing

@testable import Catena

/// A response, and what is to become of it.
struct EnvelopeShape: Sendable, CustomTestStringConvertible {
    enum Outcome: Equatable, Sendable {
        /// The whole body.
        case whole
        /// What is at the payload key.
        case payload(String)
        case missing
        case null
        /// It is no JSON.
        case undecodable
        /// Without a message, whatever it is.
        case failure(ErrorCode, String? = nil)
    }

    let name: String
    let status: Int
    let body: String
    /// What somebody wants of it.
    let wanted: Outcome
    /// What the rules give in its place, where they give something else.
    let given: Outcome?
    /// Whether it is reported as something that looks like a failure.
    let isReported: Bool

    init(_ status: Int, _ body: String, _ wanted: Outcome, isReported: Bool = false) {
        self.init("", status, body, wanted, isReported: isReported)
    }

    init(_ name: String, _ status: Int, _ body: String, _ wanted: Outcome, given: Outcome? = nil, isReported: Bool = false) {
        self.name = name
        self.status = status
        self.body = body
        self.wanted = wanted
        self.given = given
        self.isReported = isReported
    }

    var testDescription: String { "\(name) \(status) \(body)" }
}

extension EnvelopeShape.Outcome {
    /// What a call for a dynamic value makes of a response, and whether that would be reported.
    static func of(_ response: HTTPResponse, _ envelope: Envelope = .standard) throws -> (outcome: Self, isReported: Bool) {
        do {
            let reading = try EnvelopeReader(envelope: envelope, decoded: JSON.self).read(response)
            let isReported = reading.failureLook != nil
            switch reading.payload {
            case .body: return (.whole, isReported)
            case .range, .bytes: return (.payload(String(decoding: try #require(reading.payloadBytes), as: UTF8.self)), isReported)
            case .empty: return (.missing, isReported)
            case .missing: return (try JSON(parsing: reading.text).isNull ? .null : .whole, isReported)
            }
        } catch let error as APIError {
            return (error.kind == .decoding ? .undecodable : .failure(error.code, error.message), false)
        }
    }

    /// Whether this is what was expected, of which the message may be left open.
    func meets(_ expected: Self) -> Bool {
        if case .failure(let code, _) = self, case .failure(let wanted, nil) = expected { return code == wanted }
        return self == expected
    }
}
