import CatenaPlatform

/// The reason why an accepted response looks like a failure, with the configuration that would make it one.
struct SuspectedFailure: Sendable, Equatable {
    /// The suspicious place, such as `data.error_code`.
    let place: String
    /// The steps that make the place count as a failure.
    let steps: String

    /// The message for developers.
    var advice: String {
        "There is something at \"\(place)\", yet nothing says that the call failed. If it did: envelope = "
            + (steps.hasPrefix(".add") ? ".standard" + steps : steps) + ". If not, .envelope(.raw) says so"
    }
}

extension StandardFindings {
    /// Returns the reason why an accepted response looks like a failure, or `nil` if it does not.
    ///
    /// - Parameter verdict: The sign that decided, if any.
    func suspectedFailure(_ verdict: EnvelopeSign?, _ trial: TypeTrial?) -> SuspectedFailure? {
        // A failure that only the type makes a success is reported even if the type fits.
        let isKept = trial != nil && verdict == nil && (object.verdict() != nil || InnerFailure.look(in: object) != nil)
        if let trial, !isKept, fitsWhole(trial, nil) { return suspectedFailure(besideTypeOf: trial, verdict) }
        let isGood = verdict?.isGood == true
        for sign in object.signs where !sign.isGood {
            if isGood, sign.kind != .error, sign.kind != .word { continue }
            let isLoose = !object.parts.isThing && (sign.kind == .word || sign.kind == .code && sign.integer != nil)
            guard sign.weight != .weak || sign.kind == .flag || sign.kind == .status || isLoose else { continue }
            return look(at: sign)
        }
        if isGood, verdict?.kind == .flag || verdict?.kind == .code { return nil }
        if verdict == nil, let inner = InnerFailure.look(in: object) { return look(at: inner) }
        return Suspicion(document: document, rules: object.rules).look(at: members, [], "")
    }

    /// Reports a thing with a failing code or flag beside a message, or a suspicious member that the type does not ask for.
    private func suspectedFailure(besideTypeOf trial: TypeTrial, _ verdict: EnvelopeSign?) -> SuspectedFailure? {
        guard verdict == nil else { return nil }
        if object.parts.isThing {
            let sign = object.signs.first { !$0.isGood && ($0.kind == .code || $0.kind == .flag) && $0.weight != .weak }
            return object.parts.hasMessage ? sign.map(look) : nil
        }
        guard let asked = trial.fit(root).asked else { return nil }
        return Suspicion(document: document, rules: object.rules).look(
            at: members, members.list.indices.filter { asked.asks(for: members, members.list[$0]) }, "")
    }

    // MARK: The advice

    private func look(at sign: EnvelopeSign) -> SuspectedFailure {
        Self.look(at: members.name(members.list[sign.place]), sign, document.json(at: members.list[sign.place].span))
    }

    private func look(at inner: InnerFailure) -> SuspectedFailure {
        let path = inner.path.joined(separator: ".")
        let member = inner.object.members.list[inner.sign.place]
        let place = "\(path).\(inner.object.members.name(member))"
        if place == "Response.Error" { return SuspectedFailure(place: place, steps: ".tencentCloud") }
        if path == "error_response" { return SuspectedFailure(place: path, steps: ".taobao") }
        return Self.look(at: place, inner.sign, document.json(at: member.span))
    }

    private static func look(at place: String, _ sign: EnvelopeSign, _ value: JSON?) -> SuspectedFailure {
        switch sign.kind {
        // Suggest a flag for a word, because with a code every unknown word would be a failure.
        case .flag where sign.word != .error, .word: SuspectedFailure(place: place, steps: ".addFlags(\"\(place)\")")
        case .code, .status: SuspectedFailure(place: place, steps: ".addCodes(\"\(place)\")")
        case .words: SuspectedFailure(place: place, steps: ".addFailure(\"\(place)\")")
        case .flag, .error, .noError: SuspectedFailure(place: place, steps: failureSteps(place, value ?? .nullValue))
        }
    }

    private static func failureSteps(_ place: String, _ value: JSON) -> String {
        var steps = ".addFailure(\"\(place)\")"
        if value.string != nil { return steps + ".addMessages(\"\(place)\")" }
        guard case .object(let object) = value.storage else { return steps }
        func key(_ names: [String], _ isWanted: (JSON) -> Bool) -> String? {
            object.members.first { names.contains(ComparedKey($0.key).word.map { "\($0)" } ?? "") && isWanted($0.value) }?.key
        }
        if let code = key(TellingMembers.codes, { $0.envelopeCode != nil }) { steps += ".addCodes(\"\(place).\(code)\")" }
        if let message = key(TellingMembers.messages, { $0.string != nil }) { steps += ".addMessages(\"\(place).\(message)\")" }
        return steps
    }
}

