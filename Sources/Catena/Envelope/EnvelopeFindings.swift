/// What one set of rules finds in a response that is a JSON object: the verdict, and what it rests on.
///
/// What the user has declared decides first; then, if the rules guess, what the response says by the usual keys.
struct EnvelopeFindings {
    /// What a verdict rests on.
    enum Ground {
        case flag(Int)
        case marker(Int)
        case code(Int)
        case word(Int)
        /// The message is one that means success.
        case message(Int?)
        /// The media type alone says so.
        case mediaType(String)
        /// One of the usual keys.
        case sign(EnvelopeSign)
        /// An object one or two levels down.
        case deeper(StandardFindings.Deeper)
        /// The response is an array of nothing but errors.
        case errors
    }

    enum Verdict {
        case success(Ground)
        case failure(Ground)
    }

    /// Where the payload is.
    enum Payload: Equatable {
        case found(JSONSpan)
        /// It is `null`.
        case null
        /// There is no payload key, or none that counts.
        case none
    }

    let rules: EnvelopePlaces.Rules
    /// What the usual keys say, if the rules guess and the response is an object.
    private(set) var standard: StandardFindings?
    private(set) var declaredCode: (place: Int, value: ErrorCode)?
    private(set) var flag: (place: Int, value: Bool)?
    private(set) var word: (place: Int, isSuccess: Bool)?
    private(set) var declaredMessage: (place: Int, value: String)?
    private(set) var marker: Int?
    private(set) var declaredPayload: (place: Int, span: JSONSpan)?
    /// A code that does not count, because it stands in what looks like a model.
    private(set) var isCodeIgnored = false
    /// `nil`: nothing says how the call went.
    private(set) var verdict: Verdict?
    private(set) var isEnvelope = false
    private let document: EnvelopeDocument

    init(_ rules: EnvelopePlaces.Rules, in document: EnvelopeDocument, _ status: Int, _ want: StandardFindings.Want) {
        self.rules = rules
        self.document = document
        let root = document.scan.root
        if rules.hasPlaces { readPlaces() }
        if rules.rules.guesses, root.kind == .object {
            let object = ObjectFindings(
                EnvelopeMembers(document.scan.members, in: document), SignRules(rules: rules.rules, status: status),
                declared: rules.firstKeys, disabled: rules.rules.disabled, isInner: false)
            var declared = StandardFindings.Declared(payload: declaredPayload?.span)
            if !rules.codes.isEmpty || !rules.flags.isEmpty { declared.served = served }
            standard = StandardFindings(object, root, declared)
        }
        if !rules.codes.isEmpty { readCode() }
        judge(want, status)
        isEnvelope = verdict != nil || isKnownByPayload || rules.rules.mediaType != nil
    }

    /// Judges again, now that more is known of what the call wants.
    mutating func judge(_ want: StandardFindings.Want, _ status: Int) {
        verdict = declaredVerdict() ?? standardVerdict(want, isFine: (200..<300).contains(status))
    }

    /// Places that have served to say how the call went.
    private var served: [JSONSpan] {
        document.scan.found.filter { rules.codes.contains($0.path) || rules.flags.contains($0.path) }.map(\.span)
    }

    private mutating func readPlaces() {
        declaredMessage = document.first(of: rules.messages) { span in
            rules.rules.readsIntegers ? span.kind == .null ? nil : document.text(at: span) : document.words(at: span)
        }
        declaredPayload = readPayload()
        flag = readFlag()
        word = readWord()
        marker = document.first(of: rules.failures) { document.isSomething($0) ? true : nil }?.place
    }

    // MARK: The parts

    private mutating func readCode() {
        for finding in document.scan.found where rules.codes.contains(finding.path) {
            guard let value = rules.rules.readsIntegers ? document.integerValue(at: finding.span) : document.code(at: finding.span) else {
                continue
            }
            if !rules.rule(ofCode: finding.path).isGuarded || isCompanied(finding.span) {
                isCodeIgnored = false
                declaredCode = (finding.path, value)
                return
            }
            isCodeIgnored = true
        }
    }

    /// Whether a code that is often part of a model stands where it is one of an envelope.
    private func isCompanied(_ span: JSONSpan) -> Bool {
        if document.hasAny(of: rules.messages) || standard?.object.hasMessage == true { return true }
        let isBesidePayload = document.hasAny(of: rules.payloads) || standard?.object.hasPayload == true
        return span.kind == .number ? isBesidePayload || hasNoOthers : isBesidePayload && hasNoOthers
    }

    /// Whether each member of the response is one that envelopes are made of.
    private var hasNoOthers: Bool {
        if let standard { return !standard.object.hasOthers }
        let members = EnvelopeMembers(document.scan.members, in: document)
        return members.list.allSatisfy { rules.firstKeys.contains(members.name($0)) }
    }

