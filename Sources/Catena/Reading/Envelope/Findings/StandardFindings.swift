/// Decides by commonly used keys whether a response is a success, and which part of it the call receives.
///
/// `Docs/Envelopes.md` describes the rules.
struct StandardFindings: Sendable {
    /// The decision about success or failure.
    struct Decision: Sendable {
        let isMade: Bool
        /// The deciding sign, or `nil` if a declared place decided.
        let sign: EnvelopeSign?
    }

    let object: ObjectFindings
    /// The index of the first payload key that has a value. An empty string is used only if all others are null, and null only if there is nothing
    /// else. Keys that have served as signs are skipped.
    private let payloadPlace: Int?
    /// The payload at a declared place, which is used if no commonly used key has one.
    private let declaredPayload: JSONSpan?

    init(_ members: EnvelopeMembers, _ rules: EnvelopePlaces.Rules, _ status: Int, _ declared: DeclaredFindings?) {
        object = ObjectFindings(members, rules, status: status, isInner: false, served: declared?.served ?? [])
        declaredPayload = declared?.payload?.span
        payloadPlace = rules.rules.payloads.replacesUsual ? nil : Self.payload(object)
    }

    var members: EnvelopeMembers { object.members }
    var document: EnvelopeDocument { object.document }
    var root: JSONSpan { document.scan.root }

    // MARK: The deciding sign

    /// Returns the first sign that counts, or `nil` if there is none.
    func verdict(_ trial: TypeTrial?) -> EnvelopeSign? {
        guard let trial else { return object.verdict() }
        return object.signs.first { object.counts($0) && !keeps($0, trial) }
    }

    /// Whether a lone sign of failure is a member of the call's model: a flag without words, or a word or text without other parts.
    func keeps(_ sign: EnvelopeSign, _ trial: TypeTrial) -> Bool {
        let parts = object.parts
        guard !sign.isGood, sign.weight != .declared, !parts.hasPayload, !parts.hasMessage, !parts.hasCode else { return false }
        let member = members.list[sign.place]
        switch sign.kind {
        case .flag: if member.span.kind != .bool || parts.hasWords { return false }
        case .word: if members.hasAny(.flags) { return false }
        default: if member.word != .error || member.span.kind != .string || members.hasAny(.flags) { return false }
        }
        let fit = trial.fit(root)
        guard fit.decodes, let keys = fit.asked else { return false }
        return keys.asks(for: members, member) && findsOwn(keys)
    }

    /// Whether a type finds a value at a key outside the vocabulary.
    func findsOwn(_ keys: AskedKeys, but place: Int? = nil) -> Bool {
        members.list.indices.contains { index in
            let member = members.list[index]
            guard index != place, member.word.map({ !$0.isVocabulary }) ?? !member.isErrorKey else { return false }
            return keys.finds(members, member) && document.isSomething(member.span)
        }
    }

    /// Whether the type decodes the whole body and finds a key of its own.
    ///
    /// A key is the type's own if it has not served as a sign or message. The key of the deciding sign is, too, if the type requires it.
    func fitsWhole(_ trial: TypeTrial, _ decision: Decision?) -> Bool {
        let fit = trial.fit(root)
        guard fit.decodes else { return false }
        if fit.isDictionary { return decision?.isMade != true }
        guard let keys = fit.asked else { return true }
        guard let decision, decision.isMade else { return keys.findsAny }
        return members.list.indices.contains { place in
            let member = members.list[place]
            guard keys.finds(members, member) else { return false }
            guard hasServed(place) else { return true }
            let decides = decision.sign.map { $0.place == place } ?? isDeclared(place)
            return decides && keys.use(of: member, in: members)?.isRequired == true
        }
    }

    /// Whether the value of a member has served as a declared code or flag.
    private func isDeclared(_ place: Int) -> Bool { object.served.contains(members.list[place].span) }

