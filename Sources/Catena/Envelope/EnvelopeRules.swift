import Foundation

/// What an ``Envelope`` says.
struct EnvelopeRules: Sendable {
    struct Code: Sendable {
        let place: String
        /// Whether it counts only beside a message or a payload, or alone.
        let isGuarded: Bool
    }

    struct Class: Sendable {
        let category: APIError.Category
        let delay: Duration?
    }

    var codes: [Code] = []
    /// Booleans that say whether the call succeeded.
    var flags: [String] = []
    /// Places at which there is something only after a failure.
    var failures: [String] = []
    var messages: [String] = []
    var payloads: [String] = []
    var traceIDs: [String] = []
    var extras: [String] = []
    /// Where the wait before the next attempt is.
    var delays: [String] = []
    var successes: Set<ErrorCode> = []
    var isSuccess: (@Sendable (ErrorCode) -> Bool)?
    var areNumbersLenient = false
    var categories: [ErrorCode: Class] = [:]
    var missingCode = Envelope.MissingCode.passThrough
    var missingPayload = Envelope.MissingPayload.fail
    var isEmptyArrayObject = false
    var removesNulls = false
    var isPayloadInText = false
    var allowsPartialPayload = false
    var transform: (@Sendable (Data) throws -> Data)?
    /// The only one that is looked at, in lower case.
    var mediaType: String?
    /// Whether each answer of that type is a failure.
    var isFailureByType = false
    var adapter: (any EnvelopeAdapter)?

    func meansSuccess(_ code: ErrorCode) -> Bool {
        if successes.contains(code) || isSuccess?(code) == true { return true }
        guard let twin = twin(of: code) else { return false }
        return successes.contains(twin) || isSuccess?(twin) == true
    }

    /// The class of an error by its code or, if that has none, by its HTTP status.
    func classification(of code: ErrorCode, status: Int) -> Class? {
        guard !categories.isEmpty else { return nil }
        return categories[code] ?? twin(of: code).flatMap { categories[$0] } ?? categories[.integer(status)]
    }

    /// The same code in the other spelling, where both are one.
    private func twin(of code: ErrorCode) -> ErrorCode? {
        guard areNumbersLenient else { return nil }
        switch code {
        case .integer(let value): return .string(String(value))
        case .string(let text): return Int(text).flatMap { String($0) == text ? .integer($0) : nil }
        }
    }
}
