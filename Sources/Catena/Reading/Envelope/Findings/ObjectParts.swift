/// The parts of an envelope that an object has, and its company.
struct ObjectParts: Sendable {
    /// The members besides the parts of an envelope.
    enum Company: Sendable {
        /// Nothing.
        case alone
        /// Other members.
        case mixed
        /// So much that the object is a thing, whose codes and errors are its own; with an id.
        case thing, identified
    }

    let members: EnvelopeMembers
    /// The indices of codes at other keys that end in `code`, which count beside a message if there is no `code`.
    let kin: [Int]
    /// The indices of messages at other keys, beside such codes.
    let kinMessages: [Int]
    let hasMessage: Bool
    let company: Company
    /// Whether another member has a value.
    let tells: Bool

    init(_ members: EnvelopeMembers) {
        self.members = members
        var (kin, kinMessages): ([Int], [Int]) = ([], [])
        if members.hasOtherKeys, !members.has(.code) {
            kin = members.list.indices.filter { place in
                let member = members.list[place]
                return member.key.endsWithCode && member.word.map { !VocabularyWords.allCodes.contains($0) } ?? true
            }
            if !kin.isEmpty {
                kinMessages = members.list.indices.filter { place in
                    guard members.list[place].word == nil, members.list[place].key.endsLikeMessage else { return false }
                    let name = members.comparedName(members.list[place])
                    return name.hasSuffix("msg") || name.hasSuffix("message")
                }
            }
        }
        hasMessage = members.hasAny(.messages) || !kinMessages.isEmpty
        if !hasMessage { kin = [] }
        self.kin = kin
        self.kinMessages = kinMessages
        // A shortcut for most envelopes, whose keys are all in the vocabulary.
        (company, tells) = members.hasOtherKeys ? Self.company(of: members, kin.isEmpty ? [] : Set(kin + kinMessages)) : (.alone, false)
    }

    private static func company(of members: EnvelopeMembers, _ kin: Set<Int>) -> (Company, tells: Bool) {
        let document = members.document
        var (hasOthers, telling, hasIdentity) = (false, 0, false)
        for (place, member) in members.list.enumerated() {
            if let word = member.word {
                if word.isVocabulary || word == .id && members.has(.jsonrpc) { continue }
            } else if member.isErrorKey {
                continue
            }
            if kin.contains(place) { continue }
            hasOthers = true
            guard document.isSomething(member.span) else { continue }
            telling += 1
            if member.word == .id { hasIdentity = true }
        }
        guard hasOthers else { return (.alone, false) }
        let isThing = telling >= 3 || hasIdentity && members.string(.status).map { ErrorCode.string($0).number == nil } == true
        return (isThing ? hasIdentity ? .identified : .thing : .mixed, telling > 0)
    }

    var document: EnvelopeDocument { members.document }
    /// Whether there are members outside the vocabulary.
    var hasOthers: Bool { company != .alone }
    /// Whether the object is a thing: it has so many other members that its codes and errors are its own.
    var isThing: Bool { company == .thing || company == .identified }
    var hasPayload: Bool { members.hasAny(.payloads) }
    var hasCode: Bool { members.hasAny(.allCodes) }

    /// Whether an error has a value.
    ///
    /// - Parameter place: The index of a member that is not meant.
    func hasError(but place: Int? = nil) -> Bool {
        members.hasErrorKeys
            && members.list.indices.contains {
                $0 != place && members.list[$0].key.beginsWithErr && document.isSomething(members.list[$0].span)
            }
    }

    /// Whether there is a message, a remark or an error.
    var hasWords: Bool { hasMessage || members.hasAny(.remarks) || hasError() }

    /// Whether there is a message, here or one level down.
    var isTold: Bool {
        hasMessage
            || members.list.contains { member in
                guard member.span.kind == .object, document.isSomething(member.span) else { return false }
                let inner = ObjectParts(document.members(of: member.span))
                return inner.hasMessage && !inner.isThing
            }
    }

    /// Whether another part of an envelope stands beside a member.
    func hasParts(beside place: Int) -> Bool {
        var others = VocabularyWords.parts
        if let word = members.list[place].word { others = others.subtracting(VocabularyWords([word])) }
        return hasMessage || members.hasAny(others) || hasError(but: place) || isTold
    }

    /// Whether a payload has a value, at any depth.
    var hasFilledPayload: Bool {
        members.first(of: .payloads) { document.json(at: $0)?.hasSomething == true ? $0 : nil } != nil
    }

    /// The first message with a text, or `""` if there is none.
    @inline(never)
    var message: String {
        if let text = members.first(of: .messages, { document.message(at: $0, isMessage: true) }) { return text }
        return kinMessages.lazy.compactMap { document.message(at: members.list[$0].span, isMessage: false) }.first ?? ""
    }

    /// Whether a message means success.
    @inline(never)
    var saysSuccess: Bool {
        members.first(of: .messages) { document.meaning(at: $0) == .success ? $0 : nil } != nil
            || kinMessages.contains { document.meaning(at: members.list[$0].span) == .success }
    }
}
