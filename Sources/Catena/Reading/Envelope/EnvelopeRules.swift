import CatenaPlatform

/// The settings of an ``Envelope``.
struct EnvelopeRules: Sendable {
    /// The declared places of one part, or codes. In any order of the steps, those that a step sets precede those that another adds.
    struct Declared<Value: Equatable & Sendable>: Sendable {
        /// The values that replace the usual ones, or `nil` if no step has set any.
        var set: [Value]?
        var added: [Value] = []

        var all: [Value] { (self.set ?? []) + added }
        var replacesUsual: Bool { self.set != nil }

        func contains(_ value: Value) -> Bool { self.set?.contains(value) == true || added.contains(value) }
    }

    /// The codes of one class of errors.
    struct Class: Sendable {
        let category: APIError.Category
        var codes: Set<ErrorCode> = []
        var delay: Duration?
    }

    var codes = Declared<String>()
    /// The places of codes that count only beside a message or a payload, or in an object that has only envelope keys.
    var guarded: Set<String> = []
    /// The places of flags for success.
    var flags = Declared<String>()
    /// The places of words such as `ok` and `failed`.
    var words: [String] = []
    /// The places that have a value only after a failure.
    var failures = Declared<String>()
    var messages = Declared<String>()
    var payloads = Declared<String>()
    /// Whether envelopes are also recognized by commonly used keys.
    var guesses = false
    /// Whether a response that is not this envelope is no success, whatever it is.
    var isStrict = false
    var traceIDs: [String] = []
    var extras: [String] = []
    /// The places of the wait before the next attempt.
    var delays: [String] = []
    /// The codes that mean success.
    var successes = Declared<ErrorCode>()
    /// The messages that mean success, in the form in which keys are compared.
    var successMessages: Set<String> = []
    var isSuccess: (@Sendable (ErrorCode) -> Bool)?
    /// Whether a number equals a string that spells it.
    var areNumbersLenient = true
    /// The additional HTTP statuses that mean success.
    var statuses: Set<Int> = []
    /// The classes of codes. A code of several classes is of the first one.
    var classes = [APIError.Category.authentication, .validation, .maintenance, .retryable].map { Class(category: $0) }
    /// Whether a class has a code.
    var hasClasses = false
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

    /// Whether the usual codes mean success.
    var takesUsualSuccesses: Bool { guesses && !successes.replacesUsual }

    mutating func classify(_ codes: [ErrorCode], _ category: APIError.Category, after delay: Duration? = nil) {
        for index in classes.indices where classes[index].category == category {
            classes[index].codes = Set(codes)
            classes[index].delay = delay
        }
        hasClasses = classes.contains { !$0.codes.isEmpty }
    }

    func meansSuccess(_ code: ErrorCode) -> Bool {
        if meansSuccessAsItStands(code) { return true }
        return twin(of: code).map(meansSuccessAsItStands) == true
    }

    private func meansSuccessAsItStands(_ code: ErrorCode) -> Bool {
        successes.contains(code) || isSuccess?(code) == true
            || takesUsualSuccesses && Self.usuallyMeansSuccess(code) && !isClassified(code)
    }

    /// Whether there is a code, and it is one of a class.
    func isClassified(_ code: ErrorCode?) -> Bool {
        guard hasClasses, let code else { return false }
        return category(of: code) != nil
    }

    /// Whether the user has declared that this message means success.
    func meansSuccess(message: String) -> Bool {
        !successMessages.isEmpty && successMessages.contains(message.comparedAsKey)
    }

    /// Returns the class of an error by its code, otherwise by its HTTP status.
    func classification(of code: ErrorCode, status: Int) -> Class? {
        hasClasses ? category(of: code) ?? classes.first { $0.codes.contains(.integer(status)) } : nil
    }

    private func category(of code: ErrorCode) -> Class? {
        let twin = twin(of: code)
        return classes.first { $0.codes.contains(code) || twin.map($0.codes.contains) == true }
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

    var writtenCode: String? { codes.all.first ?? usual("errcode", codes) }
    var writtenFlag: String? { flags.all.first ?? (codes.replacesUsual ? nil : usual("success", flags)) }
    var writtenMessage: String? { messages.all.first ?? usual("errmsg", messages) }
    var writtenPayload: String? { payloads.all.first ?? usual("data", payloads) }

    private func usual(_ key: String, _ places: Declared<String>) -> String? {
        guesses && !places.replacesUsual ? key : nil
    }

    /// Problem details (RFC 9457).
    static let problemDetails: EnvelopeRules = {
        var rules = EnvelopeRules()
        rules.mediaType = "application/problem+json"
        rules.isFailureByType = true
        rules.codes.set = ["code", "type"]
        // A `type` is a URL (RFC 9457 §3.1.1), or `about:blank` if the status says everything (§4.2.1). Neither is a code.
        rules.isSuccess = { code in
            if case .string(let text) = code { text.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") } } else { false }
        }
        rules.messages.set = ["detail", "title"]
        rules.traceIDs = ["traceId", "instance"]
        rules.extras = ["type", "title", "status", "detail", "instance", "errors", "invalid-params"]
        // A member of another JSON type than the RFC defines is ignored (§3.1).
        rules.kinds = ["type": .string, "title": .string, "status": .number, "detail": .string, "instance": .string]
        return rules
    }()
}

/// The transformation of payloads before they are decoded.
struct PayloadTransform: Sendable {
    let needsRequest: Bool
    let apply: @Sendable (_ payload: Data, _ request: HTTPRequest?) throws -> Data

    /// The error of a response that no call has received.
    struct MissingRequest: LocalizedError {
        var errorDescription: String? { "it needs the request of the response, and this response has none" }
    }
}
