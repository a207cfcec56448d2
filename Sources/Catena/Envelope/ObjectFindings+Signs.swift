// The signs of an object, in order of precedence: first flags, codes and errors, which state the result, then words, which only suggest it.
extension ObjectFindings {
    private var document: EnvelopeDocument { members.document }

    // MARK: Flags

    mutating func addFlags() {
        let isBeside = hasWords || hasPayload || hasCode
        var flags = members.words.intersection(.flags).subtracting(disabled)
        while let word = flags.popFirst() {
            guard let span = members[word] else { continue }
            if let number = flagNumber(at: span), number <= 1 {
                let isExplicit = number < 1 && hasWords
                add(.flag, word, isGood: number == 1, isExplicit ? .explicit : .init(clearIf: isBeside || number < 0))
                return
            }
            guard let value = truth(at: span) else { continue }
            add(.flag, word, isGood: value, !value && hasWords ? .explicit : .clear)
            return
        }
        addStatusFlags()
    }

    private mutating func addStatusFlags() {
        guard disabled.isEmpty || isEnabled(.success) else { return }
        if let status = members[.status], isEnabled(.status) {
            if status.kind == .bool {
                add(.flag, .status, isGood: document.isTrue(status), .init(clearIf: hasMessage || hasError || hasPayload || hasCode))
                return
            }
            if let value = truth(at: status) {
                add(.flag, .status, isGood: value, .weak)
                return
            }
        }
        if hasMessage, let result = members[.result], result.kind == .bool, isEnabled(.result) {
            add(.flag, .result, isGood: document.isTrue(result), .clear)
            return
        }
        if let error = members[.error], error.kind == .bool, isEnabled(.error) {
            add(.flag, .error, isGood: !document.isTrue(error), .init(clearIf: hasMessage || hasPayload || hasCode))
        }
    }

    /// Returns a number, or that of the strings `"0"` and `"1"`.
    private func flagNumber(at span: JSONSpan) -> Double? {
        switch span.kind {
        case .number: return document.envelopeCode(at: span)?.number
        case .string where span.range.count == 3:
            let text = document.text(at: span)
            return text == "0" ? 0 : text == "1" ? 1 : nil
        default: return nil
        }
    }

    private func truth(at span: JSONSpan) -> Bool? {
        if span.kind == .bool { return document.isTrue(span) }
        switch document.meaning(at: span) {
        case .yes: return true
        case .no: return false
        default: return nil
        }
    }

    // MARK: Codes

    mutating func addCodes() {
        let start = signs.count
        var words = members.words.intersection(.errorCodes.union(.resultCodes)).subtracting(disabled)
        while let word = words.popFirst() { addCode(word) }
        if isEnabled(.code) {
            addKin()
            addPlainCode(isFirst: signs.count == start)
        }
        if members.has(.error), isEnabled(.error), let code = members.code(.error), case .integer = code {
            add(.code, .error, isGood: signRules.meansSuccess(code), .init(clearIf: hasMessage), code: code)
        }
        if signs.count == start, hasMessage, isEnabled(.ret), isEnabled(.code), let code = members.code(.ret), case .integer = code {
            add(.code, .ret, isGood: signRules.meansSuccess(code), .clear, code: code)
        }
        sortCodes(from: start)
    }

    private mutating func addCode(_ word: VocabularyWord) {
        guard let code = members.code(word) else { return }
        let isGood = signRules.meansSuccess(code)
        let number = code.number
        if VocabularyWords.errorCodes.contains(word) {
            add(.code, word, isGood: isGood || members.meaning(word)?.isNothing == true, .clear, code: code)
        } else if word == .statuscode {
            let isGood = isGood || SignRules.isHTTPSuccess(code) || signRules.isStatus(code)
            if isGood || number.map({ $0 >= 100 }) ?? true {
                add(.code, word, isGood: isGood, .init(clearIf: hasMessage || number != nil), code: code)
            }
        } else if number != nil || hasMessage || isWordOfFour(members.meaning(word)) {
            add(.code, word, isGood: isGood, .clear, code: code)
        }
    }

    private func isWordOfFour(_ meaning: WordMeaning?) -> Bool { meaning == .success || meaning == .failure }