    private func readFlag() -> (place: Int, value: Bool)? {
        for finding in document.scan.found where rules.flags.contains(finding.path) {
            let span = finding.span
            if span.kind == .bool { return (finding.path, document.isTrue(span)) }
            guard span.kind == .number || span.kind == .string, span.range.count <= 12 else { continue }
            switch document.text(at: span) {
            case "1": return (finding.path, true)
            case "0": return (finding.path, false)
            default: break
            }
            switch document.meaning(at: span) {
            case .yes, .success: return (finding.path, true)
            case .no, .failure: return (finding.path, false)
            case .nothing, nil: continue
            }
        }
        return nil
    }

    private func readWord() -> (place: Int, isSuccess: Bool)? {
        document.first(of: rules.words) { span -> Bool? in
            switch document.meaning(at: span) {
            case .success: true
            case .failure: false
            default: nil
            }
        }.map { (place: $0.place, isSuccess: $0.value) }
    }

    private func readPayload() -> (place: Int, span: JSONSpan)? {
        var best: (place: Int, span: JSONSpan)?
        for finding in document.scan.found where rules.payloads.contains(finding.path) {
            let span = finding.span
            if let former = best?.span {
                guard former.kind == .null || !rules.rules.readsIntegers && document.isEmptyText(former), span.kind != .null else {
                    continue
                }
                if former.kind != .null, document.isEmptyText(span) { continue }
            }
            best = (finding.path, span)
        }
        return best
    }

    // MARK: The verdict

    private func declaredVerdict() -> Verdict? {
        if rules.rules.isFailureByType, let type = rules.rules.mediaType { return .failure(.mediaType(type)) }
        if rules.rules.meansSuccess(message: message) { return .success(.message(declaredMessage?.place)) }
        if let marker, !isPartial { return .failure(.marker(marker)) }
        if let flag { return flag.value ? .success(.flag(flag.place)) : .failure(.flag(flag.place)) }
        if let code = declaredCode {
            return rules.rules.meansSuccess(code.value) ? .success(.code(code.place)) : .failure(.code(code.place))
        }
        if let word { return word.isSuccess ? .success(.word(word.place)) : .failure(.word(word.place)) }
        return nil
    }

    private func standardVerdict(_ want: StandardFindings.Want, isFine: Bool) -> Verdict? {
        guard rules.rules.guesses else { return nil }
        guard let standard else { return isArrayOfErrors ? .failure(.errors) : nil }
        if let sign = standard.verdict(want) { return sign.isGood ? .success(.sign(sign)) : .failure(.sign(sign)) }
        guard isFine, let deeper = standard.deeper else { return nil }
        if case .type(let trial) = want, standard.fitsWhole(trial, .none) || standard.fitsPayload(trial) { return nil }
        return .failure(.deeper(deeper))
    }

    private var isArrayOfErrors: Bool {
        guard document.scan.root.kind == .array, document.isSomething(document.scan.root),
            let elements = document.json(at: document.scan.root)?.array
        else { return false }
        return elements.allSatisfy { element in
            guard case .object(let object) = element.storage else { return false }
            return object.members.count == 1 && object["error"]?.tells == true
        }
    }

    /// Whether a payload makes up for the errors beside it.
    private var isPartial: Bool {
        guard rules.rules.allowsPartialPayload else { return false }
        if case .found = payload { return true }
        return false
    }

    private var isKnownByPayload: Bool {
        if let span = declaredPayload?.span {
            if rules.rules.guesses || rules.rules.readsIntegers { return span.kind != .null }
            return (rules.codes.isEmpty || !rules.failures.isEmpty) && rules.flags.isEmpty
        }
        return standard?.isPayload(.none) == true
    }

    // MARK: What is asked of them

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

    /// The sign of the usual keys that decided; `nil` if none did, or if something declared has.
    var sign: EnvelopeSign? {
        switch verdict {
        case .success(.sign(let sign)), .failure(.sign(let sign)): sign
        case .failure(.deeper(let deeper)): deeper.sign
        default: nil
        }
    }

    var hasMessage: Bool { declaredMessage != nil || standard?.object.hasMessage == true }

    var message: String {
        // What a step has added is asked after the usual keys.
        if !rules.rules.disabled.contains(.msg), let message = standard?.object.message, !message.isEmpty { return message }
        return declaredMessage?.value ?? ""
    }

    /// The code of the envelope, if there is one.
    var code: ErrorCode? {
        if let code = declaredCode?.value { return code }
        guard let standard else { return nil }
        if let sign, sign.kind == .code || sign.kind == .status { return sign.code }
        return standard.object.signs.first { $0.kind == .code }?.code
    }

    /// What decided, for the choice of the payload.
    var decision: StandardFindings.Decision {
        StandardFindings.Decision(isMade: verdict != nil, sign: sign)
    }

    /// What is at the first key of payloads that has a value.
    var payload: Payload {
        if let span = standard?.candidate { return .found(span) }
        if let span = declaredPayload?.span { return span.kind == .null ? .null : .found(span) }
        if let standard, case .null = standard.payload { return .null }
        return .none
    }
}
