/// Parses the remaining quotas of a server: the fields `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers) and their older
/// forms. Parsing has no side effects.
enum RateLimitFields {
    /// Returns the time until every exhausted quota is renewed, or `nil` if the fields name none.
    ///
    /// `"default";r=0;t=30` requires a wait, `"default";r=50;t=30` does not. Without `t`, the quota is renewed after at most the window `w` of its
    /// policy. A malformed field is ignored (RFC 9651 §4.2).
    static func wait(_ text: String, policies: String?) -> Duration? {
        guard let members = StructuredMembers.parse(text) else { return nil }
        if let wait = older(members) { return wait }
        let known = (policies.flatMap(StructuredMembers.parse) ?? []).map { ($0.name, $0.parameters["w"]) }
        let windows = Dictionary(known) { _, last in last }
        return members.compactMap { bucket -> Duration? in
            guard bucket.value == nil, bucket.parameters["r"]?.number == 0 else { return nil }
            return (bucket.parameters["t"] ?? windows[bucket.name] ?? nil)?.seconds
        }.max()
    }

    /// Parses the older form `limit=100, remaining=0, reset=50`.
    private static func older(_ members: [StructuredMembers.Member]) -> Duration? {
        let values = Dictionary(members.map { ($0.name, $0.value) }) { _, last in last }
        if let remaining = values["remaining"] ?? nil, remaining.number != 0 { return nil }
        return (values["reset"] ?? nil)?.seconds
    }
}

/// The members of a list or a dictionary of structured fields (RFC 9651 §3.1, §3.2). Only values that are numbers are kept.
struct StructuredMembers {
    package enum Value: Equatable {
        case number(Double)
        /// A string, bytes, a date, a Boolean or a token.
        case other

        var number: Double? { if case .number(let number) = self { number } else { nil } }
        var seconds: Duration? { number.flatMap { $0 < 0 ? nil : .seconds($0) } }
    }

    struct Member: Equatable {
        /// The string of an item, or the key of a dictionary member.
        var name: String
        /// The value of a dictionary member, or `nil` for an item.
        package var value: Value?
        var parameters: [String: Value] = [:]
    }

    private var rest: Substring.UTF8View

    /// Returns the members, or `nil` if the text is malformed.
    static func parse(_ text: String) -> [Member]? {
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == UInt8(ascii: "\t") }) else { return nil }
        var parser = StructuredMembers(rest: text[...].utf8)
        return parser.members()
    }

    private mutating func members() -> [Member]? {
        var members: [Member] = []
        skip(" ", "\t")
        while !rest.isEmpty {
            guard let member = member() else { return nil }
            members.append(member)
            skip(" ", "\t")
            if rest.isEmpty { return members }
            guard take(",") else { return nil }
            skip(" ", "\t")
            // A comma at the end is malformed.
            if rest.isEmpty { return nil }
        }
        return members
    }

    private mutating func member() -> Member? {
        guard let first = rest.first else { return nil }
        var member: Member
        if first == UInt8(ascii: "\"") {
            guard let text = quoted() else { return nil }
            member = Member(name: text)
        } else {
            guard let word = word() else { return nil }
            member = Member(name: word)
            if take("=") {
                guard let value = value() else { return nil }
                member.value = value
            }
        }
        while take(";") {
            skip(" ")
            guard let key = word() else { return nil }
            var value = Value.other
            if take("=") {
                guard let given = self.value() else { return nil }
                value = given
            }
            member.parameters[key] = value
        }
        return member
    }

    private mutating func value() -> Value? {
        guard let first = rest.first else { return nil }
        switch first {
        case UInt8(ascii: "\""): return quoted() == nil ? nil : .other
        case UInt8(ascii: ":"):
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            rest = rest[end...].dropFirst()
            return .other
        case UInt8(ascii: "-"), 0x30...0x39: return number()
        case UInt8(ascii: "?"), UInt8(ascii: "@"):
            rest = rest.dropFirst()
            return number() == nil ? nil : .other
        default: return word() == nil ? nil : .other
        }
    }

    /// Parses a number of at most 16 characters, because structured fields allow no longer one (RFC 9651 §3.3.1, §3.3.2).
    private mutating func number() -> Value? {
        let isNegative = take("-")
        let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        rest = rest[digits.endIndex...]
        guard let first = digits.first, first != UInt8(ascii: "."), digits.last != UInt8(ascii: "."), digits.count <= 16,
            let number = Double(String(Substring(digits)))
        else { return nil }
        return .number(isNegative ? -number : number)
    }

    private mutating func quoted() -> String? {
        var bytes: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else { return nil }
                bytes.append(escaped)
            default: bytes.append(byte)
            }
        }
        return nil
    }

    /// Parses a key or a token. Accepts upper case in keys, too, because some servers send it.
    private mutating func word() -> String? {
        let marks = "_-.*:/%&'+!#$^`|~".utf8
        guard let first = rest.first, Self.isLetter(first) || first == UInt8(ascii: "*") else { return nil }
        let word = rest.prefix { Self.isLetter($0) || (0x30...0x39).contains($0) || marks.contains($0) }
        rest = rest[word.endIndex...]
        return String(Substring(word))
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func skip(_ marks: Unicode.Scalar...) {
        rest = rest.drop { byte in marks.contains { UInt8(ascii: $0) == byte } }
    }
}
