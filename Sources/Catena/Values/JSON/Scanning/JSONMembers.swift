import CatenaPlatform

/// A member of an object in the scanned text.
struct JSONMember: Sendable {
    /// The range of the key, with quotes.
    let source: Range<Int>
    /// Whether the key has no escapes.
    let isPlain: Bool
    let key: ComparedKey
    /// The vocabulary word that the key is, or `nil` if it is none.
    let word: VocabularyWord?
    var span: JSONSpan
    /// The value, if it is an integer of a few digits, as most codes are. It is parsed during the scan.
    fileprivate(set) var integer: Int?

    /// Whether the key begins with `error`, in English or another language.
    var isErrorKey: Bool { key.beginsWithError || word == .error || word == .errors }

    @inline(__always)
    init(_ token: JSONToken, _ key: ComparedKey, _ span: JSONSpan = JSONSpan(kind: .null, range: 0..<0)) {
        source = token.range
        isPlain = token.isPlain
        self.key = key
        word = key.word
        self.span = span
    }
}

/// Collects the members of one object, without those of nested objects.
struct JSONMemberList: Sendable {
    private(set) var members: [JSONMember] = []
    private var depth = 0

    init() {
        members.reserveCapacity(8)
    }

    /// Returns the members of the object in a range of a text.
    static func read(_ text: Data, in range: Range<Int>) -> [JSONMember] {
        let list = try? JSONScanner.read(text, in: range) { (scanner) throws(JSONFault) in
            // The text has been scanned before.
            scanner.skipsUnneeded = true
            var list = JSONMemberList()
            try scanner.document(&list)
            return list
        }
        return list?.members ?? []
    }

    /// Returns the members of the first element of the array in a range of a text, if that element is an object.
    static func readFirstElement(_ text: Data, of array: Range<Int>) -> [JSONMember] {
        guard array.count > 2 else { return [] }
        var list = JSONMemberList()
        // The scan ends with an error at the text after the element, which is ignored.
        try? JSONScanner.read(text, in: array.lowerBound + 1..<array.upperBound - 1) { (scanner) throws(JSONFault) in
            scanner.skipsUnneeded = true
            try scanner.document(&list)
        }
        return list.members
    }
}

extension JSONMemberList: JSONVisitor {
    @inline(__always)
    mutating func key(_ token: JSONToken, in scanner: JSONScanner) {
        guard depth == 1 else { return }
        members.append(JSONMember(token, scanner.comparedKey(token)))
    }

    @inline(__always)
    mutating func scalar(_ token: JSONToken, in scanner: JSONScanner) {
        guard depth == 1, !members.isEmpty else { return }
        members[members.count - 1].span = JSONSpan(kind: token.kind, range: token.range)
        guard token.kind == .number, token.isPlain, token.range.count <= 9 else { return }
        members[members.count - 1].integer = Self.digits(token.range, in: scanner)
    }

    /// Parses a number that consists of digits only.
    private static func digits(_ range: Range<Int>, in scanner: JSONScanner) -> Int? {
        var number = 0
        for place in range {
            let byte = scanner.byte(at: place)
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number &* 10 &+ Int(byte &- UInt8(ascii: "0"))
        }
        return number
    }

    @inline(__always)
    mutating func open(_ kind: JSONSpan.Kind, at offset: Int) {
        if depth == 1, !members.isEmpty { members[members.count - 1].span = JSONSpan(kind: kind, range: offset..<offset) }
        depth += 1
    }

    @inline(__always)
    mutating func close(_ kind: JSONSpan.Kind, at offset: Int) {
        depth -= 1
        guard depth == 1, !members.isEmpty else { return }
        let start = members[members.count - 1].span.range.lowerBound
        members[members.count - 1].span = JSONSpan(kind: kind, range: start..<offset)
    }

    @inline(__always)
    var ignoresContent: Bool { depth > 1 }
}

extension JSONMember {
    /// Returns a key of the document in the form in which keys are compared.
    fileprivate static func key(_ token: JSONToken, _ bytes: UnsafeRawBufferPointer) -> ComparedKey {
        guard token.isPlain else { return ComparedKey(name(token, bytes)) }
        return ComparedKey(UnsafeRawBufferPointer(rebasing: bytes[token.range.lowerBound + 1..<token.range.upperBound - 1]))
    }

    /// Returns the text of the key.
    func name(_ bytes: UnsafeRawBufferPointer) -> String {
        Self.name(JSONToken(kind: .string, range: source, isPlain: isPlain), bytes)
    }

    private static func name(_ token: JSONToken, _ bytes: UnsafeRawBufferPointer) -> String {
        guard !token.isPlain else {
            return String(decoding: bytes[token.range.lowerBound + 1..<token.range.upperBound - 1], as: UTF8.self)
        }
        return (try? JSONScanner.read(bytes) { (scanner) throws(JSONFault) in scanner.string(token) }) ?? ""
    }
}

extension ScannedDocument {
    /// Returns the members of the object in a range of the text, or `nil` if there is no object.
    func members(in range: Range<Int>) -> [JSONMember]? {
        guard let object = place(in: range).map(Int.init), entries[object].kind == .object || entries[object].kind == .irregularObject
        else {
            return nil
        }
        var members: [JSONMember] = []
        let end = entries[object].next
        text.withUnsafeBytes { bytes in
            var place = object + 1
            while place < end {
                let (name, value) = (entries[place], entries[place + 1])
                let token = JSONToken(kind: .string, range: name.source, isPlain: name.kind == .string)
                let key = JSONMember.key(token, bytes)
                members.append(JSONMember(token, key, JSONSpan(kind: value.kind.span, range: value.source)))
                place = Int(value.next)
            }
        }
        return members
    }
}

extension JSONTape.Kind {
    var span: JSONSpan.Kind {
        switch self {
        case .null, .absent: .null
        case .false, .true: .bool
        case .integer, .decimal: .number
        case .string, .escapedString: .string
        case .array: .array
        case .object, .irregularObject: .object
        }
    }
}