    /// Whether a member has served as a sign or message.
    private func hasServed(_ place: Int) -> Bool {
        if isDeclared(place) { return true }
        if let word = members.list[place].word, VocabularyWords.messages.contains(word) { return true }
        if object.parts.kinMessages.contains(place) { return true }
        return object.signs.contains { sign in
            switch sign.kind {
            case .flag, .code, .word, .status: sign.place == place
            case .error, .noError, .words: false
            }
        }
    }

    // MARK: The payload

    private static func payload(_ object: ObjectFindings) -> Int? {
        let members = object.members
        let document = object.document
        var best: Int?
        var words = members.words.intersection(.payloads)
        while let word = words.popFirst() {
            guard let place = members.place(of: word) else { continue }
            let span = members.list[place].span
            let isVerdict = object.signs.contains { $0.place == place && ($0.kind == .code || $0.kind == .flag) }
            if isVerdict, !(word == .result && object.parts.hasCode && span.kind == .bool) || object.served.contains(span) { continue }
            if word == .result, isVerdictBesideObjects(span, members) { continue }
            if best.map({ document.isFuller(span, than: members.list[$0].span) }) ?? true { best = place }
        }
        return best
    }

    /// Whether a value at `result` is a verdict on the objects beside it.
    private static func isVerdictBesideObjects(_ span: JSONSpan, _ members: EnvelopeMembers) -> Bool {
        guard span.kind == .bool || members.document.meaning(at: span)?.isOfCall == true else { return false }
        return members.list.contains { ($0.span.kind == .object || $0.span.kind == .array) && members.document.isSomething($0.span) }
    }

    /// The value at the payload key, or `nil` if there is none.
    private var payload: JSONSpan? { payloadPlace.map { members.list[$0].span } }

    /// The value that may be the payload, or `nil` if it is null or absent.
    var candidate: JSONSpan? {
        if let payload, payload.kind != .null { return payload }
        return declaredPayload.flatMap { $0.kind == .null ? nil : $0 }
    }

    /// Whether the value at the payload key is the payload, if no type decides otherwise.
    func isPayload(_ decision: Decision) -> Bool {
        guard let payloadPlace, payload?.kind != .null || declaredPayload == nil else { return declaredPayload != nil }
        guard members.list[payloadPlace].word == .result else { return decision.isMade || !object.parts.hasOthers }
        if members.has(.jsonrpc) { return true }
        guard decision.isMade else { return members.hasAny(.company) && !object.parts.hasOthers }
        return decision.sign?.kind != .word || !object.parts.hasOthers
    }

    /// Returns the part that the call receives if no type decides otherwise.
    func choice(_ decision: Decision) -> EnvelopeResult.Payload {
        if let candidate { return isPayload(decision) ? .range(candidate.range) : .body }
        if let null = payload ?? declaredPayload { return decision.isMade ? .missing : isPayload(decision) ? .range(null.range) : .body }
        return decision.isMade && !object.parts.hasOthers ? .missing : .body
    }

    /// Returns the part for a typed call: of payload and whole body the likelier one that fits, otherwise one that decodes.
    func choice(_ decision: Decision, _ trial: TypeTrial) -> EnvelopeResult.Payload {
        let guess = choice(decision)
        guard let candidate else { return fitsWhole(trial, decision) ? .body : guess }
        let payload = EnvelopeResult.Payload.range(candidate.range)
        let isLikely = guess == payload
        if isLikely || decision.isMade, isMeant(candidate, by: trial) { return payload }
        let parts = isLikely ? [payload, .body] : [.body, payload]
        let fitting = parts.first { $0 == .body ? fitsWhole(trial, decision) : trial.fit(candidate).fitsPayload }
        if let fitting { return fitting }
        if guess == .missing { return guess }
        let decoding = parts.first { $0 == .body ? guess == .body && trial.fit(root).decodes : trial.fit(candidate).decodes }
        return decoding ?? guess
    }

