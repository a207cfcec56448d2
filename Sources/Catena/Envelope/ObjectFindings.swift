/// The signs of success and failure among the members of one object, regardless of the call's type.
struct ObjectFindings {
    let members: EnvelopeMembers
    let signRules: SignRules
    /// The words that are ignored, because a step has declared places that replace them.
    let disabled: VocabularyWords
    /// Whether this is an inner object, whose own inner objects are not examined.
    private let isInner: Bool
    /// The indices of kin codes: members with other keys that end in `code`, which count beside a message.
    let kin: [Int]
    /// The indices of kin messages: members whose keys begin like that of a kin code.
    let kinMessages: [Int]

    // The parts of the vocabulary that the object contains.
    let hasMessage: Bool
    let hasCode: Bool
    let hasPayload: Bool
    let hasError: Bool
    let hasWords: Bool

    /// The number of other members, which do not belong to an envelope. Objects that may be heads are not counted.
    private let otherCount: Int
    private let tellingCount: Int
    /// The inner objects that are heads of an envelope if they contain only vocabulary.
    private let candidates: [Int]
    /// The cached findings of inner objects, or `nil` if there are no candidates. Findings of other inner objects are rarely needed.
    private let inner: InnerFindings?
    private(set) var signs = EnvelopeSigns()

    init(_ members: EnvelopeMembers, _ signRules: SignRules, declared: Set<String> = [], disabled: VocabularyWords = .init(), isInner: Bool)
    {
        self.members = members
        self.signRules = signRules
        self.disabled = disabled
        self.isInner = isInner
        let document = members.document
        var (kin, kinMessages): ([Int], [Int]) = ([], [])
        if !members.has(.code) { (kin, kinMessages) = ObjectFindings.kin(in: members) }
        hasMessage = members.hasAny(.messages) || !kinMessages.isEmpty
        if !hasMessage { kin = [] }
        self.kin = kin
        self.kinMessages = kinMessages
        hasCode = members.hasAny(.allCodes)
        hasPayload = members.hasAny(.payloads)
        hasError = members.hasErrorKeys && members.list.contains { $0.key.beginsWithErr && document.isSomething($0.span) }
        hasWords = hasMessage || hasError || members.hasAny(.remarks)
        let others = Others(members, declared, disabled, isInner: isInner, kin: kin.isEmpty ? kinMessages : kin + kinMessages)
        otherCount = others.count
        tellingCount = others.tellingCount
        candidates = others.candidates
        inner = candidates.isEmpty ? nil : InnerFindings()
        addFlags()
        addCodes()
        addErrors()
        addWords()
    }

    func isEnabled(_ word: VocabularyWord) -> Bool { !disabled.contains(word) }

    private static func kin(in members: EnvelopeMembers) -> (codes: [Int], messages: [Int]) {
        let codes = members.list.indices.filter { place in
            let member = members.list[place]
            return member.key.endsWithCode && member.word.map { !VocabularyWords.allCodes.contains($0) } ?? true
        }
        guard !codes.isEmpty else { return ([], []) }
        // A dictionary, because a server can send very many such keys.
        var named: [String: Int] = [:]
        for (place, member) in members.list.enumerated() where member.word == nil && member.key.endsLikeMessage {
            let name = members.comparedName(member)
            if named[name] == nil { named[name] = place }
        }
        guard !named.isEmpty else { return (codes, []) }
        let messages = codes.flatMap { code -> [Int] in
            let stem = members.comparedName(members.list[code]).dropLast(4)
            return [named[stem + "msg"], named[stem + "message"]].compactMap { $0 }
        }
        return (codes, messages)
    }

    // MARK: Other members

    private struct Others {
        private(set) var count = 0
        private(set) var tellingCount = 0
        private(set) var candidates: [Int] = []

        init(_ members: EnvelopeMembers, _ declared: Set<String>, _ disabled: VocabularyWords, isInner: Bool, kin: [Int]) {
            // A shortcut for most envelopes, whose keys are all in the vocabulary.
            if members.hasWordsAlone, !members.hasAny(.models), !members.hasAny(disabled) { return }
            let document = members.document
            let kin = Set(kin)
            for (place, member) in members.list.enumerated() {
                if let word = member.word {
                    if word.isVocabulary, !disabled.contains(word) { continue }
                    if word == .id, members.has(.jsonrpc) { continue }
                } else if member.isErrorKey || kin.contains(place) {
                    continue
                }
                if !declared.isEmpty, declared.contains(members.name(member)) { continue }
                let isSomething = document.isSomething(member.span)
                if !isInner, member.span.kind == .object, isSomething {
                    candidates.append(place)
                    continue
                }
                count += 1
                if isSomething { tellingCount += 1 }
            }
        }
    }

