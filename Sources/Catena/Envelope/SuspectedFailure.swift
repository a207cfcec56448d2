/// The reason why an accepted response looks like a failure, with the configuration that would make it one.
struct SuspectedFailure: Sendable, Equatable {
    /// The suspicious place, such as `data.error_code`.
    let place: String
    /// The steps that make the place count as a failure.
    let steps: String

    /// The message for developers.
    var advice: String {
        "There is something at \"\(place)\", yet nothing says that the call failed. If it did: envelope = "
            + (steps.hasPrefix(".add") ? ".standard" + steps : steps)
    }
}

extension StandardFindings {
    /// Returns the reason why an accepted response looks like a failure. Returns `nil` if it does not, or if the keys belong to a fitting type.
    func suspectedFailure(_ verdict: EnvelopeSign?, _ want: Want) -> SuspectedFailure? {
        if case .type(let trial) = want, suits(trial) { return nil }
        for sign in object.signs where !sign.isGood {
            if let verdict, verdict.isGood, sign.kind != .error, sign.kind != .word { continue }
            let isSuspicious =
                switch sign.kind {
                case .flag, .status: true
                case .word: sign.weight != .weak || !isThing
                case .code: sign.weight != .weak || !isThing && sign.integer != nil
                case .error, .noError, .words: sign.weight != .weak
                }
            if isSuspicious { return look(at: [members.list[sign.place]], sign) }
        }
        if let verdict, verdict.isGood, verdict.kind == .flag || verdict.kind == .code { return nil }
        if verdict == nil, let deeper { return look(at: deeper) }
        return numberSuspicion ?? listSuspicion
    }

    /// Whether the type fits the whole body, and the suspicious keys belong to the type or the object is a thing.
    private func suits(_ trial: TypeTrial) -> Bool {
        guard fitsWhole(trial, .none) else { return false }
        return isThing || object.signs.allSatisfy { $0.isGood || $0.weight == .weak || isModels($0, trial) }
    }

    /// Numbers that some backends use for failure and others for success, beside a text that does not mean success.
    private var numberSuspicion: SuspectedFailure? {
        guard !isThing else { return nil }
        if case .found(_, let span) = payload, span.kind == .object || span.kind == .array { return nil }
        guard let said = members.message(at: .messages) ?? members.remark(), ComparedKey(said).meaning != .success else { return nil }
        if members.code(.status)?.number == 0, let member = members.member(.status) {
            return SuspectedFailure(place: members.name(member), steps: ".addFlags(\"\(members.name(member))\")")
        }
        if case .integer(let number) = members.code(.result), ![0, 1, 200].contains(number), let member = members.member(.result) {
            return SuspectedFailure(place: members.name(member), steps: ".addCodes(\"\(members.name(member))\")")
        }
        return nil
    }

    /// A list that contains only errors.
    private var listSuspicion: SuspectedFailure? {
        guard !isThing else { return nil }
        for member in members.list where member.span.kind == .array && document.isSomething(member.span) {
            // Check the first element before parsing, because it shows for most lists that they contain no errors.
            let first = EnvelopeMembers(JSONMemberList.readFirstElement(document.text, of: member.span.range), in: document)
            guard first.has(.error), let elements = document.json(at: member.span)?.array else { continue }
            let areErrors = elements.allSatisfy { element in
                guard case .object = element.storage else { return false }
                return TellingMembers(element)[.error]?.tells == true
            }
            if areErrors {
                let name = members.name(member)
                return SuspectedFailure(place: name, steps: ".addFailure(\"\(name)[0].error\")")
            }
        }
        return nil
    }

    // MARK: The advice

