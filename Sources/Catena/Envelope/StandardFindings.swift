/// Decides by commonly used keys whether a response is a success, and which part of it the call receives.
///
/// `Docs/Envelopes.md` describes the rules.
final class StandardFindings {
    /// The part of a response that a call wants.
    enum Want {
        /// The payload without a type, or the raw body.
        case anything
        /// No value, because the call returns `Void`.
        case nothing
        case type(TypeTrial)
    }

    /// The decision about success or failure.
    struct Decision {
        static let none = Decision(isMade: false, sign: nil)

        let isMade: Bool
        /// The deciding sign, or `nil` if a declared place decided.
        let sign: EnvelopeSign?
    }

    /// The part of a response that a call receives.
    enum Choice: Equatable {
        case payload(JSONSpan)
        case whole
        case missing
    }

    enum Payload {
        /// There is no payload key.
        case none
        case null(place: Int)
        case found(place: Int, JSONSpan)
    }

    /// A failure that an inner object reports, one or two levels down.
    final class Deeper {
        /// The keys on the path to the object.
        let path: [String]
        let findings: ObjectFindings
        let span: JSONSpan
        let sign: EnvelopeSign

        init(path: [String], findings: ObjectFindings, span: JSONSpan, sign: EnvelopeSign) {
            self.path = path
            self.findings = findings
            self.span = span
            self.sign = sign
        }
    }

    let object: ObjectFindings
    private let root: JSONSpan
    private let declared: Declared

    /// The values at declared places.
    struct Declared {
        /// The values that have served as codes or flags, and so cannot be the payload.
        var served: [JSONSpan] = []
        /// The payload, which is used if no commonly used key has one.
        var payload: JSONSpan?
    }

    init(_ members: EnvelopeMembers, _ rules: SignRules, _ root: JSONSpan, _ declared: Declared) {
        object = ObjectFindings(
            members, rules, declared: rules.rules.firstKeys, disabled: rules.rules.rules.disabled, isInner: false)
        self.root = root
        self.declared = declared
        payload = Self.payload(members, object.signs, rules.rules.rules.disabled, declared)
    }

    var members: EnvelopeMembers { object.members }
    var document: EnvelopeDocument { object.members.document }

    // Never inlined, because each caller would then copy `object`, even on paths that do not use it.

    @inline(never)
    private var hasOthers: Bool { object.hasOthers }
    @inline(never)
    private var hasIdentity: Bool { object.hasIdentity }
    @inline(never)
    var isThing: Bool { object.isThing }

    // MARK: The deciding sign

    /// Returns the first sign that counts, or `nil` if there is none.
    func verdict(_ want: Want) -> EnvelopeSign? {
        object.signs.first { counts($0, want) }
    }

    /// Returns whether a sign counts: whether it is reliable enough, and not a member of the call's own model.
    func counts(_ sign: EnvelopeSign, _ want: Want) -> Bool {
        var wantsNothing = false
        switch want {
        case .anything: break
        case .nothing: wantsNothing = true
        case .type(let trial):
            if isModels(sign, trial) { return false }
            // If the type fits nothing, the call fails anyway. A weak sign of failure then gives it a better error.
            wantsNothing = !sign.isGood && !fitsWhole(trial, .none) && !fitsPayload(trial)
        }
        if sign.isGood {
            if !hasOthers { return true }
            return sign.weight != .weak && (sign.kind == .flag || sign.kind == .code || !isThing)
        }
        if sign.weight == .explicit, !hasIdentity { return true }
        if isThing { return false }
        if sign.weight != .weak || !hasOthers { return true }
        return wantsNothing && (isFlagKey(sign) || sign.word == .code && sign.integer != nil)
    }

    private func isFlagKey(_ sign: EnvelopeSign) -> Bool {
        sign.word.map { VocabularyWords.flags.contains($0) } == true
    }

    /// Whether a sign is a member of the call's model: the type asks for its key, decodes the whole body, and is no envelope itself.
    func isModels(_ sign: EnvelopeSign, _ trial: TypeTrial) -> Bool {
        let fit = trial.fit(root)
        guard fit.decodes, let keys = fit.asked, asks(keys, for: sign) else { return false }
        if keys.findsOther || keys.found.overlaps(.models) { return true }
        if keys.asked.overlaps(VocabularyWords.messages.union(.payloads)) { return false }
        return object.kinMessages.isEmpty || keys.names.isEmpty || !keys.names.contains { kinMessageNames.contains($0.name) }
    }

