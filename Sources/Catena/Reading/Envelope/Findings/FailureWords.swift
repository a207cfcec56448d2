/// The code and message of a failure at commonly used keys.
struct FailureWords {
    private(set) var code: ErrorCode?
    private(set) var message = ""
    /// The message at a message key, or `""` if there is none or only a word such as "error".
    private(set) var ownMessage = ""
    private let rules: EnvelopeRules

    /// - Parameter isFine: Whether the HTTP status means success.
    init(_ findings: EnvelopeFindings, in document: EnvelopeDocument, isFine: Bool) {
        rules = findings.rules.rules
        let (span, parts) = findings.failing(in: document)
        guard let value = document.json(at: span).map(Self.first), case .object = value.storage else { return }
        let members = TellingMembers(value)
        let failure = findings.failingCode
        let kin = parts.kin.map { parts.members.comparedName(parts.members.list[$0]) }
        code = findings.isCodeDeclared ? failure : members.failing(TellingMembers.codes + kin, by: rules)
        let own = parts.message
        // A word such as "error" is the message only if there is no better one.
        let bare = ComparedKey(own).meaning == .failure ? own : ""
        if bare.isEmpty { ownMessage = own }
        message = ownMessage
        takeFromMarks(members)
        takeFromTexts(members)
        takeFromInside(members)
        takeRest(members, isFine: isFine, failure)
        if message.isEmpty { message = bare }
    }

    private mutating func take(_ code: ErrorCode?, _ text: String?) {
        self.code = self.code ?? code
        if message.isEmpty { message = text ?? "" }
    }

    // MARK: Sources

    /// Takes code and message from `error`, `errors` and all keys that begin with `error`.
    private mutating func takeFromMarks(_ members: TellingMembers) {
        for (name, value) in members.list where name.hasPrefix("error") {
            if name == "error", value.isNumber {
                if value.isSomething { take(value.envelopeCode, nil) }
            } else if value.isContainer, value.isSomething {
                if name == "errors", value.array == nil, !value.tells {
                    take(nil, value.firstWords)
                } else {
                    take(code(in: value), Self.words(in: value))
                }
            }
        }
    }

    private mutating func takeFromTexts(_ members: TellingMembers) {
        let error = members.text("error")
        let isToken = Self.isToken(error)
        let hasCapitals = error.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        if isToken, !hasCapitals, !rules.meansSuccess(.string(error)) { take(.string(error), nil) }
        let remark = members.message(at: TellingMembers.texts) ?? ""
        take(nil, isToken ? remark.isEmpty ? error : remark : error.isEmpty ? remark : error)
        take(nil, members.text("errors"))
        take(nil, members.text("data"))
        for (name, value) in members.list where message.isEmpty && name.hasPrefix("err") { take(nil, value.firstWords) }
    }

    private mutating func takeFromInside(_ members: TellingMembers) {
        for (name, value) in members.list where value.isContainer && value.isSomething {
            if name.hasPrefix("error") || Self.besides.contains(name) { continue }
            let inner = TellingMembers(value)
            let deeper = Self.deeper.lazy.compactMap { inner[$0] }.first { $0.isContainer && $0.isSomething }
            let tellsCode = deeper != nil || inner.hasAny(TellingMembers.codes + ["error"])
            take(tellsCode ? code(in: deeper ?? value) : nil, Self.words(in: deeper ?? value))
        }
    }

    /// Members beside the failure whose texts do not describe it.
    private static let besides: Set = ["links", "included", "extensions", "details"]
    /// Members one level down that may describe the failure.
    private static let deeper = ["error", "errors", "fault", "failures", "message"]

    private mutating func takeRest(_ members: TellingMembers, isFine: Bool, _ failure: ErrorCode?) {
        let status = members.text("status")
        if code == nil, isFine, Self.isToken(status), ErrorCode.string(status).number == nil {
            switch ComparedKey(status).meaning {
            case .success, .yes, .no: break
            default: code = .string(status)
            }
        }
        code = code ?? failure
        if code == nil, isFine {
            code = ["status", "result"].lazy.compactMap { members[$0]?.envelopeCode }.first {
                $0.number.map { $0 != 0 && $0 != 1 } ?? false
            }
        }
        let type = members.text("type")
        if code == nil, !isFine, Self.isName(type), ComparedKey(type).meaning != .failure { code = .string(type) }
    }

    // MARK: Values

    /// Returns the first element of an array, or any other value unchanged.
    private static func first(_ value: JSON) -> JSON { value.array.map { $0.first ?? .nullValue } ?? value }

    /// Returns the code in a value that describes the failure.
    private func code(in value: JSON) -> ErrorCode? {
        let members = TellingMembers(Self.first(value))
        if let code = members.failing(TellingMembers.codes, by: rules) { return code }
        guard members["code"]?.envelopeCode == nil else { return nil }
        if let extensions = members["extensions"], let code = TellingMembers(extensions).failing(["code"], by: rules) { return code }
        for name in ["type", "name", "status"] {
            let text = members.text(name)
            if Self.isToken(text), ComparedKey(text).meaning != .failure { return .string(text) }
        }
        return members["type"].flatMap { $0.isNumber ? $0.envelopeCode : nil }
    }

    /// Returns the words in a value that describes the failure.
    private static func words(in value: JSON) -> String? {
        let value = first(value)
        if let text = value.string { return text }
        let members = TellingMembers(value)
        // Skip messages that are neither strings nor arrays, because their texts are deeper inside.
        let plain = TellingMembers.messages.filter { !members.text($0).isEmpty || members[$0]?.array != nil }
        if let text = members.message(at: plain) ?? members.message(at: TellingMembers.texts) { return text }
        let error = members.text("error")
        return error.isEmpty ? value.firstWords : error
    }

    /// Returns the words in a message that is no string.
    static func text(in message: JSON) -> String? {
        words(in: message).flatMap { $0.isEmpty ? nil : $0 } ?? message.firstWords
    }

    /// Whether a text is ASCII without spaces, and not a URL.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) } && !text.contains("://") && text != "about:blank"
    }

    /// Whether a text is a plain identifier.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }
}

extension JSON {
    /// Whether the value is an object with a failing code and a message.
    func describesFailure(by rules: EnvelopeRules) -> Bool {
        let members = TellingMembers(self)
        return members.failing(TellingMembers.codes, by: rules) != nil && members.message() != nil
    }
}

extension TellingMembers {
    /// Returns the first code at some keys that means failure.
    fileprivate func failing(_ names: [String], by rules: EnvelopeRules) -> ErrorCode? {
        names.lazy.compactMap { self[$0]?.envelopeCode }.first { code in
            if case .string(let text) = code, ComparedKey(text).meaning?.isNothing == true { return false }
            return !rules.meansSuccess(code)
        }
    }
}
