import Foundation

/// What an ``Envelope`` says.
struct EnvelopeRules: Sendable {
    struct Code: Sendable {
        let place: String
        /// Whether it counts only in company: beside a message or a payload, or in an object that has nothing but an envelope's keys.
        let isGuarded: Bool
    }

    struct Flag: Sendable {
        enum Reading: Sendable {
            /// `true`, `false`, 1 and 0, as text too.
            case any
            /// 1 and 0 only in an object that has nothing but an envelope's keys.
            case guarded
            /// Only `true` and `false`.
            case boolean
        }

        let place: String
        let reading: Reading
    }

    struct Payload: Sendable {
        let place: String
        /// Whether it is one only where something else says that this is an envelope.
        let isGuarded: Bool
    }

    struct Class: Sendable {
        let category: APIError.Category
        let delay: Duration?
    }

    var codes: [Code] = []
    /// Codes where there is no other one: integers beside a message.
    var payloadCodes: [String] = []
    /// Codes where there is no other one, if they are numbers in an object that has nothing but an envelope's keys. The second sort needs a
    /// payload key beside it.
    var errorNumbers: [String] = []
    var statusNumbers: [String] = []
    /// What says whether the call succeeded.
    var flags: [Flag] = []
    /// Words such as `ok` and `failed`, which count in an object that has nothing but an envelope's keys.
    var words: [String] = []
    /// Places at which there is something only after a failure.
    var failures: [String] = []
    /// Whether `error` and `errors` are looked at as well, and with more care.
    var guessesFailures = false
    /// The keys an envelope is guessed by, for backends that nobody has described; `nil` if nothing is guessed.
    var vocabulary: EnvelopeVocabulary?
    var messages: [String] = []
    var payloads: [Payload] = []
    var traceIDs: [String] = []
    var extras: [String] = []
    /// Where the wait before the next attempt is.
    var delays: [String] = []
    var successes: Set<ErrorCode> = []
    var takesUsualSuccesses = false
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
    /// The only one that is looked at, in lower case.
    var mediaType: String?
    /// Whether each response of that type is a failure.
    var isFailureByType = false
    var adapter: (any EnvelopeAdapter)?

    func meansSuccess(_ code: ErrorCode) -> Bool {
        if meansSuccessAsItStands(code) { return true }
        return twin(of: code).map(meansSuccessAsItStands) == true
    }

    private func meansSuccessAsItStands(_ code: ErrorCode) -> Bool {
        successes.contains(code) || (takesUsualSuccesses && EnvelopeVocabulary.meansSuccess(code)) || isSuccess?(code) == true
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
    /// Rules that know an envelope by its keys.
    init(guessingBy vocabulary: EnvelopeVocabulary) {
        self.vocabulary = vocabulary
        codes =
            vocabulary.codes.map { Code(place: $0, isGuarded: false) } + vocabulary.guardedCodes.map { Code(place: $0, isGuarded: true) }
        payloadCodes = [vocabulary.payloadCode]
        errorNumbers = [vocabulary.error]
        statusNumbers = [vocabulary.status]
        flags = vocabulary.flags.map { Flag(place: $0, reading: .guarded) } + [Flag(place: vocabulary.status, reading: .boolean)]
        words = [vocabulary.status]
        messages = vocabulary.messages
        payloads = vocabulary.payloads.map { Payload(place: $0, isGuarded: vocabulary.guardedPayloads.contains($0)) }
        traceIDs = vocabulary.traceIDs
        takesUsualSuccesses = true
        guessesFailures = true
    }

    /// Problem details (RFC 9457).
    static let problemDetails: EnvelopeRules = {
        var rules = EnvelopeRules()
        rules.mediaType = "application/problem+json"
        rules.isFailureByType = true
        rules.codes = ["code", "type"].map { Code(place: $0, isGuarded: false) }
        // What RFC 9457 §4.2.1 has for a problem that the status says all of, and so no code.
        rules.successes = ["about:blank"]
        rules.messages = ["detail", "title"]
        rules.traceIDs = ["traceId", "instance"]
        rules.extras = ["type", "title", "status", "detail", "instance", "errors", "invalid-params"]
        return rules
    }()
}