    private func asks(_ keys: AskedKeys, for sign: EnvelopeSign) -> Bool {
        if let word = sign.word { return keys.asked.contains(word) }
        return keys.hasName(members.comparedName(members.list[sign.place]))
    }

    private lazy var kinMessageNames = Set(object.kinMessages.map { members.comparedName(members.list[$0]) })

    /// Whether the type decodes the whole body and finds a key of its own.
    ///
    /// A key is the type's own if it has not served as a sign or message. The key of the deciding sign is, too, if the type requires it.
    func fitsWhole(_ trial: TypeTrial, _ decision: Decision) -> Bool {
        let fit = trial.fit(root)
        guard fit.decodes else { return false }
        switch fit.keys {
        case .none: return true
        case .dictionary: return !decision.isMade
        case .asked(let keys):
            guard keys.hasAsked else { return true }
            guard decision.isMade else { return keys.findsAny }
            if let word = decision.sign?.word, keys.found.contains(word), keys.required.contains(word) { return true }
            if !keys.found.subtracting(served).isEmpty || keys.findsErrorKey { return true }
            guard keys.findsOther else { return false }
            let servedNames = self.servedNames
            guard !servedNames.isEmpty else { return true }
            let verdictName = decision.sign.flatMap { $0.word == nil ? members.comparedName(members.list[$0.place]) : nil }
            // There are no names if the type reads `allKeys` in place of certain keys.
            return keys.names.isEmpty
                || keys.names.contains { $0.isFound && (!servedNames.contains($0.name) || $0.name == verdictName && $0.isRequired) }
        }
    }

    func fitsPayload(_ trial: TypeTrial) -> Bool {
        guard let span = candidate else { return false }
        return trial.fit(span).fitsPayload
    }

    /// The words of the keys that have served as signs or messages.
    var served: VocabularyWords {
        var words = VocabularyWords.messages
        for sign in object.signs where sign.kind == .flag || sign.kind == .code || sign.kind == .word || sign.kind == .status {
            if let word = sign.word { words.insert(word) }
        }
        return words
    }

    /// The keys outside the vocabulary that have served as signs or messages.
    private var servedNames: Set<String> {
        let signs = object.signs.filter { ($0.kind == .flag || $0.kind == .code) && $0.word == nil }.map(\.place)
        return Set((signs + object.kinMessages).map { members.comparedName(members.list[$0]) })
    }

    /// Whether the type may change the verdict, because the response has a sign of failure or looks like one.
    func isAmbiguous(_ verdict: EnvelopeSign?) -> Bool {
        if !object.kin.isEmpty || object.signs.contains(where: { !$0.isGood }) { return true }
        return verdict == nil && deeper != nil || suspectedFailure(verdict, .anything) != nil
    }

    // MARK: The payload

    /// The value at the first payload key that has one. An empty string is used only if all others are null, and null only if there is nothing else.
    /// Keys that have served as signs are skipped.
    let payload: Payload

    private static func payload(
        _ members: EnvelopeMembers, _ signs: EnvelopeSigns, _ disabled: VocabularyWords, _ declared: Declared
    ) -> Payload {
        let document = members.document
        var best = Payload.none
        var words = members.words.intersection(.payloads).subtracting(disabled)
        while let word = words.popFirst() {
            guard let place = members.place(of: word),
                !signs.contains(where: { $0.place == place && ($0.kind == .code || $0.kind == .flag) }),
                !declared.served.contains(members.list[place].span)
            else { continue }
            let span = members.list[place].span
            switch best {
            case .none: best = span.kind == .null ? .null(place: place) : .found(place: place, span)
            case .null: if span.kind != .null { best = .found(place: place, span) }
            case .found(_, let former):
                if document.isEmptyText(former), span.kind != .null, !document.isEmptyText(span) { best = .found(place: place, span) }
            }
        }
        return best
    }