    private func look(at path: [EnvelopeMembers.Member], _ sign: EnvelopeSign) -> SuspectedFailure {
        let name = path.map { members.name($0) }.joined(separator: ".")
        switch sign.kind {
        case .flag where sign.word != .error: return SuspectedFailure(place: name, steps: ".addFlags(\"\(name)\")")
        // Suggest a flag, because with a code every unknown word would be a failure.
        case .word: return SuspectedFailure(place: name, steps: ".addFlags(\"\(name)\")")
        case .code, .status: return SuspectedFailure(place: name, steps: ".addCodes(\"\(name)\")")
        case .words: return SuspectedFailure(place: name, steps: ".addFailure(\"\(name)\")")
        case .flag, .error, .noError:
            return SuspectedFailure(
                place: name, steps: Self.failureSteps(name, document.json(at: members.list[sign.place].span) ?? .nullValue))
        }
    }

    private func look(at deeper: Deeper) -> SuspectedFailure {
        let members = deeper.findings.members
        let path = deeper.path.joined(separator: ".")
        let member = members.list[deeper.sign.place]
        let place = "\(path).\(members.name(member))"
        if place == "Response.Error" { return SuspectedFailure(place: place, steps: ".tencentCloud") }
        if path == "error_response" { return SuspectedFailure(place: path, steps: ".taobao") }
        switch deeper.sign.kind {
        case .flag: return SuspectedFailure(place: place, steps: ".addFlags(\"\(place)\")")
        case .code: return SuspectedFailure(place: place, steps: ".addCodes(\"\(place)\")")
        default: return SuspectedFailure(place: place, steps: Self.failureSteps(place, document.json(at: member.span) ?? .nullValue))
        }
    }

    private static func failureSteps(_ place: String, _ value: JSON) -> String {
        var steps = ".addFailure(\"\(place)\")"
        switch value.storage {
        case .string: steps += ".addMessages(\"\(place)\")"
        case .object(let object):
            let code = object.members.first { VocabularyWord.failureCodes.contains($0.key) && $0.value.envelopeCode != nil }
            if let code { steps += ".addCodes(\"\(place).\(code.key)\")" }
            let message = object.members.first { VocabularyWord.messages.contains($0.key) && $0.value.string != nil }
            if let message { steps += ".addMessages(\"\(place).\(message.key)\")" }
        default: break
        }
        return steps
    }
}

extension [VocabularyWord] {
    fileprivate func contains(_ key: String) -> Bool {
        ComparedKey(key).word.map { contains($0) } == true
    }
}

/// The reason why a failure looks like a success, with the step that would make it one. Some backends use a code such as 1 for success.
struct SuspectedSuccess: Sendable, Equatable {
    /// The code of the failure, as Swift writes it.
    let code: String

    /// Returns `nil` unless the failure has a code of its own, and a message from the list of words of success.
    ///
    /// - Parameter envelope: The envelope that has read the response.
    init?(_ error: APIError, by envelope: Envelope) {
        // A code with a category is known to the envelope. An adapter knows no codes of success.
        guard error.kind == .business, error.own == nil, error.category == nil, !envelope.places.hasAdapter,
            Self.isSuccess(error.message)
        else { return nil }
        switch error.code {
        case .integer(let number): code = "\(number)"
        // `false` stands for a failure without a code.
        case .string("false"): return nil
        case .string(let text):
            guard FailureWords.isToken(text), text.utf8.count <= Self.longestCode else { return nil }
            code = text.debugDescription
        }
    }

    /// The message for developers.
    var advice: String {
        "The message reads like a success, yet the code \(code) means none. If it does, add it to the envelope: .standard.addSuccess(\(code))."
    }

    /// A longer text is hardly a code.
    private static let longestCode = 32

    /// Whether a message is one of the words, apart from case, spaces and punctuation.
    static func isSuccess(_ message: String) -> Bool {
        // Bounds the work for a long message.
        guard message.utf8.count <= 64 else { return false }
        return words.contains(message.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    private static let words: Set<String> = [
        "ok", "okay", "success", "succeed", "succeeded", "successful", "successfully", "requestsuccessful", "operationsuccessful",
        "成功", "操作成功", "请求成功", "查询成功", "获取成功", "处理成功", "调用成功", "执行成功", "返回成功", "提交成功", "保存成功", "登录成功",
    ]
}