    /// Returns the findings of an inner object, without those of its own inner objects.
    func inner(at place: Int) -> ObjectFindings {
        if let known = inner?.known[place] { return known }
        let findings = ObjectFindings(members.document.members(of: members.list[place].span), signRules.inner, isInner: true)
        inner?.known[place] = findings
        return findings
    }

    /// Whether the object is only a head: a code or a flag, and nothing outside the vocabulary.
    private var isHead: Bool { otherCount == 0 && (hasCode || members.hasAny(.flags)) }

    /// Whether there are other members, which do not belong to an envelope.
    var hasOthers: Bool { otherCount > 0 || candidates.contains { !inner(at: $0).isHead } }

    /// Whether the object has a value at `id`.
    var hasIdentity: Bool {
        guard let place = members.place(of: .id), !members.has(.jsonrpc), members.document.isSomething(members.list[place].span) else {
            return false
        }
        return !candidates.contains(place) || !inner(at: place).isHead
    }

    /// Whether the object is a thing: it has so many other members that its codes and errors are its own.
    var isThing: Bool {
        if tellingCount >= 3 { return true }
        if let status = members.string(.status), ErrorCode.string(status).number == nil, hasIdentity { return true }
        var count = tellingCount
        for place in candidates where !inner(at: place).isHead {
            count += 1
            if count >= 3 { return true }
        }
        return false
    }

    /// Whether there is a message, here or one level down.
    @inline(never)
    var isTold: Bool {
        if hasMessage { return true }
        guard !isInner else { return false }
        let document = members.document
        return members.list.indices.contains { place in
            guard members.list[place].span.kind == .object, document.isSomething(members.list[place].span) else { return false }
            let findings = inner(at: place)
            return findings.hasMessage && !findings.isThing
        }
    }

    /// The first message with a text, or `""` if there is none.
    @inline(never)
    var message: String { members.message(at: .messages, and: kinMessages.map { members.list[$0] }) ?? "" }

    /// Whether a message means success.
    @inline(never)
    var saysSuccess: Bool {
        var words = members.words.intersection(.messages)
        while let word = words.popFirst() {
            if members.meaning(word) == .success { return true }
        }
        return kinMessages.contains { members.document.meaning(at: members.list[$0].span) == .success }
    }

    /// Returns the code at the key of a sign, if there is one.
    func code(of sign: EnvelopeSign) -> ErrorCode? {
        if let integer = sign.integer { return .integer(integer) }
        return sign.hasCode ? members.code(members.list[sign.place]) : nil
    }

    mutating func add(
        _ kind: EnvelopeSign.Kind, _ word: VocabularyWord, isGood: Bool, _ weight: EnvelopeSign.Weight, code: ErrorCode? = nil
    ) {
        guard let place = members.place(of: word) else { return }
        signs.append(EnvelopeSign(kind: kind, place: place, word: word, isGood: isGood, weight: weight, code: code))
    }

    mutating func add(_ sign: EnvelopeSign) {
        signs.append(sign)
    }

    mutating func sortCodes(from start: Int) {
        guard signs.count - start > 1 else { return }
        // Insertion sort, which is stable; there are only few signs.
        for place in start + 1..<signs.count {
            var place = place
            while place > start, rank(signs[place]) < rank(signs[place - 1]) {
                signs.swapAt(place, place - 1)
                place -= 1
            }
        }
    }

    private func rank(_ sign: EnvelopeSign) -> Int {
        if !sign.isGood, let word = sign.word, VocabularyWords.errorCodes.contains(word) { return 0 }
        if sign.word == .errcode, members.name(members.list[sign.place]) == "errcode" { return 1 }
        return sign.word == .code ? 2 : 3
    }
}

/// A cache of the findings of an object's inner objects.
private final class InnerFindings {
    var known: [Int: ObjectFindings] = [:]
}
