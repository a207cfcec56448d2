/// The members of a value by compared key, used only for failures. Of keys that compare equal, the first one counts.
struct TellingMembers {
    private(set) var list: [(name: String, value: JSON)] = []
    private var places: [String: Int] = [:]

    init(_ value: JSON) {
        guard case .object(let object) = value.storage else { return }
        for member in object.members {
            let name = ComparedKey(member.key).word.map { "\($0)" } ?? member.key.comparedAsKey
            guard places[name] == nil else { continue }
            places[name] = list.count
            list.append((name, member.value))
        }
    }

    subscript(name: String) -> JSON? { places[name].map { list[$0].value } }

    func hasAny(_ names: [String]) -> Bool { names.contains { self[$0] != nil } }

    func text(_ name: String) -> String { self[name]?.string ?? "" }

    /// Returns the first code at some keys.
    func first(_ names: [String]) -> ErrorCode? { names.lazy.compactMap { self[$0]?.envelopeCode }.first }

    /// Returns the first message at some keys, by default those of messages.
    func message(at names: [String] = messages) -> String? {
        for name in names {
            if let value = self[name], let text = Self.text(of: value, isMessage: Self.messageSet.contains(name)) { return text }
        }
        return nil
    }

    /// Returns a string or that of an array of one string. At keys of messages, also the words inside, or else the JSON text of other values.
    static func text(of value: JSON, isMessage: Bool) -> String? {
        if let text = value.string { return text.isEmpty ? nil : text }
        if let elements = value.array, elements.count == 1, let text = elements[0].string, !text.isEmpty { return text }
        guard isMessage, value.isSomething, value.bool == nil else { return nil }
        if value.isContainer {
            if let text = FailureWords.text(in: value), !text.isEmpty { return text }
        }
        return String(decoding: value.encoded, as: UTF8.self)
    }

    // MARK: Keys, in the order in which they count

    private static func names(_ words: VocabularyWords) -> [String] {
        VocabularyWord.allCases.filter(words.contains).map { "\($0)" }
    }

    static let errorCodes = names(.errorCodes)
    static let codes = errorCodes + ["code"] + names(.resultCodes)
    static let messages = names(.messages)
    private static let messageSet = Set(messages)
    /// The keys that may contain words of a failure besides its message.
    static let texts =
        ["detail", "description", "desc", "reason", "info", "tip", "tips", "title", "text", "hint"]
        + ["ret", "return", "result", "res", "resp", "rsp", "response", "status"].flatMap { stem in
            ["text", "desc", "description", "reason", "string"].map { stem + $0 }
        } + ["cause", "details", "faultstring", "msg1", "output"]
    fileprivate static let telling = messages + texts + errorCodes + ["code", "type"]
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

    var isContainer: Bool { array != nil || object != nil }

    /// Whether the value contains a text or a code that describes a failure.
    var tells: Bool {
        switch storage {
        case .string(let text): return !text.isEmpty
        case .array(let elements): return elements.contains(where: \.tells)
        case .object:
            let members = TellingMembers(self)
            return TellingMembers.telling.contains { members[$0]?.isSomething == true }
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
