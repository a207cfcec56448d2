/// The code and message of a failure at commonly used keys.
struct FailureWords {
    private(set) var code: ErrorCode?
    private(set) var message = ""
    /// The message at a message key, or `""` if there is none or only a word such as "error".
    private(set) var ownMessage = ""
    private let meansSuccess: (ErrorCode) -> Bool
    private let isFine: Bool

    /// - Parameters:
    ///   - value: The object that reports the failure, or an array whose first element does.
    ///   - isFine: Whether the HTTP status means success.
    ///   - failure: The code of the deciding sign, if it means failure.
    init(of value: JSON, isFine: Bool, _ failure: ErrorCode?, _ meansSuccess: @escaping (ErrorCode) -> Bool) {
        self.meansSuccess = meansSuccess
        self.isFine = isFine
        let value = value.array?.first ?? value
        guard case .object = value.storage else { return }
        let members = TellingMembers(value)
        let (kin, kinMessages) = Self.kin(in: members)
        code = code(in: members, VocabularyWord.failureCodes) ?? first(kin.map { failing(members[$0]) })
        let own = members.message(at: VocabularyWord.messages, takingAll: true) ?? first(kinMessages.map { text(members[$0]) }) ?? ""
        // A word such as "error" is the message only if there is no better one.
        let bare = ComparedKey(own).meaning == .failure ? own : ""
        if bare.isEmpty { ownMessage = own }
        message = ownMessage
        takeFromMarks(members)
        takeFromTexts(members)
        takeFromInside(members)
        takeRest(members, failure)
        if message.isEmpty { message = bare }
    }

    private static func kin(in members: TellingMembers) -> (codes: [String], messages: [String]) {
        guard members[.code] == nil else { return ([], []) }
        let known = Set(VocabularyWord.failureCodes.map { "\($0)" })
        let codes = members.list.map(\.name).filter { $0.hasSuffix("code") && !known.contains($0) }
        let messages = codes.flatMap { [$0.dropLast(4) + "msg", $0.dropLast(4) + "message"] }.map(String.init)
        let hasMessage = members.hasAny(VocabularyWord.messages) || messages.contains { members[$0] != nil }
        return hasMessage ? (codes, messages) : ([], messages)
    }

    private mutating func take(_ code: ErrorCode?, _ text: String?) {
        self.code = self.code ?? code
        if message.isEmpty { message = text ?? "" }
    }

    // MARK: Sources

    /// Takes code and message from `error`, `errors` and all keys that begin with `error`.
    private mutating func takeFromMarks(_ members: TellingMembers) {
        for member in members.list where member.name.hasPrefix("error") {
            switch member.value.storage {
            case .integer, .unsigned, .number:
                if member.name == "error", member.value.isSomething { take(member.value.envelopeCode, nil) }
            case .array, .object:
                guard member.value.isSomething else { continue }
                if member.name == "errors", member.value.array == nil, !member.value.tells {
                    take(nil, member.value.firstWords)
                } else {
                    let words = words(in: member.value)
                    take(words.code, words.text)
                }
            case .null, .bool, .string: break
            }
        }
    }

    private mutating func takeFromTexts(_ members: TellingMembers) {
        let error = members.text(.error) ?? ""
        let isToken = Self.isToken(error)
        let hasCapitals = error.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        if isToken, !hasCapitals, !meansSuccess(.string(error)) { take(.string(error), nil) }
        let remark = members.message(at: VocabularyWord.texts) ?? ""
        let (first, second) = isToken ? (remark, error) : (error, remark)
        take(nil, first.isEmpty ? second : first)
        if message.isEmpty {
            take(nil, members.text(.errors) ?? members.text(.data))
            for member in members.list where message.isEmpty && member.name.hasPrefix("err") { take(nil, member.value.firstWords) }
        }
    }

    private mutating func takeFromInside(_ members: TellingMembers) {
        for member in members.list where member.value.isContainer && member.value.isSomething {
            if member.name.hasPrefix("error") || Self.besides.contains(member.name) { continue }
            let inner = TellingMembers(member.value)
            let error = inner[.error]
            let isErrorInside = if case .object = error?.storage { true } else { false }
            let words = words(in: isErrorInside ? error ?? member.value : member.value)
            let tellsCode = inner.hasAny(VocabularyWord.failureCodes + [.error])
            take(tellsCode ? words.code : nil, words.text)
        }
    }

    /// Members beside the failure whose texts do not describe it.
    private static let besides: Set = ["links", "included", "extensions", "details"]

    private mutating func takeRest(_ members: TellingMembers, _ failure: ErrorCode?) {
        if code == nil, isFine, let status = members.text(.status), Self.isToken(status), ErrorCode.string(status).number == nil {
            switch ComparedKey(status).meaning {
            case .success, .yes, .no: break
            default: code = .string(status)
            }
        }
        if code == nil { code = failure }
        if code == nil, !isFine, let type = members.text(.type), Self.isName(type), ComparedKey(type).meaning != .failure {
            code = .string(type)
        }
    }

    // MARK: Values

    private func text(_ value: JSON?) -> String? {
        guard let value else { return nil }
        if let text = value.string { return text.isEmpty ? nil : text }
        guard let elements = value.array, elements.count == 1, let text = elements[0].string, !text.isEmpty else { return nil }
        return text
    }

    private func first<Value>(_ values: [Value?]) -> Value? { values.compactMap { $0 }.first }

    private func failing(_ value: JSON?) -> ErrorCode? {
        guard let code = value?.envelopeCode, !meansSuccess(code) else { return nil }
        if case .string(let text) = code, ComparedKey(text).meaning?.isNothing == true { return nil }
        return code
    }

    private func code(in members: TellingMembers, _ words: [VocabularyWord]) -> ErrorCode? {
        words.lazy.compactMap { failing(members[$0]) }.first
    }

    /// Returns code and text of a value that describes the failure.
    private func words(in value: JSON) -> (code: ErrorCode?, text: String?) {
        let value = value.array.map { $0.first ?? .nullValue } ?? value
        if let text = value.string { return (nil, text) }
        guard case .object = value.storage else { return (nil, value.firstWords) }
        let members = TellingMembers(value)
        var code = code(in: members, VocabularyWord.failureCodes)
        if code == nil, members.code(.code) == nil { code = namedCode(in: members) }
        // Skip messages that are neither strings nor arrays, because their texts are deeper inside.
        let text =
            members.message(at: VocabularyWord.messages.filter { members.text($0) != nil || members[$0]?.array != nil }, takingAll: true)
            ?? members.message(at: VocabularyWord.texts) ?? members.text(.error) ?? value.firstWords
        return (code, text)
    }

    private func namedCode(in members: TellingMembers) -> ErrorCode? {
        if let extensions = members[.extensions], let code = self.code(in: TellingMembers(extensions), [.code]) { return code }
        for word in [VocabularyWord.type, .name, .status] {
            if let text = members.text(word), Self.isToken(text), ComparedKey(text).meaning != .failure { return .string(text) }
        }
        switch members[.type]?.storage {
        case .integer, .unsigned, .number: return members.code(.type)
        default: return nil
        }
    }

    /// Whether a text is ASCII without spaces, and not a URL.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) } && !text.contains("://") && text != "about:blank"
    }

    /// Whether a text is a plain identifier.
    private static func isName(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }
}

extension JSON {
    fileprivate var isContainer: Bool {
        switch storage {
        case .array, .object: true
        default: false
        }
    }
}
