import Foundation

/// The transformation of payloads before they are decoded.
enum PayloadTransform: Sendable {
    case ofPayload(@Sendable (Data) throws -> Data)
    case ofPayloadAndRequest(@Sendable (Data, HTTPRequest) throws -> Data)

    var needsRequest: Bool {
        if case .ofPayloadAndRequest = self { true } else { false }
    }

    func callAsFunction(_ payload: Data, _ request: HTTPRequest?) throws -> Data {
        switch self {
        case .ofPayload(let transform): return try transform(payload)
        case .ofPayloadAndRequest(let transform):
            guard let request else { throw MissingRequest() }
            return try transform(payload, request)
        }
    }

    /// The error of a response that no call has received.
    struct MissingRequest: LocalizedError {
        var errorDescription: String? { "it needs the request of the response, and this response has none" }
    }
}
