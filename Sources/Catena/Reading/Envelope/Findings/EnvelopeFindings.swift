import CatenaPlatform

/// The findings of one set of rules in a JSON response: the verdict and its reason.
///
/// Declared places decide first, but for a flag at a commonly used key, which precedes declared codes. Then, if the rules guess, the signs at commonly
/// used keys decide.
struct EnvelopeFindings {
    /// The reason of a verdict.
    enum Ground {
        case flag(Int)
        case marker(Int)
        case code(Int)
        case word(Int)
        /// The message is one that means success.
        case message
        /// The media type alone decides.
        case mediaType
        /// A sign at a commonly used key.
        case sign(EnvelopeSign)
        /// A sign in an object one or two levels down.
        indirect case inner(InnerFailure)
        /// The response is an array that contains only failures.
        case errors(ErrorCode?)
    }

    struct Verdict {
        let isSuccess: Bool
        let ground: Ground
    }

    let rules: EnvelopePlaces.Rules
    /// The findings at commonly used keys, if the rules guess and the response is an object.
    let standard: StandardFindings?
    /// The findings at declared places, or `nil` if the rules declare none.
    let declared: DeclaredFindings?
    /// The verdict, or `nil` if the response has no sign that counts.
    private(set) var verdict: Verdict?
    private(set) var isEnvelope = false
    /// Whether a payload excuses the errors beside it.
    private var isPartial = false
    /// Whether the status means success.
    private let isFine: Bool

    // Not inlined, because the caller would copy the findings.
    @inline(never)
    init(_ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument, _ status: Int, isFine: Bool, _ paths: [JSONPath]) {
        self.rules = rules
        self.isFine = isFine
        let root = document.scan.root
        declared = rules.hasPlaces ? DeclaredFindings(rules, in: document) : nil
        if rules.rules.guesses, root.kind == .object {
            standard = StandardFindings(EnvelopeMembers(document.scan.members, in: document), rules, status, declared)
        } else {
            standard = nil
        }
        if rules.hasPlaces { readDeclaredCode(paths) }
        judge(nil)
        if case nil = verdict, rules.rules.guesses, root.kind == .array, let ground = Self.ground(ofList: root, in: document, rules, status)
        {
            verdict = Verdict(isSuccess: false, ground: ground)
        }
        // In two steps, because an autoclosure operand would copy the findings.
        if case nil = verdict {
            isEnvelope = rules.rules.mediaType != nil
            if !isEnvelope { isEnvelope = isKnownByPayload }
        } else {
            isEnvelope = true
        }
    }

    private mutating func readDeclaredCode(_ paths: [JSONPath]) {
        guard let declared else { return }
        isPartial = rules.rules.allowsPartialPayload && declared.marker != nil && payload != nil
        declared.readCode(standard, excuse: isPartial ? declared.marker.map { paths[$0] } : nil, paths)
    }

    // MARK: The verdict

    /// Decides, for a call that wants a type or none.
    mutating func judge(_ trial: TypeTrial?) {
        verdict = declared != nil || rules.decidesWithoutPlaces ? declaredVerdict() : nil
        guard let standard else { return }
        var isCode = false
        if let verdict {
            guard case .code = verdict.ground else { return }
            isCode = true
        }
        if let sign = standard.verdict(trial), !isCode || sign.kind == .flag && sign.word != .result {
            verdict = Verdict(isSuccess: sign.isGood, ground: .sign(sign))
        }
        guard case nil = verdict, isFine, let inner = InnerFailure.look(in: standard.object) else { return }
        if inner.sign.weight != .declared, let trial, inner.isKept(by: trial, in: standard) { return }
        verdict = Verdict(isSuccess: false, ground: .inner(inner))
    }

