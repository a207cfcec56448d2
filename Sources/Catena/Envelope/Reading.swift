public import Foundation

/// What an answer says once its envelope has been read: where its payload is, and what came beside it.
public struct Reading: Sendable {
    /// Where the payload of a successful answer is.
    enum Payload: Sendable, Equatable {
        /// The whole body.
        case body
        /// This range of the body's text.
        case range(Range<Int>)
        /// These bytes, made from what the answer has.
        case bytes(Data)
        /// The answer is an envelope and has none, or is nothing but `null`.
        case missing
        /// There is no body.
        case empty
    }

    /// The answer.
    public let response: HTTPResponse
    /// The body in UTF-8; what ``payload`` is a range of.
    let text: Data
    var payload = Payload.body
    /// The code of the envelope, if there is one.
    public var code: ErrorCode?
    /// The message of the envelope; "" if there is none.
    public var message = ""
    /// The id by which the backend finds the call in its logs.
    public var traceID: String?
    /// What is at the places that ``Envelope/extras(_:)`` names, by place.
    public var extras: [String: JSON] = [:]
    /// How the body is decoded, if it is not JSON.
    var decoder: (any PayloadDecoder)?
    var isJSON = true
    /// Whether the call asks for a place that the body does not have.
    var isPlaceMissing = false
    /// Whether a payload `[]` stands for `{}` where an object is needed.
    var isEmptyArrayObject = false

    /// An answer as it came.
    init(_ response: HTTPResponse) {
        self.response = response
        text = BodyText.utf8(of: response)
    }

    /// What an ``EnvelopeAdapter`` has read.
    ///
    /// - Parameter payload: The bytes that are decoded; `nil` if the answer has none.
    public init(
        _ response: HTTPResponse,
        payload: Data?,
        code: ErrorCode? = nil,
        message: String = "",
        traceID: String? = nil
    ) {
        self.response = response
        text = response.body
        self.payload = payload.map(Payload.bytes) ?? .missing
        self.code = code
        self.message = message
        self.traceID = traceID
    }

    /// The payload's own bytes; `nil` if there is no payload.
    public var payloadBytes: Data? {
        switch payload {
        case .body: text
        case .range(let range): text.bytes(in: range)
        case .bytes(let bytes): bytes
        case .missing, .empty: nil
        }
    }
}

extension Reading: CustomStringConvertible {
    /// Status, code and message on one line, without secrets and without the payload.
    public var description: String {
        let parts = ["status \(response.status)", code.map { "code \($0)" }, message.isEmpty ? nil : message]
        return Redaction.current.line(parts.compactMap { $0 }.joined(separator: " · "))
    }
}