/// The search for values without success at keys that usually have a verdict, up to two levels down.
private struct Suspicion {
    let document: EnvelopeDocument
    let rules: EnvelopePlaces.Rules

    private static let judging = ["status", "result", "code", "cd", "rc", "stat", "ack"]
    private static let saying = [
        "msg", "message", "text", "desc", "description", "reason", "detail", "details", "error", "info", "string", "comment",
    ]

    /// - Parameters:
    ///   - asked: The indices of members that belong to a type.
    ///   - path: The path of the object, with a dot at its end.
    func look(at members: EnvelopeMembers, _ asked: [Int], _ path: String, depth: Int = 0) -> SuspectedFailure? {
        if let found = verdict(in: members, asked, path) { return found }
        guard depth < 2 else { return nil }
        for (place, member) in members.list.enumerated() where !asked.contains(place) && document.isSomething(member.span) {
            let inner: EnvelopeMembers
            var name = path + members.name(member)
            switch member.span.kind {
            case .object: inner = document.members(of: member.span)
            case .array:
                inner = document.firstMembers(of: member.span)
                name += "[0]"
            default: continue
            }
            if let found = look(at: inner, [], name + ".", depth: depth + 1) { return found }
        }
        return nil
    }

    private func verdict(in members: EnvelopeMembers, _ asked: [Int], _ path: String) -> SuspectedFailure? {
        let list = members.list.enumerated().filter { !asked.contains($0.offset) }.map(\.element)
        // A look at the ends of the keys spares most objects the rest.
        guard list.contains(where: { $0.span.kind == .array || $0.key.endsLikeVerdict }), !ObjectParts(members).isThing else { return nil }
        let named = list.map { (name: members.comparedName($0), member: $0) }
        let words = named.filter { name, member in
            guard member.span.kind == .string, !document.isEmptyText(member.span), Self.saying.contains(where: name.hasSuffix) else {
                return false
            }
            let text = ComparedKey(document.text(at: member.span))
            return text.meaning != .success && !Self.successes.contains(text)
        }
        let hasPayload = list.contains { $0.word.map { VocabularyWords.payloads.contains($0) } == true }
        if !words.isEmpty, !hasPayload, let status = list.first(where: { $0.word == .status }), members.code(status)?.number == 0 {
            let place = path + members.name(status)
            return SuspectedFailure(place: place, steps: ".addFlags(\"\(place)\")")
        }
        let said = words.filter { !SuspectedSuccess.contains(document.text(at: $0.member.span)) }
        for (name, member) in named {
            let place = { path + members.name(member) }
            if !said.isEmpty, !said.contains(where: { $0.name == name }), let code = members.code(member), name != "countrycode",
                Self.judging.contains(where: name.hasSuffix), !rules.rules.meansSuccess(code), code.number != 1
            {
                return SuspectedFailure(place: place(), steps: ".addCodes(\"\(place())\")")
            }
            if member.span.kind == .array, isListOfErrors(member.span) {
                return SuspectedFailure(place: place(), steps: ".addFailure(\"\(place())[0].error\")")
            }
        }
        return nil
    }

    private static let successes = ["successful", "successfully"].map { ComparedKey($0) }

    /// Whether a list has nothing but objects with an error.
    private func isListOfErrors(_ span: JSONSpan) -> Bool {
        // The first element shows for most lists that they contain no errors.
        guard document.firstMembers(of: span).has(.error), let elements = document.json(at: span)?.array else { return false }
        return elements.allSatisfy { TellingMembers($0)["error"]?.tells == true }
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
        guard error.kind == .business, error.contents.own == nil, error.category == nil, !envelope.places.hasAdapter,
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

    /// Whether a text contains a word of success.
    static func contains(_ text: String) -> Bool {
        let text = text.lowercased()
        return ["success", "성공", "정상", "正常", "成功"].contains { text.contains($0) }
    }

    private static let words: Set<String> = [
        "ok", "okay", "success", "succeed", "succeeded", "successful", "successfully", "requestsuccessful", "operationsuccessful",
        "成功", "操作成功", "请求成功", "查询成功", "获取成功", "处理成功", "调用成功", "执行成功", "返回成功", "提交成功", "保存成功", "登录成功",
    ]
}
