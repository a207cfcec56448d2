/// The members of a value by compared key, used only for failures. Of keys that compare equal, the first one counts.
struct TellingMembers {
    struct Member {
        let name: String
        package let value: JSON
    }

    private(set) var list: [Member] = []
    private var places: [String: Int] = [:]

    init(_ value: JSON) {
        guard case .object(let object) = value.storage else { return }
        for member in object.members {
            let name = member.key.comparedAsKey
            guard places[name] == nil else { continue }
            places[name] = list.count
            list.append(Member(name: name, value: member.value))
        }
    }

    subscript(name: String) -> JSON? { places[name].map { list[$0].value } }

    subscript(word: VocabularyWord) -> JSON? { self["\(word)"] }

    func hasAny(_ words: [VocabularyWord]) -> Bool { words.contains { self[$0] != nil } }

    func text(_ word: VocabularyWord) -> String? {
        self[word]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    func code(_ word: VocabularyWord) -> ErrorCode? { self[word].flatMap(\.envelopeCode) }

    /// Returns the first string, or array of one string. With `takingAll`, also returns the JSON text of other values.
    func message(at words: [VocabularyWord], takingAll: Bool = false) -> String? {
        for word in words {
            guard let value = self[word] else { continue }
            if let text = Self.text(of: value, takingAll: takingAll) { return text }
        }
        return nil
    }

    private static func text(of value: JSON, takingAll: Bool) -> String? {
        if let text = value.string { return text.isEmpty ? nil : text }
        if let elements = value.array, elements.count == 1, let text = elements[0].string, !text.isEmpty { return text }
        return takingAll && value.isSomething && value.bool == nil ? String(decoding: value.encoded, as: UTF8.self) : nil
    }
}

extension VocabularyWord {
    private static func words(_ first: VocabularyWord, _ last: VocabularyWord) -> [VocabularyWord] {
        (first.rawValue...last.rawValue).compactMap(VocabularyWord.init)
    }

    static let errorCodes = words(.errcode, .ecode)
    static let failureCodes = errorCodes + [.code] + words(.retcode, .statuscode)
    static let messages = words(.msg, .statusmessage)
}

extension JSON {
    /// The code: a number, or a string that is not empty.
    var envelopeCode: ErrorCode? {
        switch storage {
        case .integer(let value): Int(exactly: value).map(ErrorCode.integer)
        case .unsigned(let value): .string(String(value))
        case .number(let text): int.map(ErrorCode.integer) ?? .string(text)
        case .string(let text): text.isEmpty ? nil : .string(text)
        case .null, .bool, .array, .object: nil
        }
    }

    /// Whether the value contains a text or a code that describes a failure.
    var tells: Bool {
        switch storage {
        case .string(let text): return !text.isEmpty
        case .array(let elements): return elements.contains(where: \.tells)
        case .object:
            let members = TellingMembers(self)
            let words = VocabularyWord.messages + VocabularyWord.texts + VocabularyWord.errorCodes + [.code, .type]
            return words.contains { members[$0]?.isSomething == true }
        default: return false
        }
    }

    /// The first string, at any depth, that contains white space or a character beyond ASCII.
    var firstWords: String? {
        switch storage {
        case .string(let text):
            let isWords = text.unicodeScalars.contains { $0.properties.isWhitespace || !$0.isASCII }
            return isWords ? text : nil
        case .array(let elements): return elements.lazy.compactMap(\.firstWords).first
        case .object(let object): return object.members.lazy.compactMap(\.value.firstWords).first
        default: return nil
        }
    }
}
