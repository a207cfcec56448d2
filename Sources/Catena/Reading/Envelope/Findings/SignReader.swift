/// Reads the signs among the members of an object, by the table of signs.
struct SignReader {
    let parts: ObjectParts
    let rules: EnvelopePlaces.Rules
    let status: Int
    private let isInner: Bool
    private(set) var signs = EnvelopeSigns()

    init(_ members: EnvelopeMembers, _ rules: EnvelopePlaces.Rules, status: Int, isInner: Bool) {
        parts = ObjectParts(members)
        self.rules = rules
        self.status = status
        self.isInner = isInner
        let takesCodes = !rules.rules.codes.replacesUsual
        let takesErrors = !rules.rules.failures.replacesUsual
        if takesCodes, !rules.rules.flags.replacesUsual { addFirst(of: .flags) }
        if takesCodes { addCodes(takesErrors) }
        if takesErrors, members.hasErrorKeys { addErrors() }
        if takesCodes { addWords() }
    }

    private var members: EnvelopeMembers { parts.members }
    private var document: EnvelopeDocument { parts.members.document }

    // MARK: Signs of the table

    private mutating func addFirst(of group: SignGroup) {
        guard members.words.overlaps(group.keys) else { return }
        for row in group.rows where members.words.overlaps(row.keys) {
            if add(row, isFirst: true) { return }
        }
    }

    private mutating func addAll(of group: SignGroup, but ignored: VocabularyWords = .init()) {
        guard members.words.overlaps(group.keys) else { return }
        for row in group.rows where members.words.overlaps(row.keys) && row.keys != ignored { add(row, isFirst: false) }
    }

    /// Adds the signs of a row. Returns whether there is one.
    @discardableResult
    private mutating func add(_ row: SignRow, isFirst: Bool) -> Bool {
        // Not through `members`, which would be copied.
        var words = parts.members.words.intersection(row.keys)
        while let word = words.popFirst() {
            guard let place = parts.members.place(of: word), row.value.isPossible(parts.members.list[place]),
                let sign = sign(row, word, place)
            else { continue }
            signs.append(sign)
            if isFirst { return true }
        }
        return false
    }

    private func sign(_ row: SignRow, _ word: VocabularyWord?, _ place: Int) -> EnvelopeSign? {
        let member = parts.members.list[place]
        // A word has no code, which would be copied from the text.
        let code = row.kind == .word ? nil : parts.members.code(member)
        guard let isGood = isGood(row.value, member, code) else { return nil }
        let isKnown = row.kind != .flag && rules.rules.isClassified(code)
        let isClear = isKnown || isClear(row.beside, isGood, place, code)
        return EnvelopeSign(
            kind: row.kind, place: place, word: word, isGood: isGood, weight: isKnown ? .declared : isClear ? .clear : .weak,
            code: row.kind == .flag ? nil : code)
    }

    /// Whether a value means success, or `nil` if it is no sign.
    private func isGood(_ value: SignRow.Value, _ member: JSONMember, _ code: ErrorCode?) -> Bool? {
        switch value {
        case .flag:
            if let bit = bit(member, code) { return bit <= 1 ? bit == 1 : nil }
            return truth(at: member.span)
        case .bool: return member.span.kind == .bool ? document.isTrue(member.span) : nil
        case .textOfTruth: return truth(at: member.span)
        case .reverse: return member.span.kind == .bool ? !document.isTrue(member.span) : nil
        default: break
        }
        if value == .word || value == .statusWord { return wordIsGood(member.span, isStatus: value == .statusWord) }
        guard let code else { return nil }
        let isGood = rules.rules.meansSuccess(code)
        switch value {
        case .errorCode: return isGood || document.meaning(at: member.span)?.isNothing == true
        case .kin: return code.number == nil ? nil : isGood
        case .number: return code.number == nil ? nil : isGood || isStatus(code)
        case .text: return code.number == nil ? isGood : nil
        case .resultCode:
            return code.number != nil || parts.hasMessage || document.meaning(at: member.span)?.isOfCall == true ? isGood : nil
        case .statusNumber:
            guard let number = code.number else { return nil }
            let isGood = isGood || isStatus(code)
            return isGood || number >= 100 || !rules.rules.takesUsualSuccesses ? isGood : nil
        case .integer: return code.integer != nil ? isGood : nil
        case .loneInteger: return code.integer != nil && parts.hasMessage && !signs.contains { $0.kind == .code } ? isGood : nil
        case .statusOfHTTP:
            guard let number = code.number else { return nil }
            if rules.rules.takesUsualSuccesses && number == 200 || isStatus(code) || number != 0 && isGood { return true }
            return number != 0 && number != 1 || rules.rules.isClassified(code) || !rules.rules.takesUsualSuccesses && !isGood ? false : nil
        case .zero: return code.number == 0 ? true : nil
        default: return nil
        }
    }

    private func isClear(_ beside: SignRow.Beside, _ isGood: Bool, _ place: Int, _ code: ErrorCode?) -> Bool {
        switch beside {
        case .anything: return true
        case .nothing: return false
        case .parts: return parts.hasParts(beside: place)
        case .partsOfBit:
            guard let bit = bit(members.list[place], code), bit >= 0 else { return true }
            return parts.hasWords || parts.hasParts(beside: place)
        case .message: return parts.hasMessage
        case .messageText: return !parts.message.isEmpty
        case .messageOrPayload: return isGood ? parts.hasMessage || parts.hasPayload : parts.isTold
        case .errorOrMessage: return isGood || parts.hasMessage || parts.hasError()
        case .error: return isGood || parts.hasError()
        case .failureOnly: return !isGood && (parts.hasMessage || parts.hasError())
        }
    }