    /// Whether a payload is an object with a key of the type, which then is not decoded from the members beside it.
    private func isMeant(_ candidate: JSONSpan, by trial: TypeTrial) -> Bool {
        guard candidate.kind == .object else { return false }
        let (ofPayload, ofWhole) = (trial.fit(candidate).asked, trial.fit(root).asked)
        if let payloadPlace, payload?.kind != .null {
            let isAskedFor = { (keys: AskedKeys) in keys.asks(for: members, members.list[payloadPlace]) }
            if ofPayload.map(isAskedFor) == true || ofWhole.map(isAskedFor) == true { return false }
        }
        let inner = document.members(of: candidate)
        return inner.list.contains { member in
            // A key that the type has not found in the payload is there in another spelling.
            if let ofPayload, ofPayload.asks(for: inner, member) { return ofPayload.finds(inner, member) }
            return ofWhole?.asks(for: inner, member) == true
        }
    }
}

/// A failure that an inner object reports, one or two levels down.
struct InnerFailure: Sendable {
    /// The keys on the path to the object.
    private(set) var path: [String]
    /// The index of the first of them.
    private(set) var place: Int
    let object: ObjectFindings
    let span: JSONSpan
    let sign: EnvelopeSign

    /// Returns the failure inside an object that itself says nothing, or `nil` if there is none.
    static func look(in object: ObjectFindings) -> InnerFailure? {
        object.parts.isThing ? nil : look(in: object, isSecond: false, isAlone: true)
    }

    private static func look(in findings: ObjectFindings, isSecond: Bool, isAlone: Bool) -> InnerFailure? {
        let members = findings.members
        guard members.list.contains(where: { $0.span.kind == .object }),
            !findings.signs.contains(where: { $0.isGood && !($0.kind == .flag && $0.word == .result) }), !findings.parts.saysSuccess
        else { return nil }
        let document = members.document
        let isCompany = { (member: JSONMember) in member.word.map { VocabularyWords.company.contains($0) } == true }
        lazy var count = members.list.count { !isCompany($0) && document.isSomething($0.span) }
        for (place, member) in members.list.enumerated() where member.span.kind == .object && document.isSomething(member.span) {
            let inner = findings.inner(member.span)
            let isSole = isAlone && !isCompany(member) && count == 1
            let isPayload = member.word.map { VocabularyWords.payloads.contains($0) } == true
            if let sign = inner.verdict(), !sign.isGood, !inner.parts.saysSuccess {
                let isError = sign.word.map { VocabularyWords.errorCodes.contains($0) } == true
                if sign.weight == .declared || (sign.weight == .clear || isSole) && (!isPayload || isSole || isError) {
                    return InnerFailure(path: [members.name(member)], place: place, object: inner, span: member.span, sign: sign)
                }
            }
            if !isSecond, !isPayload, var found = look(in: inner, isSecond: true, isAlone: isSole) {
                found.path.insert(members.name(member), at: 0)
                found.place = place
                return found
            }
        }
        return nil
    }

    /// Whether a type that fits the response keeps the failure to itself: it fits the payload, or finds a key of its own elsewhere.
    func isKept(by trial: TypeTrial, in findings: StandardFindings) -> Bool {
        if let candidate = findings.candidate, trial.fit(candidate).fitsPayload { return true }
        let fit = trial.fit(findings.root)
        return fit.decodes && fit.asked.map { findings.findsOwn($0, but: place) } == true
    }
}

/// The facts about a payload that only commonly used keys identify. A type may take the whole body in its place.
struct PayloadGuess: Sendable {
    let standard: StandardFindings
    let decision: StandardFindings.Decision
    /// The part if no type decides otherwise.
    let part: EnvelopeResult.Payload

    /// The position of the payload, or `nil` if it is null or absent.
    var payload: Range<Int>? { standard.candidate?.range }

    /// Whether the payload is the likelier part.
    var isPayload: Bool {
        if case .range = part { payload != nil } else { false }
    }

    /// Whether a type with these keys may be decoded from the likelier part without a comparison.
    func accepts(_ keys: AskedKeys) -> Bool {
        isPayload ? !keys.hasAsked || keys.findsAny : payload == nil && part == .body && !keys.takesList
    }

    /// Returns the part for a type.
    func choice(_ trial: TypeTrial) -> EnvelopeResult.Payload {
        standard.choice(decision, trial)
    }
}
