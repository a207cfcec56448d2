import Foundation

/// The settings of an ``Envelope``.
struct EnvelopeRules: Sendable {
    struct Code: Sendable {
        let place: String
        /// Whether the code counts only beside a message or a payload, or in an object that has only envelope keys.
        let isGuarded: Bool
    }

    struct Class: Sendable {
        let category: APIError.Category
        let delay: Duration?
    }

    var codes: [Code] = []
    /// The places of flags for success.
    var flags: [String] = []
    /// The places of words such as `ok` and `failed`.
    var words: [String] = []
    /// The places that have a value only after a failure.
    var failures: [String] = []
    /// Whether envelopes are also recognized by commonly used keys.
    var guesses = false
    /// The commonly used keys that are ignored, because a step has set places that replace them.
    var disabled = VocabularyWords()
    var messages: [String] = []
    var payloads: [String] = []
    var traceIDs: [String] = []
    var extras: [String] = []
    /// The places of the wait before the next attempt.
    var delays: [String] = []
    var successes: Set<ErrorCode> = []
    var takesUsualSuccesses = false
    /// The messages that mean success, in the form in which keys are compared.
    var successMessages: Set<String> = []
    var isSuccess: (@Sendable (ErrorCode) -> Bool)?
    /// Whether a number equals a string that spells it.
    var areNumbersLenient = true
    /// The additional HTTP statuses that mean success.
    var statuses: Set<Int> = []
    var categories: [ErrorCode: Class] = [:]
    var missingCode = Envelope.MissingCode.passThrough
    /// The policy for missing payloads. With `nil`, rules that guess use the values beside the code; other rules fail the call.
    var missingPayload: Envelope.MissingPayload?
    var isEmptyArrayObject = false
    var removesNulls = false
    var isPayloadInText = false
    var allowsPartialPayload = false
    var transform: PayloadTransform?
    /// Whether the first value other than null is used even if it is empty, and codes are read as integers in the way of Objective-C.
    var readsIntegers = false
    /// The only media type that the rules apply to, in lower case, or `nil` for any.
    var mediaType: String?
    /// Whether each response of the media type is a failure.
    var isFailureByType = false
    /// The required JSON types of some places. Values of other types are ignored.
    var kinds: [String: JSONSpan.Kind] = [:]
    var adapter: (any EnvelopeAdapter)?

    func meansSuccess(_ code: ErrorCode) -> Bool {
        if meansSuccessAsItStands(code) { return true }
        return twin(of: code).map(meansSuccessAsItStands) == true
    }

    private func meansSuccessAsItStands(_ code: ErrorCode) -> Bool {
        successes.contains(code) || (takesUsualSuccesses && Self.usuallyMeansSuccess(code)) || isSuccess?(code) == true
    }

    /// Whether the user has declared that this message means success.
    func meansSuccess(message: String) -> Bool {
        !successMessages.isEmpty && successMessages.contains(message.comparedAsKey)
    }

    /// Returns the class of an error by its code, otherwise by its HTTP status.
    func classification(of code: ErrorCode, status: Int) -> Class? {
        guard !categories.isEmpty else { return nil }
        return categories[code] ?? twin(of: code).flatMap { categories[$0] } ?? categories[.integer(status)]
    }

    /// Returns the same code as a number or string, if both forms are equal.
    private func twin(of code: ErrorCode) -> ErrorCode? {
        guard areNumbersLenient else { return nil }
        switch code {
        case .integer(let value): return .string(String(value))
        case .string(let text): return Int(text).flatMap { String($0) == text ? .integer($0) : nil }
        }
    }
}

extension EnvelopeRules {
    /// The rules that recognise envelopes by commonly used keys.
    static let standard: EnvelopeRules = {
        var rules = EnvelopeRules()
        rules.guesses = true
        rules.takesUsualSuccesses = true
        return rules
    }()

    /// Whether a code is 0, 200, a string of zeros or a word of success, as nearly all backends use for success.
    static func usuallyMeansSuccess(_ code: ErrorCode) -> Bool {
        switch code {
        case .integer(let value): return value == 0 || value == 200
        case .string(let text):
            if text.utf8.allSatisfy({ $0 == UInt8(ascii: "0") }) { return !text.isEmpty }
            return text == "200" || ComparedKey(text).meaning == .success
        }
    }

    // The places to write a response with, if none is set.

    var writtenCode: String? { codes.first?.place ?? usual("errcode", .errcode) }
    var writtenFlag: String? { flags.first ?? usual("success", .success) }
    var writtenMessage: String? { messages.first ?? usual("errmsg", .errmsg) }
    var writtenPayload: String? { payloads.first ?? usual("data", .data) }

    private func usual(_ key: String, _ word: VocabularyWord) -> String? {
        guesses && !disabled.contains(word) ? key : nil
    }

    /// Problem details (RFC 9457).
    static let problemDetails: EnvelopeRules = {
        var rules = EnvelopeRules()
        rules.mediaType = "application/problem+json"
        rules.isFailureByType = true
        rules.codes = ["code", "type"].map { Code(place: $0, isGuarded: false) }
        // A `type` is a URL (RFC 9457 §3.1.1), or `about:blank` if the status says everything (§4.2.1). Neither is a code.
        rules.isSuccess = { code in
            if case .string(let text) = code { text.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") } } else { false }
        }
        rules.messages = ["detail", "title"]
        rules.traceIDs = ["traceId", "instance"]
        rules.extras = ["type", "title", "status", "detail", "instance", "errors", "invalid-params"]
        // A member of another JSON type than the RFC defines is ignored (§3.1).
        rules.kinds = ["type": .string, "title": .string, "status": .number, "detail": .string, "instance": .string]
        return rules
    }()
}

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