    /// The value that may be the payload, or `nil` if it is null or absent.
    var candidate: JSONSpan? {
        if case .found(_, let span) = payload { return span }
        return declared.payload.flatMap { $0.kind == .null ? nil : $0 }
    }

    /// Whether the value at the payload key is the payload, if no type decides otherwise.
    func isPayload(_ decision: Decision) -> Bool {
        let place: Int
        switch payload {
        case .none: return declared.payload != nil
        case .null(let key):
            if declared.payload != nil { return true }
            place = key
        case .found(let key, _): place = key
        }
        guard members.list[place].word == .result else { return decision.isMade || !hasOthers }
        if members.has(.jsonrpc) { return true }
        guard decision.isMade else { return members.hasAny(.company) && !hasOthers }
        return decision.sign?.kind != .word || !hasOthers
    }

    /// Returns the part that the call receives if no type decides otherwise.
    func choice(_ decision: Decision) -> Choice {
        if let candidate { return isPayload(decision) ? .payload(candidate) : .whole }
        let null: JSONSpan?
        if case .null(let place) = payload { null = members.list[place].span } else { null = declared.payload }
        if let null { return decision.isMade ? .missing : isPayload(decision) ? .payload(null) : .whole }
        return decision.isMade && !hasOthers ? .missing : .whole
    }

    /// Returns the part for a typed call. Tries the payload and the whole body, the likelier one first, and returns the first that fits.
    ///
    /// If neither fits, prefers a part that decodes.
    func choice(_ decision: Decision, _ trial: TypeTrial) -> Choice {
        let guess = choice(decision)
        let fitsWhole = { self.fitsWhole(trial, decision) }
        guard let candidate else {
            if fitsWhole() { return .whole }
            return guess
        }
        if guess == .payload(candidate) {
            if trial.fit(candidate).fitsPayload { return guess }
            return fitsWhole() ? .whole : guess
        }
        if fitsWhole() { return .whole }
        if trial.fit(candidate).fitsPayload { return .payload(candidate) }
        if guess == .missing { return guess }
        if guess == .whole, trial.fit(root).decodes { return .whole }
        return trial.fit(candidate).decodes ? .payload(candidate) : guess
    }

    // MARK: Inner objects

    /// A failure that an inner object reports. It decides only if no sign of the outer object counts.
    private(set) lazy var deeper: Deeper? = isThing ? nil : look(in: object, isSecond: false, isAlone: true)

    private func look(in findings: ObjectFindings, isSecond: Bool, isAlone: Bool) -> Deeper? {
        let members = findings.members
        var hereCount: Int?
        for member in members.list where member.span.kind == .object && document.isSomething(member.span) {
            let count = hereCount ?? members.list.count { !isCompany($0) && document.isSomething($0.span) }
            hereCount = count
            let inner = ObjectFindings(document.members(of: member.span), findings.signRules.inner, isInner: false)
            let isSole = isAlone && count == 1 && !isCompany(member)
            let isPayload = member.word.map { VocabularyWords.payloads.contains($0) } == true
            if let sign = failure(in: inner, isSole: isSole, isPayload: isPayload) {
                return Deeper(path: [members.name(member)], findings: inner, span: member.span, sign: sign)
            }
            if !isSecond, !isPayload, let found = look(in: inner, isSecond: true, isAlone: isSole) {
                return Deeper(path: [members.name(member)] + found.path, findings: found.findings, span: found.span, sign: found.sign)
            }
        }
        return nil
    }

    private func isCompany(_ member: EnvelopeMembers.Member) -> Bool {
        member.word.map { VocabularyWords.company.contains($0) } == true
    }

    private func failure(in inner: ObjectFindings, isSole: Bool, isPayload: Bool) -> EnvelopeSign? {
        guard !inner.signs.isEmpty, !inner.signs.contains(where: \.isGood), !inner.saysSuccess, !inner.isThing else { return nil }
        return inner.signs.first { sign in
            switch sign.kind {
            case .flag: if sign.weight != .explicit { return false }
            case .code, .error: break
            case .noError, .status, .word, .words: return false
            }
            guard sign.weight != .weak || isSole && !inner.hasOthers else { return false }
            return !isPayload || isSole || sign.word.map { VocabularyWords.errorCodes.contains($0) } == true
        }
    }
}