    private func declaredVerdict() -> Verdict? {
        if rules.rules.isFailureByType, rules.rules.mediaType != nil { return Verdict(isSuccess: false, ground: .mediaType) }
        if !rules.rules.successMessages.isEmpty, rules.rules.meansSuccess(message: message) {
            return Verdict(isSuccess: true, ground: .message)
        }
        guard let declared else { return nil }
        if let marker = declared.marker, !isPartial { return Verdict(isSuccess: false, ground: .marker(marker)) }
        if let flag = declared.flag { return Verdict(isSuccess: flag.value, ground: .flag(flag.place)) }
        if let code = declared.code { return Verdict(isSuccess: rules.rules.meansSuccess(code.value), ground: .code(code.place)) }
        return declared.word.map { Verdict(isSuccess: $0.value, ground: .word($0.place)) }
    }

    private var isKnownByPayload: Bool {
        if rules.rules.missingCode == .succeed { return true }
        if let span = declared?.payload?.span {
            if rules.rules.guesses || rules.rules.readsIntegers { return span.kind != .null }
            return (rules.codes.isEmpty || !rules.failures.isEmpty) && rules.flags.isEmpty
        }
        return standard?.isPayload(StandardFindings.Decision(isMade: false, sign: nil)) == true
    }

    // MARK: Results

    var isFailure: Bool { verdict?.isSuccess == false }

    var isDeclared: Bool {
        switch verdict?.ground {
        case .sign, .inner, .errors, nil: false
        default: true
        }
    }

    /// The sign at a commonly used key that decided, or `nil` if another reason did.
    var sign: EnvelopeSign? {
        switch verdict?.ground {
        case .sign(let sign): sign
        case .inner(let inner): inner.sign
        default: nil
        }
    }

    var hasMessage: Bool { declared?.message != nil || standard?.object.parts.hasMessage == true }

    var message: String {
        // Messages at added places follow those at commonly used keys.
        if !rules.rules.messages.replacesUsual, let message = standard?.object.parts.message, !message.isEmpty { return message }
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
        if case .errors(let code) = verdict?.ground { return code }
        return sign.flatMap { $0.isGood ? nil : code(of: $0) }
    }

    /// Whether the user has declared the code that decided.
    var isCodeDeclared: Bool { sign.map { $0.weight == .declared && $0.kind == .code } == true }

    /// Returns the position and the parts of the object that reports the failure, which may be the first one of an array.
    func failing(in document: EnvelopeDocument) -> (span: JSONSpan, parts: ObjectParts) {
        if case .inner(let inner) = verdict?.ground { return (inner.span, inner.object.parts) }
        let root = document.scan.root
        return (root, standard?.object.parts ?? ObjectParts(document.firstMembers(of: root)))
    }

    /// - Parameter sign: The sign that decided.
    private func code(of sign: EnvelopeSign) -> ErrorCode? {
        if case .inner(let inner) = verdict?.ground { return inner.object.code(of: sign) }
        return standard?.object.code(of: sign)
    }

    /// The decision, from which the choice of the payload follows.
    var decision: StandardFindings.Decision {
        StandardFindings.Decision(isMade: verdict != nil, sign: sign)
    }

    /// The value at the first payload key that has one, or `nil` if it is null or absent.
    var payload: JSONSpan? {
        if let standard { return standard.candidate }
        return declared?.payload.flatMap { $0.span.kind == .null ? nil : $0.span }
    }

    /// Returns the ground of an array that contains nothing but failures.
    private static func ground(ofList root: JSONSpan, in document: EnvelopeDocument, _ rules: EnvelopePlaces.Rules, _ status: Int)
        -> Ground?
    {
        func failure(_ members: EnvelopeMembers) -> (object: ObjectFindings, sign: EnvelopeSign)? {
            let object = ObjectFindings(members, rules, status: status)
            guard !members.list.isEmpty, !object.parts.hasOthers, let sign = object.verdict(), !sign.isGood else { return nil }
            return (object, sign)
        }
        // The first element shows for most arrays that they contain no failures.
        guard let first = failure(document.firstMembers(of: root)), let elements = document.json(at: root)?.array else { return nil }
        let areFailures = elements.dropFirst().allSatisfy { element in
            let text = element.encoded
            guard case .object = element.storage, let scan = try? JSONScan(text, paths: []) else { return false }
            return failure(EnvelopeDocument(text: text, scan: scan).members(of: scan.root)) != nil
        }
        return areFailures ? .errors(first.object.code(of: first.sign)) : nil
    }
}
