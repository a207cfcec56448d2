import Catena

/// A difference between a call and a stub or an expectation.
struct Difference: Sendable {
    /// A clause that describes the call, such as "the path is /v1/user".
    let text: String
    /// The weight of the difference when the nearest stub is searched.
    var weight = 10
}

extension [Difference] {
    var weight: Int { reduce(0) { $0 + $1.weight } }

    /// All differences in one sentence.
    var text: String { map(\.text).joined(separator: "; ") }
}

extension Difference {
    /// Returns a difference between two values. A secret's values are not shown.
    static func value(of name: String, in subject: String, is actual: String, not expected: String, isSecret: Bool = false) -> Difference {
        if isSecret || Redaction.standard.isSecret(name: name) {
            return Difference(text: "\(subject) is not the expected one (it is not shown, since it looks like a secret)")
        }
        return Difference(text: "\(subject) is \(shown(actual)), not \(shown(expected))")
    }

    private static let longest = 120

    /// Returns a text without its secrets, cut to one line.
    static func shown(_ text: String) -> String {
        let text = Redaction.standard.redact(text: text)
        return text.count > longest ? text.prefix(longest) + "…" : text
    }

    /// Returns the edit distance (Levenshtein) of the beginnings of two texts.
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