    private mutating func addKin() {
        guard !kin.isEmpty else { return }
        let saysSuccess = saysSuccess
        for place in kin {
            let member = members.list[place]
            guard let code = members.code(member), code.number != nil else { continue }
            let isGood = signRules.meansSuccess(code)
            guard isGood || !saysSuccess else { continue }
            add(EnvelopeSign(kind: .code, place: place, word: member.word, isGood: isGood, weight: .clear, code: code))
        }
    }

    private mutating func addPlainCode(isFirst: Bool) {
        guard let code = members.code(.code) else { return }
        let isClear: Bool
        if code.number != nil {
            isClear = hasMessage || hasPayload || hasError || isWordOfFour(members.meaning(.status)) || isTold
        } else {
            isClear = isFirst && !message.isEmpty
        }
        add(.code, .code, isGood: signRules.meansSuccess(code) || signRules.isStatus(code), .init(clearIf: isClear), code: code)
    }

    // MARK: Errors

    mutating func addErrors() {
        guard members.hasErrorKeys, isEnabled(.error) else { return }
        for (place, member) in members.list.enumerated() where member.isErrorKey {
            let kind = member.span.kind
            let isSomething = document.isSomething(member.span)
            let isList = kind == .array || member.word == .errors && (kind == .object || kind == .string)
            if member.word == .error || member.word == .errors, isList, isSomething {
                guard kind != .array || tellsInFirst(of: member.span) else { continue }
                let isClear = hasMessage || hasPayload || members.has(.code)
                add(error(place, member, isGood: false, .init(clearIf: isClear)))
            } else if member.word == .error, kind != .bool, kind != .number {
                if saysNoError(member.span) {
                    add(error(place, member, isGood: true, .init(clearIf: hasPayload)))
                } else {
                    add(error(place, member, isGood: false, .init(clearIf: kind == .string || tells(member.span))))
                }
            } else if kind == .object, tells(member.span) {
                add(error(place, member, isGood: false, .clear))
            }
        }
    }

    private func error(_ place: Int, _ member: EnvelopeMembers.Member, isGood: Bool, _ weight: EnvelopeSign.Weight) -> EnvelopeSign {
        EnvelopeSign(kind: isGood ? .noError : .error, place: place, word: member.word, isGood: isGood, weight: weight)
    }

    private func saysNoError(_ span: JSONSpan) -> Bool {
        guard let value = document.json(at: span), value.hasSomething else { return true }
        if span.kind == .string {
            return signRules.meansSuccess(.string(document.text(at: span))) || document.meaning(at: span)?.isNothing == true
        }
        guard span.kind == .object else { return false }
        let inner = document.members(of: span)
        var words = inner.words.intersection(.errorCodes.union(.code))
        while let word = words.popFirst() {
            guard let code = inner.code(word) else { continue }
            return signRules.meansSuccess(code) && (code != 200 || inner.message(at: .messages) == nil)
        }
        return false
    }

    private func tells(_ span: JSONSpan) -> Bool { document.json(at: span)?.tells ?? false }

    private func tellsInFirst(of span: JSONSpan) -> Bool { document.json(at: span)?[0].tells ?? false }

    // MARK: Words

    mutating func addWords() {
        let status = isEnabled(.status) ? members.code(.status) : nil
        if let status, let number = status.number {
            if SignRules.isHTTPSuccess(status) || signRules.isStatus(status) || status == "200" {
                add(.status, .status, isGood: true, .init(clearIf: hasMessage || hasPayload), code: status)
                return
            }
            if number >= 100 {
                add(.status, .status, isGood: false, .init(clearIf: isTold), code: status)
                return
            }
        }
        guard isEnabled(.status) else { return }
        for word in [VocabularyWord.status, .result, .message, .msg] {
            let isMessage = word == .message || word == .msg
            switch members.meaning(word) {
            case .success:
                add(.word, word, isGood: true, .init(clearIf: word != .result))
                return
            case .failure:
                add(.word, word, isGood: false, .init(clearIf: hasError || !isMessage && hasMessage))
                return
            default: break
            }
        }
        addErrorMessage()
        if signs.last?.kind != .words, status == 0 {
            add(.status, .status, isGood: true, .init(clearIf: hasMessage || hasPayload), code: status)
        }
    }

    private mutating func addErrorMessage() {
        var words = members.words.intersection(.errorMessages)
        while let word = words.popFirst() {
            guard members.string(word) != nil else { continue }
            switch members.meaning(word) {
            case .success, .nothing, .no: continue
            default:
                add(.words, word, isGood: false, .clear)
                return
            }
        }
    }
}
