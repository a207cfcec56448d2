import CatenaPlatform

/// The members of an object, indexed by vocabulary word. Of keys that compare equal, the first one counts.
struct EnvelopeMembers: Sendable {
    let document: EnvelopeDocument
    /// The members in the order of the object, each key once.
    let list: [JSONMember]
    let words: VocabularyWords
    /// Whether a key is outside the vocabulary.
    let hasOtherKeys: Bool
    /// Whether a key begins with `err`.
    let hasErrorKeys: Bool

    /// The maximum number of keys that are compared pair by pair. With more, a set finds duplicates in linear time.
    private static let comparedCount = 64

    init(_ members: [JSONMember], in document: EnvelopeDocument) {
        self.document = document
        var words = VocabularyWords()
        var unknown = 0
        var repeatsWord = false
        var hasErrorKeys = false
        for member in members {
            hasErrorKeys = hasErrorKeys || member.key.beginsWithErr
            if let word = member.word {
                repeatsWord = repeatsWord || words.contains(word)
                words.insert(word)
            } else {
                unknown += 1
            }
        }
        self.words = words
        self.hasErrorKeys = hasErrorKeys
        hasOtherKeys = unknown > 0 || words.overlaps(.models)
        let repeated = repeatsWord || unknown > 1 ? Self.repeated(members, in: document) : []
        list = repeated.isEmpty ? members : members.indices.filter { !repeated.contains($0) }.map { members[$0] }
    }

    /// Returns the indices of members whose keys are duplicates.
    private static func repeated(_ members: [JSONMember], in document: EnvelopeDocument) -> Set<Int> {
        var repeated: Set<Int> = []
        var words = VocabularyWords()
        var known: Set<String> = []
        document.text.withUnsafeBytes { bytes in
            for (place, member) in members.enumerated() {
                let isNew: Bool
                if let word = member.word {
                    isNew = !words.contains(word)
                    words.insert(word)
                } else if place < comparedCount {
                    isNew = !members[..<place].contains { $0.word == nil && isSame($0, member, bytes) }
                } else {
                    if known.isEmpty { known = Set(members[..<place].filter { $0.word == nil }.map { $0.name(bytes).comparedAsKey }) }
                    isNew = known.insert(member.name(bytes).comparedAsKey).inserted
                }
                if !isNew { repeated.insert(place) }
            }
        }
        return repeated
    }

    private static func isSame(_ other: JSONMember, _ member: JSONMember, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard other.key == member.key else { return false }
        return member.key.isWhole || other.name(bytes).comparedAsKey == member.name(bytes).comparedAsKey
    }

    /// Returns a key as written in the response.
    func name(_ member: JSONMember) -> String {
        document.text.withUnsafeBytes { member.name($0) }
    }

    func comparedName(_ member: JSONMember) -> String {
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

    subscript(word: VocabularyWord) -> JSONSpan? {
        has(word) ? list.first { $0.word == word }?.span : nil
    }

    /// Returns the first result for the values at some keys, in their order of precedence.
    @inline(__always)
    func first<Value>(of wanted: VocabularyWords, _ value: (JSONSpan) -> Value?) -> Value? {
        var wanted = words.intersection(wanted)
        while let word = wanted.popFirst() {
            if let value = self[word].flatMap(value) { return value }
        }
        return nil
    }

    /// Returns the code of a member: a number, or a string that is not empty.
    func code(_ member: JSONMember) -> ErrorCode? {
        if let integer = member.integer { return .integer(integer) }
        return document.code(at: member.span)
    }

    /// Returns the string at a key, if it is not empty.
    func string(_ word: VocabularyWord) -> String? {
        self[word].flatMap(document.string)
    }
}

extension EnvelopeDocument {
    /// Returns the members of an object in the document.
    func members(of span: JSONSpan) -> EnvelopeMembers {
        guard span.kind == .object else { return EnvelopeMembers([], in: self) }
        return EnvelopeMembers(scanned?.members(in: span.range) ?? JSONMemberList.read(text, in: span.range), in: self)
    }

    /// Returns the members of the first element of an array, if that is an object.
    func firstMembers(of array: JSONSpan) -> EnvelopeMembers {
        EnvelopeMembers(JSONMemberList.readFirstElement(text, of: array.range), in: self)
    }

    /// Returns the meaning of a string that is a known word.
    @inline(never)
    func meaning(at span: JSONSpan) -> WordMeaning? {
        guard span.kind == .string, span.range.count > 3 else { return nil }
        return text.withUnsafeBytes { bytes -> WordMeaning? in
            let inside = UnsafeRawBufferPointer(rebasing: bytes[span.range.lowerBound + 1..<span.range.upperBound - 1])
            guard inside.contains(UInt8(ascii: "\\")) else { return ComparedKey(inside).meaning }
            return ComparedKey(text(at: span)).meaning
        }
    }

    /// Returns a message: a string, an array of one string, or, at message keys, the JSON text of any other value.
    func message(at span: JSONSpan, isMessage: Bool) -> String? {
        if span.kind == .string { return string(at: span) }
        return json(at: span).flatMap { TellingMembers.text(of: $0, isMessage: isMessage) }
    }
}

extension ErrorCode {
    /// The number that the code is or spells, such as `12`, `"12"` or `"-0.5"`.
    var number: Double? {
        switch self {
        case .integer(let value): return Double(value)
        case .string(let text):
            let (digits, bytes) = (UInt8(ascii: "0")...UInt8(ascii: "9"), text.utf8.drop { $0 == UInt8(ascii: "-") })
            guard let first = bytes.first, let last = bytes.last, digits.contains(first), digits.contains(last),
                bytes.allSatisfy({ digits.contains($0) || $0 == UInt8(ascii: ".") })
            else { return nil }
            return Double(text)
        }
    }
}
