import Catena

/// One thing in which a call is not what a stub or an expectation says.
struct Difference: Sendable {
    /// What the call has, in words: "the path is /v1/user".
    let text: String
    /// How far it puts the two apart.
    var weight = 10
}

extension [Difference] {
    var weight: Int { reduce(0) { $0 + $1.weight } }

    /// All of them in one sentence.
    var text: String { map(\.text).joined(separator: "; ") }
}

extension Difference {
    /// A value that is not the expected one. A secret is told by its name alone.
    static func value(of name: String, in subject: String, is actual: String, not expected: String, isSecret: Bool = false) -> Difference {
        if isSecret || Redaction.standard.isSecret(name: name) {
            return Difference(text: "\(subject) is not the expected one (it is not shown, since it looks like a secret)")
        }
        return Difference(text: "\(subject) is \(shown(actual)), not \(shown(expected))")
    }

    private static let longest = 120

    /// A value without secrets of its own, and not longer than a line.
    static func shown(_ text: String) -> String {
        let text = Redaction.standard.redact(text: text)
        return text.count > longest ? text.prefix(longest) + "…" : text
    }

    /// How many letters have to change to get from one text to the other (Levenshtein), by their beginnings.
    static func distance(_ one: String, _ other: String) -> Int {
        let one = Array(one.prefix(longest))
        let other = Array(other.prefix(longest))
        var row = Array(0...other.count)
        for (line, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, candidate) in other.enumerated() {
                let changed = diagonal + (letter == candidate ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