    /// Whether a code equals the HTTP status, which says nothing new.
    private func isStatus(_ code: ErrorCode) -> Bool { status != 0 && rules.rules.takesUsualSuccesses && code == .integer(status) }

    /// A number, or that of the strings `"0"` and `"1"`.
    private func bit(_ member: JSONMember, _ code: ErrorCode?) -> Double? {
        if member.span.kind == .number { return code?.number }
        return code == "0" ? 0 : code == "1" ? 1 : nil
    }

    private func truth(at span: JSONSpan) -> Bool? {
        if span.kind == .bool { return document.isTrue(span) }
        switch document.meaning(at: span) {
        case .yes: return true
        case .no: return false
        default: return nil
        }
    }

    private func wordIsGood(_ span: JSONSpan, isStatus: Bool) -> Bool? {
        switch document.meaning(at: span) {
        case .success: return true
        case .failure: return false
        default: return isStatus && span.kind == .string && document.text(at: span).namesFailure ? false : nil
        }
    }

    // MARK: Other signs

    private mutating func addCodes(_ takesErrors: Bool) {
        let start = signs.count
        addAll(of: .codes)
        let saysSuccess = !parts.kin.isEmpty && parts.saysSuccess
        for place in parts.kin {
            guard let sign = sign(SignGroup.kin, parts.members.list[place].word, place) else { continue }
            if sign.isGood || !saysSuccess { signs.append(sign) }
        }
        addAll(of: .integers, but: takesErrors ? .init() : .error)
        if signs.count - start > 1 { sort(from: start) }
        if !rules.rules.flags.replacesUsual, parts.hasMessage { addFirst(of: .result) }
    }

    @inline(never)
    private mutating func sort(from start: Int) {
        let ranks = self
        signs.sort(from: start) { ranks.rank($0) }
    }

    private func rank(_ sign: EnvelopeSign) -> Int {
        if !sign.isGood, let word = sign.word, VocabularyWords.errorCodes.contains(word) { return 0 }
        if sign.word == .errcode, members.name(members.list[sign.place]) == "errcode" { return 1 }
        return sign.word == .code ? 2 : 3
    }

    private mutating func addErrors() {
        for (place, member) in members.list.enumerated() where member.isErrorKey {
            let kind = member.span.kind
            let isErrors = member.word == .errors
            if isErrors || member.word == .error, kind == .array || isErrors && (kind == .object || kind == .string),
                document.isSomething(member.span)
            {
                guard let value = document.json(at: member.span), value.array.map({ $0[0].tells }) ?? true else { continue }
                let isOwn = value[0].describesFailure(by: rules.rules) && (isInner || !parts.tells)
                add(isGood: false, place, isOwn || parts.hasParts(beside: place) ? .clear : .weak)
            } else if member.word == .error ? kind != .bool && kind != .number : kind == .object {
                guard let value = document.json(at: member.span) else { continue }
                let tells = value.tells
                guard member.word == .error || tells else { continue }
                let code = TellingMembers(value).first(TellingMembers.errorCodes + ["code"])
                if value.saysNoError(code, by: rules.rules) {
                    add(isGood: true, place, parts.hasParts(beside: place) ? .clear : .weak)
                } else {
                    add(isGood: false, place, rules.rules.isClassified(code) ? .declared : kind == .string || tells ? .clear : .weak)
                }
            }
        }
    }

    private mutating func add(isGood: Bool, _ place: Int, _ weight: EnvelopeSign.Weight) {
        signs.append(
            EnvelopeSign(
                kind: isGood ? .noError : .error, place: place, word: members.list[place].word, isGood: isGood, weight: weight))
    }

    private mutating func addWords() {
        let count = signs.count
        addFirst(of: .words)
        if signs.count == count, members.hasErrorKeys { addErrorMessage() }
        if signs.count == count { addFirst(of: .zero) }
    }

    /// Adds a text at a key that begins with `err`, which only failures have.
    private mutating func addErrorMessage() {
        for (place, member) in members.list.enumerated() where member.key.beginsWithErr && member.span.kind == .string {
            if let word = member.word, VocabularyWords.errorCodes.contains(word) || word == .error || word == .errors { continue }
            guard !document.isEmptyText(member.span) else { continue }
            switch document.meaning(at: member.span) {
            case .success, .nothing, .no: continue
            default:
                signs.append(EnvelopeSign(kind: .words, place: place, word: member.word, isGood: false, weight: .clear))
                return
            }
        }
    }
}

extension JSON {
    /// Whether the value of an error says that there is none.
    ///
    /// - Parameter code: The code in the value.
    fileprivate func saysNoError(_ code: ErrorCode?, by rules: EnvelopeRules) -> Bool {
        if !hasSomething { return true }
        if let string { return rules.meansSuccess(.string(string)) || ComparedKey(string).meaning?.isNothing == true }
        guard let code, rules.meansSuccess(code) else { return false }
        return code != 200 || TellingMembers(self).message() == nil
    }
}

extension String {
    /// Whether the text names a failure, such as `auth_failure` or `error.timeout`.
    fileprivate var namesFailure: Bool {
        let text = lowercased()
        guard let place = text.lastIndex(where: { "-_.".contains($0) }) else { return false }
        let (start, end) = (text[..<place], text[text.index(after: place)...])
        func hasLetters(_ part: Substring, or other: Character? = nil) -> Bool {
            !part.isEmpty && part.allSatisfy { ("a"..."z").contains($0) || $0 == other }
        }
        return ["error", "fail", "failed", "failure"].contains(start) && hasLetters(end)
            || ["error", "failed", "failure"].contains(end) && hasLetters(start, or: "_")
    }
}
