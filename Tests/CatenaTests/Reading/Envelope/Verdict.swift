import Foundation
import Testing

@testable import Catena

/// The outcome of reading a response with an envelope, for the tables of the tests.
enum Verdict: Equatable, CustomTestStringConvertible {
    /// The payload is this text.
    case payload(String)
    /// The whole body is the payload.
    case whole
    case missing
    case empty
    case failure(APIError.Kind, ErrorCode, String)

    static func business(_ code: ErrorCode, _ message: String = "") -> Verdict { .failure(.business, code, message) }
    static func status(_ code: ErrorCode, _ message: String = "") -> Verdict { .failure(.status, code, message) }
    static let notJSON = Verdict.failure(.decoding, -2, "")
    static let unrecognized = Verdict.failure(.unrecognizedResponse, -4, "")

    init(_ body: String, status: Int = 200, envelope: Envelope = .standard, decoded: Any.Type? = JSON.self) throws {
        self = try Verdict(answer(body, status: status), envelope: envelope, decoded: decoded)
    }

    init(_ response: HTTPResponse, envelope: Envelope = .standard, decoded: Any.Type? = JSON.self) throws {
        do {
            let reading = try EnvelopeReader(envelope: envelope, decoded: decoded).read(response)
            switch reading.payload {
            case .body: self = .whole
            case .range, .bytes: self = .payload(String(decoding: try #require(reading.payloadBytes), as: UTF8.self))
            case .missing: self = .missing
            case .empty: self = .empty
            }
        } catch let error as APIError {
            // Messages about invalid JSON have a test of their own.
            self = .failure(error.kind, error.code, error.kind == .decoding || error.kind == .unrecognizedResponse ? "" : error.message)
        }
    }

    var testDescription: String { String(describing: self) }
}

/// Returns a response with this body.
func answer(_ body: String, status: Int = 200, headers: HTTPHeaders = [:]) throws -> HTTPResponse {
    try answer(Data(body.utf8), status: status, headers: headers)
}

func answer(_ body: Data, status: Int = 200, headers: HTTPHeaders = [:]) throws -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, body: body, address: try HTTPAddress(parsing: "https://forum.example.com/users"))
}
