/// The findings of one set of rules in a JSON response: the verdict and its reason.
///
/// Declared places decide first. Otherwise, if the rules guess, the signs at commonly used keys decide.
struct EnvelopeFindings {
    /// The reason of a verdict.
    enum Ground {
        case flag(Int)
        case marker(Int)
        case code(Int)
        case word(Int)
        /// The message is one that means success.
        case message(Int?)
        /// The media type alone decides.
        case mediaType
        /// A sign at a commonly used key.
        case sign(EnvelopeSign)
        /// A sign in an object one or two levels down.
        case deeper(StandardFindings.Deeper)
        /// The response is an array that contains only errors.
        case errors
    }

    enum Verdict {
        case success(Ground)
        case failure(Ground)
    }

    /// The position of the payload.
    enum Payload: Equatable {
        case found(JSONSpan)
        /// The payload is `null`.
        case null
        /// There is no payload key, or none that counts.
        case none
    }

    let rules: EnvelopePlaces.Rules
    /// The findings at commonly used keys, if the rules guess and the response is an object.
    let standard: StandardFindings?
    /// The findings at declared places, or `nil` if the rules declare none.
    let declared: DeclaredFindings?
    /// The verdict, or `nil` if the response has no sign that counts.
    private(set) var verdict: Verdict?
    private(set) var isEnvelope = false
    private let document: EnvelopeDocument
    /// Whether the status means success.
    private let isFine: Bool

    init(_ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument, _ status: Int, isFine: Bool, _ want: StandardFindings.Want) {
        self.rules = rules
        self.document = document
        self.isFine = isFine
        let root = document.scan.root
        let declared = rules.hasPlaces ? DeclaredFindings(rules, in: document) : nil
        if rules.rules.guesses, root.kind == .object {
            let innerStatus = isFine && !HTTPResponse.isSuccess(status) ? status : 0
            let members = EnvelopeMembers(document.scan.members, in: document)
            standard = StandardFindings(
                members, SignRules(rules: rules, status: status, innerStatus: innerStatus), root,
                StandardFindings.Declared(served: declared?.served ?? [], payload: declared?.payload?.span))
        } else {
            standard = nil
        }
        declared?.readCode(standard)
        self.declared = declared
        judge(want)
        // In two steps, because an autoclosure operand would copy the findings.
        if case nil = verdict {
            isEnvelope = rules.rules.mediaType != nil
            if !isEnvelope { isEnvelope = isKnownByPayload }
        } else {
            isEnvelope = true
        }
    }

    /// Decides again, with more knowledge of what the call wants.
    mutating func judge(_ want: StandardFindings.Want) {
        verdict = declared != nil || rules.decidesWithoutPlaces ? declaredVerdict() : nil
        if case nil = verdict { verdict = Self.standardVerdict(standard, rules, in: document, want, isFine: isFine) }
    }

    // MARK: The verdict

    private func declaredVerdict() -> Verdict? {
        if rules.rules.isFailureByType, rules.rules.mediaType != nil { return .failure(.mediaType) }
        if !rules.rules.successMessages.isEmpty, rules.rules.meansSuccess(message: message) {
            return .success(.message(declared?.message?.place))
        }
        guard let declared else { return nil }
        if let marker = declared.marker, !isPartial { return .failure(.marker(marker)) }
        if let flag = declared.flag { return flag.value ? .success(.flag(flag.place)) : .failure(.flag(flag.place)) }
        if let code = declared.code {
            return rules.rules.meansSuccess(code.value) ? .success(.code(code.place)) : .failure(.code(code.place))
        }
        if let word = declared.word { return word.isSuccess ? .success(.word(word.place)) : .failure(.word(word.place)) }
        return nil
    }

    private static func standardVerdict(
        _ standard: StandardFindings?, _ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument, _ want: StandardFindings.Want,
        isFine: Bool
    ) -> Verdict? {
        guard rules.rules.guesses else { return nil }
        guard let standard else { return isArrayOfErrors(document) ? .failure(.errors) : nil }
        if let sign = standard.verdict(want) { return sign.isGood ? .success(.sign(sign)) : .failure(.sign(sign)) }
        guard isFine, let deeper = standard.deeper else { return nil }
        if case .type(let trial) = want, standard.fitsWhole(trial, .none) || standard.fitsPayload(trial) { return nil }
        return .failure(.deeper(deeper))
    }

    private static func isArrayOfErrors(_ document: EnvelopeDocument) -> Bool {
        guard document.scan.root.kind == .array, document.isSomething(document.scan.root),
            let elements = document.json(at: document.scan.root)?.array
        else { return false }
        return elements.allSatisfy { element in
            guard case .object(let object) = element.storage else { return false }
            return object.members.count == 1 && object["error"]?.tells == true
        }
    }

    /// Whether a payload excuses the errors beside it.
    private var isPartial: Bool {
        guard rules.rules.allowsPartialPayload else { return false }
        if case .found = payload { return true }
        return false
    }

    private var isKnownByPayload: Bool {
        if let span = declared?.payload?.span {
            if rules.rules.guesses || rules.rules.readsIntegers { return span.kind != .null }
            return (rules.codes.isEmpty || !rules.failures.isEmpty) && rules.flags.isEmpty
        }
        return standard?.isPayload(.none) == true
    }

    // MARK: Results

    var isFailure: Bool {
        if case .failure = verdict { true } else { false }
    }

    var isDeclared: Bool {
        switch verdict {
        case .success(let ground), .failure(let ground):
            switch ground {
            case .sign, .deeper, .errors: false
            default: true
            }
        case nil: false
        }
    }

    /// The sign at a commonly used key that decided, or `nil` if another reason did.
    var sign: EnvelopeSign? {
        switch verdict {
        case .success(.sign(let sign)), .failure(.sign(let sign)): sign
        case .failure(.deeper(let deeper)): deeper.sign
        default: nil
        }
    }

    var hasMessage: Bool { declared?.message != nil || standard?.object.hasMessage == true }

    var message: String {
        // Messages at added places follow those at commonly used keys.
        if !rules.rules.disabled.contains(.msg), let message = standard?.object.message, !message.isEmpty { return message }
        return declared?.message?.value ?? ""
    }

    /// The code of the envelope, if there is one.
    var code: ErrorCode? {
        if let code = declared?.code?.value { return code }
        guard let standard else { return nil }
        if let sign, sign.kind == .code || sign.kind == .status { return code(of: sign) }
        return standard.object.signs.first { $0.kind == .code }.flatMap(standard.object.code)
    }

    /// The code at the key of the deciding sign, if the sign means failure.
    var failingCode: ErrorCode? {
        sign.flatMap { $0.isGood ? nil : code(of: $0) }
    }

    /// - Parameter sign: The sign that decided.
    private func code(of sign: EnvelopeSign) -> ErrorCode? {
        if case .failure(.deeper(let deeper)) = verdict { return deeper.findings.code(of: sign) }
        return standard?.object.code(of: sign)
    }

    /// The decision, from which the choice of the payload follows.
    var decision: StandardFindings.Decision {
        StandardFindings.Decision(isMade: verdict != nil, sign: sign)
    }

    /// The value at the first payload key that has one.
    var payload: Payload {
        if let span = standard?.candidate { return .found(span) }
        if let span = declared?.payload?.span { return span.kind == .null ? .null : .found(span) }
        if let standard, case .null = standard.payload { return .null }
        return .none
    }
}
