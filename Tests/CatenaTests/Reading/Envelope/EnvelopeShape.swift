import Foundation
import Testing

@testable import Catena

/// A response and its expected outcome.
struct EnvelopeShape: Sendable, CustomTestStringConvertible {
    enum Outcome: Equatable, Sendable {
        /// The whole body.
        case whole
        /// The value at the payload key.
        case payload(String)
        case missing
        case null
        /// The body is not JSON.
        case undecodable
        /// The body has no code at the place that the envelope declares.
        case unrecognized
        /// A failure. A message of `nil` matches any message.
        case failure(ErrorCode, String? = nil)
    }

    let name: String
    let status: Int
    let body: String
    /// The outcome that a caller wants.
    let wanted: Outcome
    /// The outcome that the rules give, or `nil` if they give `wanted`.
    let given: Outcome?
    /// Whether the client reports that the response looks like a failure.
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
    /// Returns the outcome of a call for a dynamic value, and whether the client would report it.
    static func of(_ response: HTTPResponse, _ envelope: Envelope = .standard) throws -> (outcome: Self, isReported: Bool) {
        do {
            let reading = try EnvelopeReader(envelope: envelope, decoded: JSON.self).read(response)
            let isReported = reading.contents.suspectedFailure != nil
            switch reading.payload {
            case .body: return (.whole, isReported)
            case .range, .bytes: return (.payload(String(decoding: try #require(reading.payloadBytes), as: UTF8.self)), isReported)
            case .empty: return (.missing, isReported)
            case .missing: return (try JSON(parsing: reading.text).isNull ? .null : .whole, isReported)
            }
        } catch let error as APIError {
            if error.kind == .unrecognizedResponse { return (.unrecognized, false) }
            return (error.kind == .decoding ? .undecodable : .failure(error.code, error.message), false)
        }
    }

    /// Whether this is the expected outcome, whose message may be open.
    func meets(_ expected: Self) -> Bool {
        if case .failure(let code, _) = self, case .failure(let wanted, nil) = expected { return code == wanted }
        return self == expected
    }
}
