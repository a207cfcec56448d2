import Foundation

/// The members of an object by the word that each key is. Of two keys that are one, the first counts.
struct EnvelopeMembers {
    struct Member {
        /// `nil` for a key that is no word.
        let word: VocabularyWord?
        let key: ComparedKey
        let member: JSONMember

        var span: JSONSpan { member.value }
        var isErrorKey: Bool { key.beginsWithError }
    }

    let document: EnvelopeDocument
    /// In the order of the object, each key once.
    private(set) var list: [Member] = []
    private(set) var words = VocabularyWords()

    /// Beyond this many keys without a word a table finds those that are one, so that the time stays in proportion to their number.
    private static let comparedCount = 64

    init(_ members: [JSONMember], in document: EnvelopeDocument) {
        self.document = document
        list.reserveCapacity(members.count)
        var unknown = 0
        var known: Set<String> = []
        document.text.withUnsafeBytes { bytes in
            for member in members {
                let key = Self.key(member, bytes)
                if let word = key.word {
                    if words.contains(word) { continue }
                    words.insert(word)
                    list.append(Member(word: word, key: key, member: member))
                    continue
                }
                if unknown == Self.comparedCount {
                    for other in list where other.word == nil { known.insert(Self.name(other.member, bytes).comparedAsKey) }
                }
                let isNew =
                    unknown < Self.comparedCount
                    ? !list.contains { Self.isSame($0, key, member, bytes) } : known.insert(Self.name(member, bytes).comparedAsKey).inserted
                guard isNew else { continue }
                unknown += 1
                list.append(Member(word: nil, key: key, member: member))
            }
        }
    }

    private static func isSame(_ other: Member, _ key: ComparedKey, _ member: JSONMember, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard other.key == key else { return false }
        return key.isWhole || name(other.member, bytes).comparedAsKey == name(member, bytes).comparedAsKey
    }

    @inline(__always)
    private static func key(_ member: JSONMember, _ bytes: UnsafeRawBufferPointer) -> ComparedKey {
        guard member.isPlain else { return ComparedKey(name(member, bytes)) }
        return ComparedKey(UnsafeRawBufferPointer(rebasing: bytes[member.key.lowerBound + 1..<member.key.upperBound - 1]))
    }

    private static func name(_ member: JSONMember, _ bytes: UnsafeRawBufferPointer) -> String {
        if member.isPlain {
            return String(decoding: bytes[member.key.lowerBound + 1..<member.key.upperBound - 1], as: UTF8.self)
        }
        let token = JSONToken(kind: .string, range: member.key, isPlain: false)
        return (try? JSONScanner.read(bytes) { (scanner) throws(JSONFault) in scanner.string(token) }) ?? ""
    }

    /// A key as it stands in the response.
    func name(_ member: Member) -> String {
        document.text.withUnsafeBytes { Self.name(member.member, $0) }
    }

    func comparedName(_ member: Member) -> String {
        member.word.map { "\($0)" } ?? name(member).comparedAsKey
    }

    // MARK: Values

    @inline(__always)
    func has(_ word: VocabularyWord) -> Bool { words.contains(word) }

    @inline(__always)
    func hasAny(_ others: VocabularyWords) -> Bool { words.overlaps(others) }

    func place(of word: VocabularyWord) -> Int? {
        has(word) ? list.firstIndex { $0.word == word } : nil
    }

    func member(_ word: VocabularyWord) -> Member? {
        place(of: word).map { list[$0] }
    }

    subscript(word: VocabularyWord) -> JSONSpan? {
        has(word) ? list.first { $0.word == word }?.span : nil
    }

    /// A number, or text that is not empty.
    func code(_ word: VocabularyWord) -> ErrorCode? {
        self[word].flatMap(document.envelopeCode)
    }

    /// The meaning of the text at a key, if the text is a word that has one.
    func meaning(_ word: VocabularyWord) -> WordMeaning? {
        self[word].flatMap(document.meaning)
    }

    /// Text that is not empty.
    func string(_ word: VocabularyWord) -> String? {
        self[word].flatMap(document.string)
    }

    /// The first that has words: text, a list of one text, or, at a key of messages, anything else in its JSON text.
    func message(at words: VocabularyWords, and others: [Member] = []) -> String? {
        var rest = self.words.intersection(words)
        while let word = rest.popFirst() {
            if let span = self[word], let text = document.message(at: span, isMessage: VocabularyWords.messages.contains(word)) {
                return text
            }
        }
        for other in others {
            if let text = document.message(at: other.span, isMessage: false) { return text }
        }
        return nil
    }

    func remark() -> String? {
        for word in VocabularyWord.texts where has(word) {
            if let span = self[word], let text = document.message(at: span, isMessage: false) { return text }
        }
        return nil
    }
}

extension EnvelopeDocument {
    /// The members of an object in the document.
    func members(of span: JSONSpan) -> EnvelopeMembers {
        guard span.kind == .object else { return EnvelopeMembers([], in: self) }
        return EnvelopeMembers(scanned?.members(in: span.range) ?? JSONMemberList.read(text, in: span.range), in: self)
    }

    /// A number, also as `200.0`, or text that is not empty. `true` and `false` are no codes.
    func envelopeCode(at span: JSONSpan) -> ErrorCode? {
        span.kind == .bool ? nil : code(at: span)
    }

    /// The meaning of a text of one word.
    func meaning(at span: JSONSpan) -> WordMeaning? {
        guard span.kind == .string, span.range.count > 3 else { return nil }
        return text.withUnsafeBytes { bytes -> WordMeaning? in
            let inside = UnsafeRawBufferPointer(rebasing: bytes[span.range.lowerBound + 1..<span.range.upperBound - 1])
            guard inside.contains(UInt8(ascii: "\\")) else { return ComparedKey(inside).meaning }
            return ComparedKey(text(at: span)).meaning
        }
    }

    func message(at span: JSONSpan, isMessage: Bool) -> String? {
        switch span.kind {
        case .string: return string(at: span)
        case .array:
            if let elements = json(at: span)?.array, elements.count == 1, let text = elements[0].string, !text.isEmpty { return text }
            return isMessage && isSomething(span) ? text(at: span) : nil
        case .number, .object: return isMessage && isSomething(span) ? text(at: span) : nil
        case .bool, .null: return nil
        }
    }
}

extension ErrorCode {
    /// The number that the code is or spells: `12`, `"12"`, `"-0.5"`.
    var number: Double? {
        switch self {
        case .integer(let value): return Double(value)
        case .string(let text):
            let utf8 = text.utf8
            guard let last = utf8.last, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last) else { return nil }
            var digits = utf8[...]
            if digits.first == UInt8(ascii: "-") { digits = digits.dropFirst() }
            let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let isNumber =
                parts.count <= 2
                && parts.allSatisfy { part in
                    !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                }
            return isNumber ? Double(text) : nil
        }
    }
}
