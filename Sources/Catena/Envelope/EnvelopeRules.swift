import Foundation

/// What an ``Envelope`` says.
struct EnvelopeRules: Sendable {
    struct Code: Sendable {
        let place: String
        /// Whether it counts only in company: beside a message or a payload, or in an object that has nothing but an envelope's keys.
        let isGuarded: Bool
    }

    struct Class: Sendable {
        let category: APIError.Category
        let delay: Duration?
    }

    var codes: [Code] = []
    /// Places that say whether the call succeeded.
    var flags: [String] = []
    /// Places of words such as `ok` and `failed`.
    var words: [String] = []
    /// Places at which there is something only after a failure.
    var failures: [String] = []
    /// Whether an envelope is known by the keys that backends commonly use, beside the places here.
    var guesses = false
    /// The keys that are not asked then, since a step has put places in their stead.
    var disabled = VocabularyWords()
    var messages: [String] = []
    var payloads: [String] = []
    var traceIDs: [String] = []
    var extras: [String] = []
    /// Where the wait before the next attempt is.
    var delays: [String] = []
    var successes: Set<ErrorCode> = []
    var takesUsualSuccesses = false
    /// Messages that mean success, as keys are compared.
    var successMessages: Set<String> = []
    var isSuccess: (@Sendable (ErrorCode) -> Bool)?
    /// Whether a number and text that spells it are the same code.
    var areNumbersLenient = true
    /// HTTP statuses that are fine although they are not 2xx.
    var statuses: Set<Int> = []
    var categories: [ErrorCode: Class] = [:]
    var missingCode = Envelope.MissingCode.passThrough
    /// `nil`: values beside the code are the payload where something is guessed, else the call fails.
    var missingPayload: Envelope.MissingPayload?
    var isEmptyArrayObject = false
    var removesNulls = false
    var isPayloadInText = false
    var allowsPartialPayload = false
    var transform: (@Sendable (Data) throws -> Data)?
    /// Whether the first value that is not null counts, also if it is empty, and codes are read as integers, as Objective-C reads them.
    var readsIntegers = false
    /// The only one that is looked at, in lower case.
    var mediaType: String?
    /// Whether each response of that type is a failure.
    var isFailureByType = false
    /// Places of the media type at which a value of any other JSON type is ignored.
    var kinds: [String: JSONSpan.Kind] = [:]
    var adapter: (any EnvelopeAdapter)?

    func meansSuccess(_ code: ErrorCode) -> Bool {
        if meansSuccessAsItStands(code) { return true }
        return twin(of: code).map(meansSuccessAsItStands) == true
    }

    private func meansSuccessAsItStands(_ code: ErrorCode) -> Bool {
        successes.contains(code) || (takesUsualSuccesses && Self.usuallyMeansSuccess(code)) || isSuccess?(code) == true
    }

    /// Whether the user has said that a message means success, whatever else the response says.
    func meansSuccess(message: String) -> Bool {
        !successMessages.isEmpty && successMessages.contains(message.comparedAsKey)
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

extension EnvelopeRules {
    /// Rules that know an envelope by the keys that backends commonly use.
    static let standard: EnvelopeRules = {
        var rules = EnvelopeRules()
        rules.guesses = true
        rules.takesUsualSuccesses = true
        return rules
    }()

    /// Zeros, 200, and the words of success: what nearly all backends say when a call succeeded.
    static func usuallyMeansSuccess(_ code: ErrorCode) -> Bool {
        switch code {
        case .integer(let value): return value == 0 || value == 200
        case .string(let text):
            if text.utf8.allSatisfy({ $0 == UInt8(ascii: "0") }) { return !text.isEmpty }
            return text == "200" || ComparedKey(text).meaning == .success
        }
    }

    // What a response of such a backend is written with, where no place is set.

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
        // A `type` is an address (RFC 9457 §3.1.1), or `about:blank` where the status says all there is (§4.2.1). Neither is a code.
        rules.isSuccess = { code in
            if case .string(let text) = code { text.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") } } else { false }
        }
        rules.messages = ["detail", "title"]
        rules.traceIDs = ["traceId", "instance"]
        rules.extras = ["type", "title", "status", "detail", "instance", "errors", "invalid-params"]
        // A member of another type than it is defined with is ignored (§3.1).
        rules.kinds = ["type": .string, "title": .string, "status": .number, "detail": .string, "instance": .string]
        return rules
    }()
}
